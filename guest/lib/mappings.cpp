#include "guest/lib/mappings.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <vector>

namespace atl::guest {

namespace {

struct Mapping {
    std::uintptr_t begin = 0, end = 0;
    unsigned long offset = 0, inode = 0;
    char rights[8] = {};

    [[nodiscard]] bool is(const char* wanted) const { return std::strncmp(rights, wanted, 4) == 0; }
    // `next` goes on where this one ends, in memory and in the file.
    [[nodiscard]] bool goes_on_in(const Mapping& next) const {
        return inode != 0 && inode == next.inode && end == next.begin &&
               offset + (end - begin) == next.offset;
    }
};

std::vector<Mapping> read_mappings() {
    std::vector<Mapping> found;
    std::FILE* maps = std::fopen("/proc/self/maps", "re");
    if (maps == nullptr) return found;
    char line[4352];
    while (std::fgets(line, sizeof line, maps) != nullptr) {
        Mapping one;
        unsigned long begin = 0, end = 0;
        if (std::sscanf(line, "%lx-%lx %7s %lx %*s %lu", &begin, &end, one.rights, &one.offset,
                        &one.inode) != 5) {
            continue;
        }
        one.begin = begin;
        one.end = end;
        found.push_back(one);
    }
    std::fclose(maps);
    return found;
}

}  // namespace

int merge_mappings() noexcept {
    const auto all = read_mappings();
    int changed = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Mapping& one = all[i];
        if (!one.is("r--p") || one.inode == 0) continue;
        const bool before_data =
            i + 1 < all.size() && all[i + 1].is("rw-p") && one.goes_on_in(all[i + 1]);
        const bool beside_code =
            (i > 0 && all[i - 1].is("r-xp") && all[i - 1].goes_on_in(one)) ||
            (i + 1 < all.size() && all[i + 1].is("r-xp") && one.goes_on_in(all[i + 1]));
        if (!before_data && !beside_code) continue;
        const int rights = before_data ? PROT_READ | PROT_WRITE : PROT_READ | PROT_EXEC;
        if (::mprotect(reinterpret_cast<void*>(one.begin), one.end - one.begin, rights) == 0) {
            ++changed;
        }
    }
    return changed;
}

}  // namespace atl::guest

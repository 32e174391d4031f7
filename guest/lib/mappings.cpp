#include "guest/lib/mappings.hpp"

#include "guest/lib/memory_map.hpp"

#include <sys/mman.h>

namespace atl::guest {

namespace {

// `next` goes on where `one` ends, in memory and in the file.
bool goes_on_in(const Mapping& one, const Mapping& next) {
    return one.inode != 0 && one.inode == next.inode && one.end == next.begin &&
           one.offset + (one.end - one.begin) == next.offset;
}

}  // namespace

int merge_mappings() noexcept {
    const auto all = read_memory_map();
    int changed = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Mapping& one = all[i];
        if (!one.is("r--p") || one.inode == 0) continue;
        const bool before_data =
            i + 1 < all.size() && all[i + 1].is("rw-p") && goes_on_in(one, all[i + 1]);
        const bool beside_code =
            (i > 0 && all[i - 1].is("r-xp") && goes_on_in(all[i - 1], one)) ||
            (i + 1 < all.size() && all[i + 1].is("r-xp") && goes_on_in(one, all[i + 1]));
        if (!before_data && !beside_code) continue;
        const int rights = before_data ? PROT_READ | PROT_WRITE : PROT_READ | PROT_EXEC;
        if (::mprotect(reinterpret_cast<void*>(one.begin), one.end - one.begin, rights) == 0) {
            ++changed;
        }
    }
    return changed;
}

}  // namespace atl::guest

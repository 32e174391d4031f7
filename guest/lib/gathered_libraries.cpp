#include "guest/lib/gathered_libraries.hpp"

#include "guest/lib/memory_map.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace atl::guest {

namespace {

// A piece with fewer mappings is worth its memory only if most of it is in use.
constexpr int kMappingsMin = 3;
constexpr int kPagesInUseMin = 384;  // of 512
constexpr long kShareOfMemory = 16;  // a sixteenth, at most

struct Piece {
    int mappings = 0;
    int pages_in_use = 0;
    bool foreign = false;  // something that must stay where and as it is
};

struct Stretch {
    std::uintptr_t begin = 0, end = 0;
};

std::uintptr_t piece_of(std::uintptr_t address) { return address & ~(kHugePageBytes - 1); }

bool may_move(const Mapping& one) { return !one.special && one.rights[3] == 'p'; }

// Bit 63 of an entry: the page is present.
int pages_in_use(int pagemap, std::uintptr_t begin, std::uintptr_t end) {
    std::uint64_t entries[kHugePageBytes / kSmallPageBytes];
    const std::size_t bytes = (end - begin) / kSmallPageBytes * sizeof(std::uint64_t);
    const auto at = static_cast<off_t>(begin / kSmallPageBytes * sizeof(std::uint64_t));
    const ssize_t got = ::pread(pagemap, entries, std::min(bytes, sizeof entries), at);
    if (got <= 0) return 0;
    return static_cast<int>(std::count_if(entries,
                                          entries + got / static_cast<ssize_t>(sizeof entries[0]),
                                          [](std::uint64_t entry) { return (entry >> 63) != 0; }));
}

Piece look_at(const std::vector<Mapping>& all, std::uintptr_t begin, int pagemap) {
    Piece piece;
    bool file = false;
    for (const Mapping& one : all) {
        const auto from = std::max(one.begin, begin);
        const auto to = std::min(one.end, begin + kHugePageBytes);
        if (from >= to) continue;
        ++piece.mappings;
        if (!may_move(one)) piece.foreign = true;
        if (one.inode != 0) file = true;
        piece.pages_in_use += pages_in_use(pagemap, from, to);
    }
    if (!file) piece.foreign = true;  // heaps and arenas: gather_into_huge_pages()
    return piece;
}

bool is_worth_it(const Piece& piece) {
    return !piece.foreign &&
           (piece.mappings >= kMappingsMin || piece.pages_in_use >= kPagesInUseMin);
}

std::vector<Stretch> choose(const std::vector<Mapping>& all, std::uintptr_t bytes_max) {
    std::vector<Stretch> chosen;
    const int pagemap = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    std::uintptr_t next = 0, taken = 0;
    for (const Mapping& one : all) {
        if (one.inode == 0) continue;
        for (auto at = std::max(next, piece_of(one.begin)); at < one.end; at += kHugePageBytes) {
            next = at + kHugePageBytes;
            if (taken + kHugePageBytes > bytes_max || !is_worth_it(look_at(all, at, pagemap))) {
                continue;
            }
            taken += kHugePageBytes;
            if (!chosen.empty() && chosen.back().end == at)
                chosen.back().end = next;
            else
                chosen.push_back({at, next});
        }
    }
    if (pagemap >= 0) ::close(pagemap);
    return chosen;
}

char* pointer(std::uintptr_t address) { return reinterpret_cast<char*>(address); }

// From the first byte copied until the copy is in place, nothing may write to the original: no
// allocation, no call that is not resolved yet. The stack is not among them.
bool replace(const Stretch& stretch, const std::vector<Mapping>& all, char* copy) {
    const std::size_t bytes = stretch.end - stretch.begin;
    for (const Mapping& one : all) {
        const auto from = std::max(one.begin, stretch.begin);
        const auto to = std::min(one.end, stretch.end);
        if (from >= to || one.rights[0] != 'r') continue;
        char* to_here = copy + (from - stretch.begin);
        std::memcpy(to_here, pointer(from), to - from);
        // Processors with separate caches for code must see what was just written.
        if (one.rights[2] == 'x') __builtin___clear_cache(to_here, to_here + (to - from));
    }
    return ::mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, pointer(stretch.begin)) !=
           MAP_FAILED;
}

// Memory of whole huge pages, or none: the same in small pages would make a fork slower.
char* huge_memory(char* reserved, std::size_t bytes) {
    char* at = pointer(piece_of(reinterpret_cast<std::uintptr_t>(reserved) + kHugePageBytes - 1));
    ::madvise(at, bytes, MADV_HUGEPAGE);
    for (std::size_t done = 0; done < bytes; done += kHugePageBytes) {
        at[done] = 0;
        if (::madvise(at + done, kHugePageBytes, kMadvCollapse) != 0) return nullptr;
    }
    return at;
}

}  // namespace

int gather_libraries() noexcept {
    const auto all = read_memory_map();
    const auto memory =
        static_cast<std::uintptr_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES))) * kSmallPageBytes;
    int moved = 0;
    for (const Stretch& stretch : choose(all, memory / kShareOfMemory)) {
        const std::size_t bytes = stretch.end - stretch.begin;
        const std::size_t reserved = bytes + kHugePageBytes;
        void* space = ::mmap(nullptr, reserved, PROT_READ | PROT_WRITE | PROT_EXEC,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (space == MAP_FAILED) break;
        // Resolved here, so that the loader has nothing to write when it is called for good.
        ::mremap(space, reserved, reserved, 0);
        char* copy = huge_memory(static_cast<char*>(space), bytes);
        if (copy != nullptr && replace(stretch, all, copy)) {
            moved += static_cast<int>(bytes / kHugePageBytes);
            char* begin = static_cast<char*>(space);
            if (copy > begin) ::munmap(begin, static_cast<std::size_t>(copy - begin));
            char* behind = copy + bytes;
            if (behind < begin + reserved) {
                ::munmap(behind, static_cast<std::size_t>(begin + reserved - behind));
            }
        } else {
            ::munmap(space, reserved);
            break;
        }
    }
    return moved;
}

}  // namespace atl::guest

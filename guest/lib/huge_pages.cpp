#include "guest/lib/huge_pages.hpp"

#include "guest/lib/memory_map.hpp"

#include <cstdint>
#include <sys/mman.h>

namespace atl::guest {

int gather_into_huge_pages() noexcept {
    int made = 0;
    for (const Mapping& one : read_memory_map()) {
        // Private, writable, of no file: heaps and arenas. The stack grows and shrinks; leave it.
        if (!one.is("rw-p") || one.inode != 0 || one.stack) continue;
        std::uintptr_t at = (one.begin + kHugePageBytes - 1) & ~(kHugePageBytes - 1);
        for (; at + kHugePageBytes <= one.end; at += kHugePageBytes) {
            if (::madvise(reinterpret_cast<void*>(at), kHugePageBytes, kMadvCollapse) == 0) ++made;
        }
    }
    return made;
}

}  // namespace atl::guest

#include "guest/lib/huge_pages.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <vector>

namespace atl::guest {

namespace {
constexpr int kMadvCollapse = 25;  // newer than Debian 12's headers
constexpr std::uintptr_t kHugeBytes = 2u << 20;
}  // namespace

int gather_into_huge_pages() noexcept {
    struct Area {
        std::uintptr_t begin, end;
    };
    std::vector<Area> areas;
    std::FILE* maps = std::fopen("/proc/self/maps", "re");
    if (maps == nullptr) return 0;
    char line[4352];
    while (std::fgets(line, sizeof line, maps) != nullptr) {
        unsigned long begin = 0, end = 0, inode = 0;
        char rights[8] = {};
        if (std::sscanf(line, "%lx-%lx %7s %*x %*s %lu", &begin, &end, rights, &inode) != 4)
            continue;
        // Private, writable, of no file: heaps and arenas. The stack grows and shrinks; leave it.
        if (std::strncmp(rights, "rw-p", 4) != 0 || inode != 0 ||
            std::strstr(line, "[stack]") != nullptr) {
            continue;
        }
        areas.push_back({begin, end});
    }
    std::fclose(maps);
    int made = 0;
    for (const auto& area : areas) {
        std::uintptr_t at = (area.begin + kHugeBytes - 1) & ~(kHugeBytes - 1);
        for (; at + kHugeBytes <= area.end; at += kHugeBytes) {
            if (::madvise(reinterpret_cast<void*>(at), kHugeBytes, kMadvCollapse) == 0) ++made;
        }
    }
    return made;
}

}  // namespace atl::guest

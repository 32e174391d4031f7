#include "guest/lib/memory_map.hpp"

#include <cstdio>

namespace atl::guest {

std::vector<Mapping> read_memory_map() {
    std::vector<Mapping> found;
    std::FILE* maps = std::fopen("/proc/self/maps", "re");
    if (maps == nullptr) return found;
    char line[4352];
    while (std::fgets(line, sizeof line, maps) != nullptr) {
        Mapping one;
        unsigned long begin = 0, end = 0;
        char name = '\0';
        const int fields = std::sscanf(line, "%lx-%lx %7s %lx %*s %lu %c", &begin, &end, one.rights,
                                       &one.offset, &one.inode, &name);
        if (fields < 5) continue;
        one.begin = begin;
        one.end = end;
        one.special = name == '[';
        one.stack = std::strstr(line, "[stack]") != nullptr;
        found.push_back(one);
    }
    std::fclose(maps);
    return found;
}

}  // namespace atl::guest

#pragma once
// This process's mappings, as /proc/self/maps lists them: ascending, without overlaps.
#include <cstdint>
#include <cstring>
#include <vector>

namespace atl::guest {

constexpr std::uintptr_t kSmallPageBytes = 4096;
constexpr std::uintptr_t kHugePageBytes = 2u << 20;
constexpr int kMadvCollapse = 25;  // newer than Debian 12's headers

struct Mapping {
    std::uintptr_t begin = 0, end = 0;
    unsigned long offset = 0, inode = 0;  // of the mapped file; no inode, no file
    char rights[8] = {};                  // as in "r-xp"
    bool stack = false;
    bool special = false;  // the heap, the stack and what the Linux kernel itself puts there

    [[nodiscard]] bool is(const char* wanted) const { return std::strncmp(rights, wanted, 4) == 0; }
};

// Empty if they cannot be read.
std::vector<Mapping> read_memory_map();

}  // namespace atl::guest

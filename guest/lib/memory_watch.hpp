#pragma once
// How much memory the sandbox's processes use, for hosts that give us no cgroup to hold it.
//
// Private pages, since what is shared with the zygote was paid for once; or shared memory where
// that is more: mapped (each page once), or in memory files that are only held open. So a program
// that uses both at once is seen at half at worst. In addition, what sockets hold
// (sys/socket_memory.hpp). Files in tmpfs have their own quota. System V segments that nobody has
// attached, shared mappings whose pages were let go, and memory files that are on their way through
// a socket are not seen. The loop looks ten times a second; a program can overshoot in between, by
// what RLIMIT_DATA lets one process have. Reading smaps takes some milliseconds, so it is left for
// when it may matter.
#include <cstdint>
#include <set>
#include <sys/types.h>

namespace atl::guest {

struct MemoryUse {
    std::uint64_t bytes = 0;
    std::uint64_t processes = 0;
    pid_t largest = 0;
};

// Kernels that are still our own code. They are closed to everybody until their walls stand, so
// their private pages cannot be told from the zygote's, which may exceed the sandbox's limit.
struct StartingKernels {
    std::set<pid_t> known;
    bool more = false;  // one has not told its process id yet
    [[nodiscard]] bool may_be(pid_t pid) const { return more || known.contains(pid); }
};

[[nodiscard]] MemoryUse measure_memory(const StartingKernels& starting = {});

// At least as much as measure_memory would find, in a fraction of the time: resident pages, shared
// ones too, and all memory files.
[[nodiscard]] std::uint64_t memory_bound();

// The data segment that this process has already: a fork starts with as much, and RLIMIT_DATA
// counts it.
[[nodiscard]] std::uint64_t own_data_bytes();

}  // namespace atl::guest

#pragma once
// How much memory there is, how much of it is left, and how much is ours.
#include <cstdint>

namespace atl::sys {

// What all sandboxes together could have: the machine's memory, or the limit of the cgroup that
// they are in, as in a container. The largest number when /proc does not say.
[[nodiscard]] std::uint64_t memory_total();
// MemAvailable of MemTotal, 0 to 1; 1 when /proc does not say.
[[nodiscard]] double memory_free();
// What this process has in memory; 0 when /proc does not say.
[[nodiscard]] std::uint64_t own_memory_bytes();

}  // namespace atl::sys

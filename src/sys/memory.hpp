#pragma once
// How much of the host's memory is left, and how much is ours.
#include <cstdint>

namespace atl::sys {

// MemAvailable of MemTotal, 0 to 1; 1 when /proc does not say.
[[nodiscard]] double memory_free();
// What this process has in memory; 0 when /proc does not say.
[[nodiscard]] std::uint64_t own_memory_bytes();

}  // namespace atl::sys

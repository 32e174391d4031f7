#pragma once
// How much of the host's memory is left.

namespace atl::sys {

// MemAvailable of MemTotal, 0 to 1; 1 when /proc does not say.
[[nodiscard]] double memory_free();

}  // namespace atl::sys

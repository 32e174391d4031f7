#pragma once
// The largest file in a session with a given disk limit: slightly less than that limit, so that a
// program gets "File too large" before it is stopped for its disk usage (decisions/0010).
#include <algorithm>
#include <cstdint>
#include <optional>

namespace atl::sessions {

[[nodiscard]] inline std::uint64_t largest_file(std::uint64_t file_bytes_max,
                                                std::optional<std::uint64_t> session_bytes_max) {
    if (!session_bytes_max) return file_bytes_max;
    const auto rest = std::min<std::uint64_t>(*session_bytes_max / 8, 128 << 10);
    return std::min(file_bytes_max, *session_bytes_max - rest);
}

}  // namespace atl::sessions

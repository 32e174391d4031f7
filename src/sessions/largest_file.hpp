#pragma once
// How large one file may be in a session that may keep so much on disk: a bit less than all of it,
// so that who meets this limit hears of it and is not stopped for the other (decisions/0010).
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

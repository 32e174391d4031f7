#pragma once
// Small files of the kernel (/proc, /sys, cgroups), read and written whole.
//
// Not for files that a guest can change: those are opened by the guest itself.
#include "base/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace atl::sys {

[[nodiscard]] std::optional<std::string> read_small_file(const std::string& path);
// The path must exist. One write(2): kernel files take their value in one piece.
Result<void> write_small_file(const std::string& path, std::string_view text);

// An Error about errno: "open /x: No such file or directory".
[[nodiscard]] Error errno_error(const std::string& what, Code code = Code::Internal);

}  // namespace atl::sys

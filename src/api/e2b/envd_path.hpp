#pragma once
// Paths as envd takes them: absolute, or relative to the user's home; `~` is the home.
#include <string>
#include <string_view>

namespace atl::api::e2b {

// Absolute, without dots, empty parts or a slash at the end; nothing is the home. Throws
// InvalidArgument for zero bytes and for what is too long.
[[nodiscard]] std::string envd_path(std::string_view path, std::string_view home,
                                    std::string_view field = "path");

// For messages and JSON, whatever bytes are in it.
[[nodiscard]] std::string shown_path(std::string_view path);

}  // namespace atl::api::e2b

#pragma once
// Paths of the host are no business of clients, nor of what runs in sandboxes.
#include <string>
#include <string_view>

namespace atl::core {

// The sentence with each absolute path in it replaced, but for those that a sandbox shows.
[[nodiscard]] std::string without_host_paths(std::string_view sentence);

}  // namespace atl::core

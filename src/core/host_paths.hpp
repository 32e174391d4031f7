#pragma once
// Removes paths of the host from messages to clients, models and sandboxes: they must not learn
// where the server keeps its files, and a model would look for such a path in its sandbox. The log
// has the full message.
#include "base/result.hpp"

#include <string>
#include <string_view>

namespace atl::core {

// The sentence with each absolute path in it replaced, but for those that a sandbox shows.
[[nodiscard]] std::string without_host_paths(std::string_view sentence);
[[nodiscard]] Error without_host_paths(Error error);

}  // namespace atl::core

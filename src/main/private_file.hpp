#pragma once
// A small file that nobody but the server's user reads (0600): replaced as a whole, or not at all.
//
// Blocks    on the disk: for a worker, or before anybody is served.
#include "base/result.hpp"

#include <string>

namespace atl::main {

// Empty: there is none. A file that others may read or write is refused: somebody else may have
// written it.
[[nodiscard]] Result<std::string> read_private_file(const std::string& path);
[[nodiscard]] Result<void> write_private_file(const std::string& path, const std::string& text);

}  // namespace atl::main

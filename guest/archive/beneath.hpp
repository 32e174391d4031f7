#pragma once
// Opens what lies beneath a directory, and never anything else: no link is followed on the way or
// at the end, so a directory that another process swaps for a link to /etc is an error and not a
// way out. Both packing and unpacking go through here for every path.
#include "base/fd.hpp"
#include "base/result.hpp"

#include <string>

namespace atl::archive {

// The caller's own directory: here links are followed, since the caller chose the path.
Result<UniqueFd> open_root(const std::string& path);

// `path` as relative_path() makes them; empty is the root itself.
Result<UniqueFd> open_beneath(int root, const std::string& path, int flags);

}  // namespace atl::archive

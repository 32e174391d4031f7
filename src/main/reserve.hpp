#pragma once
// Reserved disk space, so that a server whose disk is full can still start: opening its database
// takes some, and only a running server can remove sessions.
//
// Owns      <data>/.reserve, a file without meaning.
// Threads   the server's one, while it starts.
// Failure   none: where there is no room for a reserve there is none.
#include <string>

namespace atl::main {

void keep_reserve(const std::string& data_folder) noexcept;

// Whether the disk was full, and there was one.
bool give_up_reserve_if_full(const std::string& data_folder) noexcept;

}  // namespace atl::main

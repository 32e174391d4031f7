#pragma once
// A little room on the disk that nobody uses, so that a server whose disk is full can still start:
// its database takes some to be opened, and only a server that runs can remove sessions.
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

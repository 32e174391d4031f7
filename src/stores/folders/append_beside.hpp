#pragma once
// Appends to a file on a worker: a disk that is behind makes the writer wait, and that must not be
// the loop.
//
// Trusts    its caller for the descriptor, which stays open until this returns.
// On failure ErrorException: DiskFull, or Internal with the system's word. `what` begins it.
#include "base/workers.hpp"

#include <boost/asio/awaitable.hpp>
#include <string>

namespace atl::folders {

boost::asio::awaitable<void> append_beside(Workers& workers, int fd, std::string bytes,
                                           const char* what);

}  // namespace atl::folders

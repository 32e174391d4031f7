#pragma once
// A descriptor that the loop waits on.
//
// Asio registers it with epoll, and that can fail: each user has so many epoll watches
// (fs.epoll.max_user_watches), and sandboxes of the same user can use them up. Asio's constructors
// then throw an error of their own and forget to close the descriptor. These two fail as everything
// else does.
#include "base/fd.hpp"
#include "base/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

namespace atl {

// Unavailable where it cannot be watched. The descriptor is Asio's on success, and still the
// caller's otherwise.
[[nodiscard]] Result<boost::asio::posix::stream_descriptor> try_watched(
    const boost::asio::any_io_executor& executor, int fd);

// Throws instead, and then has closed it.
[[nodiscard]] boost::asio::posix::stream_descriptor watched(
    const boost::asio::any_io_executor& executor, UniqueFd fd);

}  // namespace atl

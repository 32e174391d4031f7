#include "base/watched.hpp"

#include <cerrno>

namespace atl {

namespace asio = boost::asio;

Result<asio::posix::stream_descriptor> try_watched(const asio::any_io_executor& executor, int fd) {
    asio::posix::stream_descriptor descriptor(executor);
    boost::system::error_code failed;
    descriptor.assign(fd, failed);
    if (!failed) return descriptor;
    const std::string why =
        failed.value() == ENOSPC
            ? "this user's epoll watches are used up (fs.epoll.max_user_watches)"
            : failed.message();
    return Error{Code::Unavailable, "the server cannot watch another descriptor: " + why};
}

asio::posix::stream_descriptor watched(const asio::any_io_executor& executor, UniqueFd fd) {
    auto descriptor = try_watched(executor, fd.get());
    if (!descriptor) throw ErrorException(descriptor.error());
    (void)fd.release();
    return std::move(*descriptor);
}

}  // namespace atl

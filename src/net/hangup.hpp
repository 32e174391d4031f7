#pragma once
// Inside net: who has hung up. An epoll of our own, because Asio's reports a half-closed socket
// only as readable, which it also is when the next request already waits; and because whoever does
// not ask should not pay: a plain request never comes here.
#include "base/fd.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstdint>
#include <functional>
#include <memory>

namespace atl::net {

class HangupWatch : public std::enable_shared_from_this<HangupWatch> {
public:
    using Callback = std::function<void(std::uint64_t)>;
    HangupWatch(const boost::asio::any_io_executor& executor, Callback callback);

    void start();
    void stop();
    // Told once, then forgotten. `key` comes back; a descriptor that was closed by then is no
    // matter. False: it cannot be watched now; whoever wants to know must look by itself.
    [[nodiscard]] bool watch(int fd, std::uint64_t key);
    // Whether the kernel would watch one more descriptor for this user.
    [[nodiscard]] bool has_room(int fd) noexcept;
    void forget(int fd) noexcept;

private:
    void wait();

    boost::asio::posix::stream_descriptor epoll_;
    Callback callback_;
};

// Right now, without waiting.
[[nodiscard]] bool has_hung_up(int fd) noexcept;
// In both directions: a reset, or both sides have ended. An end of the client's side alone is none.
[[nodiscard]] bool is_broken(int fd) noexcept;

}  // namespace atl::net

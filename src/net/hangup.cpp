#include "net/hangup.hpp"

#include "base/watched.hpp"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/epoll.h>

namespace atl::net {

namespace {

UniqueFd make_epoll() {
    UniqueFd fd(::epoll_create1(EPOLL_CLOEXEC));
    if (fd) return fd;
    const int cause = errno;
    throw ErrorException({Code::Internal, std::string("epoll_create1: ") + std::strerror(cause)});
}

}  // namespace

HangupWatch::HangupWatch(const boost::asio::any_io_executor& executor, Callback callback)
    : epoll_(watched(executor, make_epoll())), callback_(std::move(callback)) {}

void HangupWatch::start() { wait(); }

void HangupWatch::stop() {
    boost::system::error_code ignored;
    epoll_.close(ignored);
}

void HangupWatch::wait() {
    epoll_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                      [self = shared_from_this()](boost::system::error_code failed) {
                          if (failed || !self->epoll_.is_open()) return;
                          epoll_event events[64];
                          const int count =
                              ::epoll_wait(self->epoll_.native_handle(), events, 64, 0);
                          for (int i = 0; i < count; ++i) self->callback_(events[i].data.u64);
                          if (self->epoll_.is_open()) self->wait();
                      });
}

bool HangupWatch::watch(int fd, std::uint64_t key) {
    if (!epoll_.is_open()) return true;  // the server has stopped: nobody is told any more
    epoll_event event{};
    event.events = EPOLLRDHUP | EPOLLONESHOT;  // errors and full hang-ups are always told
    event.data.u64 = key;
    if (::epoll_ctl(epoll_.native_handle(), EPOLL_CTL_ADD, fd, &event) == 0) return true;
    return errno == EEXIST && ::epoll_ctl(epoll_.native_handle(), EPOLL_CTL_MOD, fd, &event) == 0;
}

bool HangupWatch::has_room(int fd) noexcept {
    if (!epoll_.is_open()) return true;
    epoll_event event{};
    if (::epoll_ctl(epoll_.native_handle(), EPOLL_CTL_ADD, fd, &event) != 0) return false;
    ::epoll_ctl(epoll_.native_handle(), EPOLL_CTL_DEL, fd, nullptr);
    return true;
}

void HangupWatch::forget(int fd) noexcept {
    if (epoll_.is_open()) ::epoll_ctl(epoll_.native_handle(), EPOLL_CTL_DEL, fd, nullptr);
}

bool has_hung_up(int fd) noexcept {
    pollfd asked{fd, POLLRDHUP, 0};
    return ::poll(&asked, 1, 0) > 0;
}

bool is_broken(int fd) noexcept {
    pollfd asked{fd, 0, 0};
    return ::poll(&asked, 1, 0) > 0 && (asked.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
}

}  // namespace atl::net

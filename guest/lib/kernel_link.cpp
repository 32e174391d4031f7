// The kernel's end of its link to PID 1, called from Python through ctypes (guest/python/link.py).
//
// A kernel waits for its next command in here: one thread, a known set of descriptors. The buffer
// belongs to the library; a message's bytes stay valid until the next receive.
#include "guest/lib/kernel.hpp"
#include "guest/lib/walls.hpp"
#include "sys/confine.hpp"
#include "sys/syscalls.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace {

constexpr std::uint32_t kMessageBytesMax = 1u << 30;
constexpr std::int64_t kClosed = -1;
constexpr std::int64_t kSignal = -2;  // a signal came: Python's handlers run first

// 1 when all bytes are there, 0 on end of stream.
bool read_all(int fd, char* into, std::size_t size) {
    while (size > 0) {
        const ssize_t n = ::read(fd, into, size);
        if (n < 0 && errno == EINTR) continue;  // in mid-message: finish it
        if (n <= 0) return false;
        into += n;
        size -= static_cast<std::size_t>(n);
    }
    return true;
}

// The last wall, before the first byte of somebody's: a kernel that cannot raise it must not run.
void enter_landlock() {
    const int rules = atl::sys::make_landlock_ruleset(atl::guest::kWritable);
    if (rules < 0) {
        if (atl::sys::landlock_abi() >= 1) ::_exit(126);
        return;  // a host without Landlock: `atoll doctor` says what that costs
    }
    if (atl::sys::landlock_restrict_self(rules) != 0) ::_exit(126);
    ::close(rules);
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] std::int64_t atoll_kernel_receive(int fd, std::uint8_t* type,
                                                                 std::uint8_t** data) {
    static std::string buffer;
    char header[atl::guest::kKernelMessageHeader];
    std::uint32_t length = 0;
    for (;;) {
        pollfd waiting{fd, POLLIN, 0};
        if (::poll(&waiting, 1, -1) < 0) return errno == EINTR ? kSignal : kClosed;
        if (!read_all(fd, header, sizeof header)) return kClosed;
        std::memcpy(&length, header, sizeof length);
        if (header[4] != atl::guest::kKernelSeal) break;
        enter_landlock();
    }
    if (length > kMessageBytesMax) return kClosed;
    buffer.resize(length);
    if (!read_all(fd, buffer.data(), length)) return kClosed;
    *type = static_cast<std::uint8_t>(header[4]);
    *data = reinterpret_cast<std::uint8_t*>(buffer.data());
    return length;
}

[[gnu::visibility("default")]] int atoll_kernel_send(int fd, std::uint8_t type,
                                                     const std::uint8_t* data, std::size_t length) {
    if (length > kMessageBytesMax) return -1;
    const auto size = static_cast<std::uint32_t>(length);
    char header[5];
    std::memcpy(header, &size, sizeof size);
    header[4] = static_cast<char>(type);
    iovec pieces[2] = {{header, sizeof header}, {const_cast<std::uint8_t*>(data), length}};
    msghdr message{};
    message.msg_iov = pieces;
    message.msg_iovlen = 2;
    while (pieces[0].iov_len + pieces[1].iov_len > 0) {
        const ssize_t sent = ::sendmsg(fd, &message, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return -1;
        auto left = static_cast<std::size_t>(sent);
        for (auto& piece : pieces) {
            const std::size_t step = left < piece.iov_len ? left : piece.iov_len;
            piece.iov_base = static_cast<char*>(piece.iov_base) + step;
            piece.iov_len -= step;
            left -= step;
        }
    }
    return 0;
}

}  // extern "C"

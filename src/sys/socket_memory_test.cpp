#include "sys/socket_memory.hpp"

#include "base/fd.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>

namespace atl::sys {

namespace {

std::uint64_t fill(int socket) {
    const std::string piece(16 * 1024, 'x');
    std::uint64_t sent = 0;
    for (;;) {
        const ssize_t n = ::send(socket, piece.data(), piece.size(), MSG_DONTWAIT);
        if (n <= 0) return sent;
        sent += static_cast<std::uint64_t>(n);
    }
}

std::uint64_t held_by(const UniqueFd& socket) {
    struct stat info {};
    ::fstat(socket.get(), &info);
    const auto memory = socket_memory();
    const auto found = memory.of.find(info.st_ino);
    return found == memory.of.end() ? 0 : found->second;
}

}  // namespace

TEST(SocketMemory, CountsWhatAUnixSocketHasSent) {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    UniqueFd sender(ends[0]);
    const UniqueFd receiver(ends[1]);
    EXPECT_EQ(held_by(sender), 0u);
    const auto sent = fill(sender.get());
    ASSERT_GT(sent, 64u * 1024);
    EXPECT_GE(held_by(sender), sent);
    // The sender goes, and what it sent stays with the one who has not read it.
    sender = UniqueFd();
    EXPECT_GE(held_by(receiver), sent);
}

TEST(SocketMemory, CountsTcpOnBothSides) {
    const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    ASSERT_EQ(::bind(listener.get(), any, size), 0);
    ASSERT_EQ(::listen(listener.get(), 1), 0);
    ASSERT_EQ(::getsockname(listener.get(), any, &size), 0);
    const UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(client.get(), any, size), 0);
    const UniqueFd server(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    const auto sent = fill(client.get());
    ASSERT_GT(sent, 64u * 1024);
    EXPECT_GE(held_by(client) + held_by(server), sent / 2);
}

}  // namespace atl::sys

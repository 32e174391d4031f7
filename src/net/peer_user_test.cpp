// Who is at the other end of a connection over loopback, and all those who only look like it.
#include "net/peer_user.hpp"

#include <arpa/inet.h>
#include <cstring>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <unistd.h>

namespace atl::net {

namespace {

// A listener on loopback and one connection to it.
struct Pair {
    UniqueFd listener, client, server;
};

sockaddr_in6 mapped(const sockaddr_in& from) {
    sockaddr_in6 wide{};
    wide.sin6_family = AF_INET6;
    wide.sin6_port = from.sin_port;
    wide.sin6_addr.s6_addr[10] = wide.sin6_addr.s6_addr[11] = 0xff;
    std::memcpy(&wide.sin6_addr.s6_addr[12], &from.sin_addr, 4);
    return wide;
}

Pair connected(bool through_v6 = false, uid_t as = static_cast<uid_t>(-1)) {
    Pair pair;
    pair.listener = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof at;
    EXPECT_EQ(::bind(pair.listener.get(), reinterpret_cast<sockaddr*>(&at), bytes), 0);
    EXPECT_EQ(::listen(pair.listener.get(), 8), 0);
    EXPECT_EQ(::getsockname(pair.listener.get(), reinterpret_cast<sockaddr*>(&at), &bytes), 0);
    if (as != static_cast<uid_t>(-1)) ::setfsuid(as);
    pair.client =
        UniqueFd(::socket(through_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (as != static_cast<uid_t>(-1)) ::setfsuid(::geteuid());
    const int on = 1;
    ::setsockopt(pair.client.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const sockaddr_in6 wide = mapped(at);
    EXPECT_EQ(
        through_v6
            ? ::connect(pair.client.get(), reinterpret_cast<const sockaddr*>(&wide), sizeof wide)
            : ::connect(pair.client.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at),
        0);
    pair.server = UniqueFd(::accept4(pair.listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    return pair;
}

class PeerUser : public testing::TestWithParam<PeerUsers::Ways> {
protected:
    PeerUsers users{GetParam()};
};

}  // namespace

TEST_P(PeerUser, IsTheOneWhoMadeTheSocket) {
    const auto pair = connected();
    EXPECT_EQ(users.of(pair.server.get()), ::geteuid());
    const auto other = connected();
    EXPECT_EQ(users.of(other.server.get()), ::geteuid());
}

TEST_P(PeerUser, IsFoundThroughASocketOfTheOtherFamily) {
    const auto pair = connected(true);
    EXPECT_EQ(users.of(pair.server.get()), ::geteuid());
}

TEST_P(PeerUser, IsAnotherWhereItIsAnother) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    const auto pair = connected(false, 4321);
    EXPECT_EQ(users.of(pair.server.get()), uid_t{4321});
}

TEST_P(PeerUser, IsKnownAlsoWhenItHasSaidAll) {
    const auto pair = connected();
    ::shutdown(pair.client.get(), SHUT_WR);
    EXPECT_EQ(users.of(pair.server.get()), ::geteuid());
}

// The kernel calls the sockets of nobody root's.
TEST_P(PeerUser, WhoHasGoneIsNobody) {
    auto pair = connected();
    pair.client.reset();
    EXPECT_FALSE(users.of(pair.server.get()).has_value());
}

TEST_P(PeerUser, WhoWasCutOffIsNobody) {
    auto pair = connected();
    const linger at_once{1, 0};
    ::setsockopt(pair.client.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    pair.client.reset();
    EXPECT_FALSE(users.of(pair.server.get()).has_value());
}

// Who has gone left a port behind, and somebody listens there.
TEST_P(PeerUser, AListenerOnThePortIsNotTheOtherEnd) {
    Pair pair;
    UniqueFd listener;
    // Somebody else on this machine may be given the port first; then another one.
    for (int tries = 0; !listener; ++tries) {
        ASSERT_LT(tries, 100);
        pair = connected();
        sockaddr_in at{};
        socklen_t bytes = sizeof at;
        ASSERT_EQ(::getsockname(pair.client.get(), reinterpret_cast<sockaddr*>(&at), &bytes), 0);
        pair.client.reset();
        UniqueFd one(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const int on = 1;
        ::setsockopt(one.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        const bool bound = ::bind(one.get(), reinterpret_cast<sockaddr*>(&at), bytes) == 0;
        if (bound) listener = std::move(one);
    }
    ASSERT_EQ(::listen(listener.get(), 1), 0);
    EXPECT_FALSE(users.of(pair.server.get()).has_value());
}

TEST_P(PeerUser, AnythingElseIsNobody) {
    const UniqueFd lonely(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_FALSE(users.of(lonely.get()).has_value());
    EXPECT_FALSE(users.of(-1).has_value());
}

INSTANTIATE_TEST_SUITE_P(Ways, PeerUser,
                         testing::Values(PeerUsers::Ways::Both, PeerUsers::Ways::ProcOnly),
                         [](const auto& row) {
                             return row.param == PeerUsers::Ways::Both ? "Netlink" : "Proc";
                         });

}  // namespace atl::net

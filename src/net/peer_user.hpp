#pragma once
// Inside net: which user is at the other end of a TCP connection over loopback.
//
// The kernel is asked for the socket whose ends are ours, swapped (NETLINK_SOCK_DIAG), or where
// that is not allowed, /proc/net/tcp is read. Both say whose process made that socket.
//
// Owns      a netlink socket, made at the first question.
// Threads   the server's one.
// Trusts    the kernel. Whatever is not certain is no answer:
//           - a socket that its process has closed has no inode, and the kernel then calls it
//           root's;
//           - a listener on the client's port, or somebody who just tries to connect from the same
//             port, is not the other end: an established or a half-closed socket is;
//           - a connection that was reset while we asked may have lost its port to somebody else.
#include "base/fd.hpp"

#include <cstdint>
#include <optional>
#include <sys/types.h>

namespace atl::net {

class PeerUsers {
public:
    PeerUsers();
    // `socket` is ours, accepted.
    [[nodiscard]] std::optional<uid_t> of(int socket);

    enum class Ways { Both, ProcOnly };  // for tests
    explicit PeerUsers(Ways ways);

private:
    UniqueFd netlink_;
    bool by_netlink_ = true;
    bool proven_ = false;  // it has found something
    // Users whom our user namespace does not know all look like this one.
    std::optional<uid_t> unknown_;
    std::uint32_t sequence_ = 0;
};

}  // namespace atl::net

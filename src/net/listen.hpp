#pragma once
// Inside net: listening sockets and the names of their ends.
#include "base/fd.hpp"
#include "base/result.hpp"
#include "net/message.hpp"

#include <string>

namespace atl::net {

struct Bound {
    UniqueFd socket;
    std::string address;    // as bound: "127.0.0.1:38123"
    std::string unix_path;  // empty for TCP
};

// "127.0.0.1:80", "[::1]:80" or "unix:/path". A socket file that nobody listens on any more is
// replaced; any other file is not.
[[nodiscard]] Result<Bound> listen_on(const std::string& address, unsigned unix_mode);

struct Accepted {
    UniqueFd socket;
    Peer peer;
    std::string limit_key;  // what connections_per_address_max counts; empty for unix sockets
    bool loopback = false;  // TCP from this machine to itself
    int cause = 0;          // errno, when there is no socket
};
[[nodiscard]] Accepted accept_one(int listener);

}  // namespace atl::net

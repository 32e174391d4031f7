#pragma once
// What runs in a sandbox, apart from its kernels: programs that a client started, and what runs
// left behind.
//
// Trusts    nothing that the guest says: what it lists is counted and cut to size here.
#include "guest_client/guest_link.hpp"

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace atl::guest_client {

struct RunningProgram {
    std::int64_t pid = 0;
    std::string command;
};

// A guest that cannot say it, or not in time, has none. Throws ErrorException when the link ends.
boost::asio::awaitable<std::vector<RunningProgram>> list_programs(
    std::shared_ptr<GuestLink> link, std::chrono::milliseconds patience);

}  // namespace atl::guest_client

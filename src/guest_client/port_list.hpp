#pragma once
// The ports on which programs of a sandbox listen.
//
// Trusts    nothing that the guest says: what it lists is counted and checked here.
#include "guest_client/guest_link.hpp"

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <set>

namespace atl::guest_client {

// Throws ErrorException: Timeout, or what the guest says.
boost::asio::awaitable<std::set<std::uint16_t>> list_ports(std::shared_ptr<GuestLink> link,
                                                           std::chrono::milliseconds patience);

}  // namespace atl::guest_client

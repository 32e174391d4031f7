#pragma once
// Whether a guest still answers.
//
// PID 1 of a sandbox never blocks, so one that answers nothing has hung, and whatever was asked of
// it would be waited for in vain: a file's size as much as a terminal. Rather than a deadline at
// each call, somebody who looks after the link asks it a small question now and then while others
// wait for it, and closes it if no answer comes: all that waited for the guest then ends at once.
#include "guest_client/guest_link.hpp"

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>

namespace atl::guest_client {

inline constexpr std::chrono::seconds kPulseEvery{10};  // while somebody waits for the guest

// Returns when the guest has answered or the link is closed. If no answer comes for three steps in
// which the sandbox did not stand still, calls `hung` and closes the link.
boost::asio::awaitable<void> check_pulse(std::shared_ptr<GuestLink> link,
                                         std::function<void()> hung,
                                         std::chrono::milliseconds step = std::chrono::seconds{10});

}  // namespace atl::guest_client

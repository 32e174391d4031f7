#pragma once
// Whether a guest still answers.
//
// PID 1 of a sandbox never blocks, so one that does not answer has hung, and every call to it
// would wait forever. Instead of a deadline for each call, the link is probed from time to time
// while somebody waits for the guest, and closed if there is no answer. Then all waiting calls fail
// at once.
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

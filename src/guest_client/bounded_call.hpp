#pragma once
// A call to a guest that is given up, and cancelled there, when it takes too long. The link stays:
// see CallDeadline for calls that a guest must not outlive.
#include "guest_client/guest_link.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <memory>
#include <optional>

namespace atl::guest_client {

// Nothing when it took longer. Throws ErrorException when the call fails.
boost::asio::awaitable<std::optional<boost::json::object>> call_within(
    std::chrono::milliseconds time, std::shared_ptr<GuestLink> link, boost::json::object request);

}  // namespace atl::guest_client

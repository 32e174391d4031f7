#pragma once
// The messages that the runtime itself exchanges with a new guest before it hands the stream on:
// the hello, warming a pool member, and the claim.
//
// Trusts    nothing: a guest that answers wrongly or too late is an error, and its sandbox is
//           destroyed.
#include "base/result.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <span>

namespace atl::native {

// A message that could not be sent for a reason that may pass (ETOOMANYREFS above all: descriptors
// of others in flight) is tried so often, and so far apart.
inline constexpr int kSendTriesMax = 10;
inline constexpr std::chrono::milliseconds kSendPause{20};

// Throws ErrorException, also with the wall that could not be raised.
boost::asio::awaitable<void> expect_hello(int stream, std::chrono::milliseconds time_max);

// The request alone: its answer comes to the stream's next owner.
boost::asio::awaitable<void> tell_guest(int stream, std::uint32_t channel,
                                        const boost::json::object& request,
                                        std::span<const int> descriptors,
                                        std::chrono::milliseconds time_max);

// One request on `channel` (below 16), answered by an end frame. `descriptors` travel along.
boost::asio::awaitable<boost::json::object> ask_guest(int stream, std::uint32_t channel,
                                                      const boost::json::object& request,
                                                      std::span<const int> descriptors,
                                                      std::chrono::milliseconds time_max);

}  // namespace atl::native

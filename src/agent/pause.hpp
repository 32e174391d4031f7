#pragma once
// A wait of some length in a coroutine. Cancelling the coroutine ends it early.
#include <boost/asio/awaitable.hpp>
#include <chrono>

namespace atl::agent {

boost::asio::awaitable<void> pause(std::chrono::milliseconds time);

}  // namespace atl::agent

#include "agent/pause.hpp"
#include "base/as_tuple.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace atl::agent {

boost::asio::awaitable<void> pause(std::chrono::milliseconds time) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, time);
    co_await timer.async_wait(kAsTuple);
}

}  // namespace atl::agent

#include "sessions/bell.hpp"
#include "base/as_tuple.hpp"

#include <boost/asio/use_awaitable.hpp>

namespace atl::sessions {

namespace asio = boost::asio;

asio::awaitable<void> Bell::after(std::uint64_t seen, Moment until) {
    if (rung_ != seen) co_return;
    core::Timer late(came_.get_executor(), clock_);
    if (until != Moment::max()) {
        late.expires_at(until);
        late.then([this] { came_.cancel(); });
    }
    co_await came_.async_wait(kAsTuple);
}

}  // namespace atl::sessions

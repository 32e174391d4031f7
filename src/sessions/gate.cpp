#include "sessions/gate.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace atl::sessions {

namespace asio = boost::asio;

asio::awaitable<Gate::Turn> Gate::enter() {
    if (!busy_) {
        busy_ = true;
        co_return Turn(this);
    }
    const auto executor = co_await asio::this_coro::executor;
    auto turn =
        std::make_shared<asio::steady_timer>(executor, asio::steady_timer::time_point::max());
    waiting_.push_back(turn);
    // Whoever leaves hands the gate over: it stays busy, and nobody can slip in between.
    co_await turn->async_wait(asio::as_tuple(asio::use_awaitable));
    co_return Turn(this);
}

void Gate::leave() noexcept {
    if (waiting_.empty()) {
        busy_ = false;
        return;
    }
    const auto next = waiting_.front();
    waiting_.pop_front();
    next->cancel();
}

}  // namespace atl::sessions

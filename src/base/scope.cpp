#include "base/scope.hpp"
#include "base/as_tuple.hpp"

#include <boost/asio/use_awaitable.hpp>

namespace atl {

namespace asio = boost::asio;

void Scope::spawn(asio::awaitable<void> work) {
    ++state_->running;
    const auto done = [state = state_](std::exception_ptr failed) {
        if (failed && !state->failed) state->failed = failed;
        if (--state->running > 0) return;
        state->ended.cancel();
        if (const auto timer = state->ended_in_time.lock()) timer->cancel();
    };
    asio::co_spawn(executor_, std::move(work), done);
}

asio::awaitable<void> Scope::join() {
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    const auto state = state_;
    while (state->running > 0) { co_await state->ended.async_wait(kAsTuple); }
    if (state->failed) std::rethrow_exception(std::exchange(state->failed, nullptr));
}

asio::awaitable<bool> Scope::ended_by(std::chrono::steady_clock::time_point until) {
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    const auto state = state_;
    const auto timer = std::make_shared<asio::steady_timer>(executor_, until);
    state->ended_in_time = timer;
    while (state->running > 0 && std::chrono::steady_clock::now() < until) {
        co_await timer->async_wait(kAsTuple);
    }
    co_return state->running == 0;
}

}  // namespace atl

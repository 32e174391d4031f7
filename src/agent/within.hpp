#pragma once
// Awaits an operation with a timeout and a cancellation signal (cancellation.hpp), whichever comes
// first.
//
//     auto reply = co_await within(model.chat(request, listener), cancellation,
//     std::chrono::seconds{30});
//
// Returns nothing on timeout or cancellation; then the operation is cancelled and awaited. An
// exception of the operation is passed on.
// Threads   one, the executor's of the awaiting coroutine.
#include "agent/cancellation.hpp"
#include "base/as_tuple.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace atl::agent {

inline constexpr std::chrono::milliseconds kNoEnd = std::chrono::milliseconds::max();

template <class T>
boost::asio::awaitable<std::optional<T>> within(boost::asio::awaitable<T> work,
                                                Cancellation& cancellation,
                                                std::chrono::milliseconds time) {
    namespace asio = boost::asio;
    // Shared: whoever waits may be destroyed before the work has ended.
    struct State {
        explicit State(const asio::any_io_executor& executor)
            : done(executor, asio::steady_timer::time_point::max()), clock(executor) {}
        asio::cancellation_signal cancel;
        asio::steady_timer done;
        asio::steady_timer clock;
        std::optional<T> value;
        std::exception_ptr failed;
        bool ended = false;
        bool late = false;
    };
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    const auto state = std::make_shared<State>(executor);
    const auto end = [state](std::exception_ptr error, T value) {
        state->failed = error;
        if (!error) state->value.emplace(std::move(value));
        state->ended = true;
        state->done.cancel();
    };
    asio::co_spawn(executor, std::move(work),
                   asio::bind_cancellation_slot(state->cancel.slot(), end));
    if (time != kNoEnd) {
        state->clock.expires_after(time);
        state->clock.async_wait([weak = std::weak_ptr(state)](boost::system::error_code cancelled) {
            const auto there = weak.lock();
            if (cancelled || !there || there->ended) return;
            there->late = true;
            there->cancel.emit(asio::cancellation_type::terminal);
        });
    }
    {
        const auto give_up = [state] {
            if (!state->ended) state->cancel.emit(asio::cancellation_type::terminal);
        };
        const Cancellation::Handler handler(cancellation, give_up);
        while (!state->ended) { co_await state->done.async_wait(kAsTuple); }
    }
    state->clock.cancel();
    if (cancellation.requested() || state->late) co_return std::nullopt;
    if (state->failed) std::rethrow_exception(state->failed);
    co_return std::move(state->value);
}

}  // namespace atl::agent

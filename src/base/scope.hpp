#pragma once
// Owns spawned coroutines, and waits for their end.
//
//     const auto talk = [&](Scope& scope) -> asio::awaitable<void> {
//         scope.spawn(pump(link, socket));     // may refer to whatever outlives the scope
//         co_await answer(socket);
//     };
//     co_await in_scope(talk);                 // here all of it has ended, also if it threw
//
// A class whose work outlives a call has a Scope as its last member; its stop() awaits join().
//
// Owns      the coroutines that were spawned, until they end.
// Threads   one, its executor's.
// A scope cancels nothing: a coroutine that is cancelled in the middle leaves in the middle.
// Whoever ends a scope first makes its work end (closes the link, cancels the timer), then joins.
// If work throws, join() throws the first of it; the rest goes on until it ends by itself.
#include "base/must.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

namespace atl {

class Scope {
public:
    explicit Scope(boost::asio::any_io_executor executor)
        : executor_(executor), state_(std::make_shared<State>(executor)) {}
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() { must(state_->running == 0, "a scope ends after the work in it"); }

    // A coroutine, or a function that makes one, which is kept until its coroutine has ended.
    // Begins in the next loop iteration.
    void spawn(boost::asio::awaitable<void> work);
    template <class Work>
    requires std::is_invocable_r_v<boost::asio::awaitable<void>, Work&> void spawn(Work work) {
        spawn(keep(std::move(work)));
    }

    // Returns once nothing is running. Cancelling the caller does not cut this short: the work may
    // refer to what the caller has.
    boost::asio::awaitable<void> join();
    // Waits as join() does, but not longer than that, and throws nothing: whether nothing is
    // running. If something is, the scope must not be destroyed yet. One waiter at a time.
    boost::asio::awaitable<bool> ended_by(std::chrono::steady_clock::time_point until);

    [[nodiscard]] std::size_t running() const noexcept { return state_->running; }
    [[nodiscard]] const boost::asio::any_io_executor& executor() const noexcept {
        return executor_;
    }

private:
    template <class Work>
    static boost::asio::awaitable<void> keep(Work work) {
        co_await work();
    }

    // Shared with each completion, which may come when the loop itself is torn down.
    struct State {
        explicit State(boost::asio::any_io_executor executor)
            : ended(executor, boost::asio::steady_timer::time_point::max()) {}
        std::size_t running = 0;
        std::exception_ptr failed;
        boost::asio::steady_timer ended;  // never expires; cancelled when nothing runs
        // The same for waits with a timeout: one timer has one expiry.
        std::weak_ptr<boost::asio::steady_timer> ended_in_time;
    };

    boost::asio::any_io_executor executor_;
    std::shared_ptr<State> state_;
};

// Runs `body` with a scope, then waits for what it spawned. Throws what the body threw, or else the
// first of what its work threw. A body that fails must not leave work behind that never ends: tell
// it to end before throwing.
template <class Body>
requires std::is_invocable_r_v<boost::asio::awaitable<void>, Body&, Scope&>
    boost::asio::awaitable<void> in_scope(Body body) {
    namespace asio = boost::asio;
    Scope scope(co_await asio::this_coro::executor);
    std::exception_ptr failed;
    try {
        co_await body(scope);
    } catch (...) { failed = std::current_exception(); }
    // Were this coroutine cancelled, the next co_await would throw and leave the work behind.
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    try {
        co_await scope.join();
    } catch (...) {
        if (!failed) failed = std::current_exception();
    }
    if (failed) std::rethrow_exception(failed);
}

}  // namespace atl

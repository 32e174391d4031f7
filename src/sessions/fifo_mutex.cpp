#include "sessions/fifo_mutex.hpp"

#include "base/as_tuple.hpp"
#include "base/must.hpp"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace atl::sessions {

namespace asio = boost::asio;

// A place in the queue, for as long as a coroutine waits in it.
class FifoMutex::InQueue {
public:
    InQueue(std::shared_ptr<State> state, std::shared_ptr<Waiter> waiter)
        : state_(std::move(state)), waiter_(std::move(waiter)) {
        state_->waiting.push_back(waiter_);
    }
    InQueue(const InQueue&) = delete;
    InQueue& operator=(const InQueue&) = delete;
    ~InQueue() {
        if (!state_) return;
        if (waiter_->owns) {
            state_->unlock();
        } else {
            std::erase(state_->waiting, waiter_);
        }
    }
    // It owns the mutex, and from now on a guard does.
    [[nodiscard]] std::shared_ptr<State> leave() { return std::exchange(state_, nullptr); }

private:
    std::shared_ptr<State> state_;
    std::shared_ptr<Waiter> waiter_;
};

asio::awaitable<FifoMutex::Guard> FifoMutex::lock(std::shared_ptr<State> state) {
    if (!state->locked) {
        must(state->waiting.empty(), "nobody waits for a mutex that is free");
        state->locked = true;
        co_return Guard(std::move(state));
    }
    const auto waiter = std::make_shared<Waiter>(co_await asio::this_coro::executor);
    InQueue waiting(std::move(state), waiter);
    // A wait that was cancelled returns as well, and then the next co_await throws.
    while (!waiter->owns) co_await waiter->owns_changed.async_wait(kAsTuple);
    co_return Guard(waiting.leave());
}

// Hands it over: it stays locked, and nobody can slip in between.
void FifoMutex::State::unlock() noexcept {
    must(locked, "only a mutex that is locked is unlocked");
    if (waiting.empty()) {
        locked = false;
        return;
    }
    const auto next = std::move(waiting.front());
    waiting.pop_front();
    next->owns = true;
    next->owns_changed.cancel();
}

}  // namespace atl::sessions

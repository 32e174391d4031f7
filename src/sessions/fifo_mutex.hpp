#pragma once
// A FIFO mutex for coroutines on one executor.
//
//     const auto lock = co_await mutex.lock();     // held until it goes out of scope
//
// Threads   the executor's one.
// A waiter that is cancelled or destroyed leaves the queue; if it had just been given the mutex, it
// passes it on. The mutex may go before its waiters and guards.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <memory>
#include <utility>

namespace atl::sessions {

class FifoMutex {
    struct State;

public:
    class [[nodiscard]] Guard {
    public:
        Guard(Guard&& other) noexcept = default;
        Guard& operator=(Guard&&) = delete;
        ~Guard() {
            if (state_) state_->unlock();
        }

    private:
        friend class FifoMutex;
        explicit Guard(std::shared_ptr<State> state) : state_(std::move(state)) {}
        std::shared_ptr<State> state_;
    };

    // Throws when the caller is cancelled while it waits.
    [[nodiscard]] boost::asio::awaitable<Guard> lock() { return lock(state_); }
    [[nodiscard]] bool locked() const noexcept { return state_->locked; }

private:
    struct Waiter {
        explicit Waiter(boost::asio::any_io_executor executor)
            : owns_changed(std::move(executor), boost::asio::steady_timer::time_point::max()) {}
        boost::asio::steady_timer owns_changed;
        bool owns = false;
    };
    struct State {
        bool locked = false;
        std::deque<std::shared_ptr<Waiter>> waiting;
        void unlock() noexcept;
    };
    class InQueue;
    static boost::asio::awaitable<Guard> lock(std::shared_ptr<State> state);

    std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace atl::sessions

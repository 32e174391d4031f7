#pragma once
// One at a time, in the order of asking, for coroutines of one thread.
//
//     auto turn = co_await gate.enter();     // held until it goes out of scope
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <memory>
#include <utility>

namespace atl::sessions {

class Gate {
public:
    class [[nodiscard]] Turn {
    public:
        Turn(Turn&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
        Turn& operator=(Turn&&) = delete;
        ~Turn() {
            if (gate_ != nullptr) gate_->leave();
        }

    private:
        friend class Gate;
        explicit Turn(Gate* gate) : gate_(gate) {}
        Gate* gate_;
    };

    // The gate must outlive whoever waits at it.
    boost::asio::awaitable<Turn> enter();
    [[nodiscard]] bool busy() const noexcept { return busy_; }

private:
    void leave() noexcept;

    bool busy_ = false;
    std::deque<std::shared_ptr<boost::asio::steady_timer>> waiting_;
};

}  // namespace atl::sessions

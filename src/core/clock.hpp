#pragma once
// Interface: time. Code that measures a duration, or waits for one, gets its clock from whoever
// created it, so that a test can make hours pass in a millisecond.
//
//     Timer late(executor, clock);
//     late.expires_after(10s);
//     if (co_await late.wait()) …            // true: so much time has passed; false: cancelled
//
// Waiting for a condition is not waiting for time: that stays an asio::steady_timer at
// time_point::max(), which somebody cancels.
// Owns      a Timer what waits on it. The clock is borrowed and outlives its timers.
// Threads   one, the executor's.
#include "core/records.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace atl::core {

using Moment = std::chrono::steady_clock::time_point;

class Clock {
public:
    // One setting of a Timer. A clock that does not follow the machine's leaves `timer` at
    // time_point::max(); when the time is there it sets `came` and cancels.
    struct Alarm {
        Alarm(const boost::asio::any_io_executor& executor, Moment when)
            : timer(executor, Moment::max()), at(when) {}
        boost::asio::steady_timer timer;
        const Moment at;
        bool came = false;
        std::uint64_t cancelled = 0;  // how often
    };

    virtual ~Clock() = default;
    [[nodiscard]] virtual Moment now() const noexcept = 0;  // never moves back
    [[nodiscard]] virtual Time wall() const noexcept = 0;   // what people call the time
    virtual void set(const std::shared_ptr<Alarm>& alarm) = 0;
};

// The machine's own. Lives as long as the program.
[[nodiscard]] Clock& system_clock() noexcept;

class Timer {
public:
    Timer(boost::asio::any_io_executor executor, Clock& clock)
        : executor_(std::move(executor)), clock_(clock) {}
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    ~Timer() { cancel(); }

    // Whoever waited for the time that was set before is cancelled.
    void expires_at(Moment when);
    void expires_after(std::chrono::steady_clock::duration time) {
        expires_at(clock_.now() + time);
    }
    [[nodiscard]] Moment expiry() const noexcept { return alarm_ ? alarm_->at : Moment{}; }
    // The setting stays; whoever waits next waits for the rest of it.
    void cancel() noexcept;

    // True when the time has come, false when it was cancelled, or the coroutine was. At once when
    // nothing was ever set.
    boost::asio::awaitable<bool> wait();
    // Calls it when the time has come. Never after cancel(), and never when the timer is gone: it
    // may refer to whatever outlives the timer.
    void then(std::function<void()> call);

private:
    boost::asio::any_io_executor executor_;
    Clock& clock_;
    std::shared_ptr<Clock::Alarm> alarm_;
};

}  // namespace atl::core

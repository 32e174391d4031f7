#pragma once
// A clock that stands until it is told to go on, and a loop that lets time pass only when nothing
// else is left to do. So an hour of waiting takes no time, and always happens in the same order.
//
//     ScriptedClock clock;
//     run_until(loop, clock, [&] { return done; }, 10min);
//
// Threads   one.
#include "core/clock.hpp"

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <utility>

namespace atl::testing {

class ScriptedClock final : public core::Clock {
public:
    [[nodiscard]] core::Moment now() const noexcept override { return now_; }
    [[nodiscard]] core::Time wall() const noexcept override;
    void set(const std::shared_ptr<Alarm>& alarm) override;

    // To the next time that somebody waits for, which comes; false when there is none by then.
    bool pass(core::Moment until = core::Moment::max());
    // Nothing is waited for, or it is past: then the clock goes there at once.
    void pass_to(core::Moment when);
    // The server stands still for so long: all that was waited for meanwhile comes at once, before
    // anything else that has come is looked at.
    void stall(std::chrono::milliseconds time);
    // Somebody sets the wall clock, forwards or back.
    void leap(std::chrono::milliseconds by) { ahead_ += by; }

private:
    // Not zero: a time point of zero is what nothing was set to.
    core::Moment now_{std::chrono::hours{24}};
    std::chrono::milliseconds ahead_{0};  // the wall clock
    std::uint64_t order_ = 0;             // of two for the same time the first comes first
    std::map<std::pair<core::Moment, std::uint64_t>, std::weak_ptr<Alarm>> alarms_;
};

// Runs what is ready, then lets time pass, until `done` or so much time has passed. True when done.
bool run_until(boost::asio::io_context& loop, ScriptedClock& clock,
               const std::function<bool()>& done, std::chrono::milliseconds at_most);

}  // namespace atl::testing

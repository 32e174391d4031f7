#include "testing/scripted_clock.hpp"

namespace atl::testing {

namespace {
// A day in 2030: what a person would call the time when the clock begins.
constexpr std::chrono::milliseconds kBegins{1'900'000'000'000};
}  // namespace

core::Time ScriptedClock::wall() const noexcept {
    return core::Time(kBegins + ahead_ +
                      std::chrono::floor<std::chrono::milliseconds>(now_.time_since_epoch()));
}

void ScriptedClock::set(const std::shared_ptr<Alarm>& alarm) {
    if (alarm->at == core::Moment::max()) return;
    alarms_.emplace(std::pair(alarm->at, ++order_), alarm);
}

bool ScriptedClock::pass(core::Moment until) {
    while (!alarms_.empty()) {
        const auto first = alarms_.begin();
        const auto when = first->first.first;
        const auto alarm = first->second.lock();
        if (alarm && when > until) return false;
        alarms_.erase(first);
        if (!alarm) continue;  // nobody waits for it any more
        now_ = std::max(now_, when);
        alarm->came = true;
        alarm->timer.cancel();
        return true;
    }
    return false;
}

void ScriptedClock::stall(std::chrono::milliseconds time) {
    const auto until = now_ + time;
    pass_to(until);
    while (pass(until)) {}
}

void ScriptedClock::pass_to(core::Moment when) { now_ = std::max(now_, when); }

bool run_until(boost::asio::io_context& loop, ScriptedClock& clock,
               const std::function<bool()>& done, std::chrono::milliseconds at_most) {
    const auto until = clock.now() + at_most;
    for (;;) {
        loop.restart();
        while (loop.poll() > 0) {}
        if (done()) return true;
        if (!clock.pass(until)) {
            clock.pass_to(until);
            return false;
        }
    }
}

}  // namespace atl::testing

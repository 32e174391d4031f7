#include "core/clock.hpp"
#include "base/as_tuple.hpp"

#include <boost/asio/use_awaitable.hpp>

namespace atl::core {

namespace asio = boost::asio;

namespace {

class SystemClock final : public Clock {
public:
    [[nodiscard]] Moment now() const noexcept override { return std::chrono::steady_clock::now(); }
    [[nodiscard]] Time wall() const noexcept override { return time_now(); }
    void set(const std::shared_ptr<Alarm>& alarm) override { alarm->timer.expires_at(alarm->at); }
};

}  // namespace

Clock& system_clock() noexcept {
    static SystemClock clock;
    return clock;
}

void Timer::expires_at(Moment when) {
    cancel();
    alarm_ = std::make_shared<Clock::Alarm>(executor_, when);
    clock_.set(alarm_);
}

void Timer::cancel() noexcept {
    if (!alarm_) return;
    ++alarm_->cancelled;
    try {
        alarm_->timer.cancel();
    } catch (const boost::system::system_error&) {
        // The loop is gone, and who waited with it.
    }
}

asio::awaitable<bool> Timer::wait() {
    const auto alarm = alarm_;
    if (!alarm || alarm->came) co_return true;
    const auto [cancelled] = co_await alarm->timer.async_wait(kAsTuple);
    co_return !cancelled || alarm->came;
}

void Timer::then(std::function<void()> call) {
    const auto alarm = alarm_;
    if (!alarm) return;
    // The time may have come, and this be on its way, when it is cancelled.
    alarm->timer.async_wait([alarm, before = alarm->cancelled,
                             call = std::move(call)](boost::system::error_code failed) {
        const bool due = !failed || alarm->came;
        if (due && alarm->cancelled == before) call();
    });
}

}  // namespace atl::core

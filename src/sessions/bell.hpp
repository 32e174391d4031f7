#pragma once
// Notifies a coroutine on the same thread of a change.
//
//     auto seen = bell.rung();
//     …look, which may take its time…
//     co_await bell.after(seen);     // returns at once if it has rung since
//
// Rings are counted, so one that nobody waits for is not lost.
#include "core/clock.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <utility>

namespace atl::sessions {

class Bell {
public:
    using Moment = std::chrono::steady_clock::time_point;

    explicit Bell(boost::asio::any_io_executor executor, core::Clock& clock = core::system_clock())
        : clock_(clock), came_(std::move(executor), Moment::max()) {}

    [[nodiscard]] std::uint64_t rung() const noexcept { return rung_; }
    void ring() {
        ++rung_;
        came_.cancel();
    }
    // One waits at a time. The bell must outlive who waits.
    boost::asio::awaitable<void> after(std::uint64_t seen, Moment until = Moment::max());

private:
    core::Clock& clock_;
    boost::asio::steady_timer came_;  // never runs out; cancelled when somebody shall look
    std::uint64_t rung_ = 0;
};

}  // namespace atl::sessions

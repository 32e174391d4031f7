#pragma once
// The events of one turn, kept for a while: any number of clients follow them, each at its own
// pace, and one that comes back goes on where it was.
//
//     add() ──▶ [n, n+1, n+2 …] ──▶ after(seen)      what is dropped from the front is missed
//
// Bounded   in bytes and number; the oldest go first. Who is behind them is told so (missed) and
//           gets the answer so far instead.
// Threads   one, the executor's. Nobody is waited for: a client that does not read holds up
//           neither the turn nor the others.
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace atl::agent {

class TurnLog {
public:
    struct Event {
        std::string_view name;  // a literal
        std::string data;
    };

    explicit TurnLog(boost::asio::any_io_executor executor)
        : news_(std::move(executor), boost::asio::steady_timer::time_point::max()) {}

    // Numbers are 1, 2, 3 …
    void add(std::string_view name, std::string data);
    void end();
    [[nodiscard]] bool ended() const noexcept { return ended_; }
    [[nodiscard]] std::uint64_t last() const noexcept { return first_ + events_.size() - 1; }

    // The one after `seen`, until the next add(); null when there is none yet.
    [[nodiscard]] const Event* after(std::uint64_t seen) const noexcept;
    // Something behind `seen` was dropped.
    [[nodiscard]] bool missed(std::uint64_t seen) const noexcept { return seen + 1 < first_; }

    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    // Lets go of all events: whoever has not seen the last one has missed something.
    void drop() noexcept;

    // Returns when there is something to look at, or at wake().
    boost::asio::awaitable<void> news();
    void wake() { news_.cancel(); }

private:
    std::deque<Event> events_;
    std::uint64_t first_ = 1;  // the number of the first that is kept
    std::size_t bytes_ = 0;
    bool ended_ = false;
    boost::asio::steady_timer news_;
};

}  // namespace atl::agent

#pragma once
// One thing that the host asked for, on one channel, from its request to its end.
//
// The loop (guest.cpp) owns operations and drives them: it asks what they wait for, tells them what
// is ready, passes on the host's frames, and drops them once they have ended.
// Threads   one. An operation never blocks: it does what can be done now and returns.
#include "base/fields.hpp"
#include "guest/lib/host_link.hpp"
#include "wire/flow.hpp"

#include <boost/json/object.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <poll.h>
#include <string>
#include <utility>
#include <vector>

namespace atl::guest {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;

// What one loop iteration waits for.
class PollSet {
public:
    // Returns a slot to ask about afterwards. A negative descriptor is never ready.
    std::size_t add(int fd, short events) {
        entries_.push_back({fd, events, 0});
        return entries_.size() - 1;
    }
    [[nodiscard]] bool ready(std::size_t slot) const {
        return slot < entries_.size() && entries_[slot].revents != 0;
    }
    void clear() { entries_.clear(); }
    [[nodiscard]] std::vector<pollfd>& entries() { return entries_; }
    static constexpr std::size_t kNoSlot = ~std::size_t{0};

private:
    std::vector<pollfd> entries_;
};

class Operation {
public:
    Operation(HostLink& link, std::uint32_t channel) : link_(link), channel_(channel) {}
    virtual ~Operation() = default;
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

    virtual void watch(PollSet&) {}
    virtual void ready(const PollSet&) {}
    virtual void data(std::string_view) {}
    virtual void eof() {}
    virtual void control(const json::object&) {}
    // True when there is work that no descriptor would announce (a file can always be read).
    [[nodiscard]] virtual bool busy() const { return false; }
    [[nodiscard]] virtual std::optional<Clock::time_point> deadline() const { return {}; }
    virtual void time_is_up() {}
    // True of one that waits for what others do: it is no reason to look more often.
    [[nodiscard]] virtual bool listens_only() const { return false; }
    // The sandbox stood still for so long, which counts towards no deadline.
    virtual void stood_still(Clock::duration) {}
    virtual void child_ended(pid_t, int /*status*/) {}

    void add_credit(std::uint32_t bytes) noexcept { credit_.add(bytes); }
    [[nodiscard]] bool ended() const noexcept { return ended_; }
    [[nodiscard]] bool failed() const noexcept { return failed_; }
    [[nodiscard]] std::uint32_t channel() const noexcept { return channel_; }

    // Below: how an operation speaks. Public because a Kernel speaks through the run it serves.
    [[nodiscard]] bool may_send() const noexcept { return credit_.open() && !link_.congested(); }
    void send(wire::Kind kind, std::string_view payload, std::uint8_t flags = 0);
    void event(const json::object& event);  // small ones; a long one is the kernel's business
    // An event that says "descriptor": true, and the descriptor along with it.
    [[nodiscard]] bool can_pass_descriptors() const { return link_.can_pass_descriptors(); }
    void event_with(const json::object& event, UniqueFd descriptor);
    void end(json::object result = {});
    void end_raw(std::string_view json_text);
    void fail(std::string_view code, std::string_view message);
    void fail_errno(const std::string& what);
    // Called once, when this ends in whatever way, and before the host hears of it.
    void before_end(std::function<void()> action) { before_end_ = std::move(action); }
    // Additional credit, for operations that consume much quickly.
    void take_more(std::uint32_t bytes) {
        if (!ended_) link_.grant(channel_, bytes);
    }
    // The host's bytes have been passed on: it may send as many again. Not on a channel that has
    // ended: for the host it is gone, and who speaks on it loses the link.
    void consumed(std::size_t bytes) {
        if (!ended_) link_.grant(channel_, received_.consumed(bytes));
    }

private:
    HostLink& link_;
    std::uint32_t channel_;
    wire::SendCredit credit_;
    wire::ReceiveCredit received_;
    bool ended_ = false;
    bool failed_ = false;
    std::function<void()> before_end_;
};

using fields::flag_of;
using fields::number_of;
using fields::text_of;

}  // namespace atl::guest

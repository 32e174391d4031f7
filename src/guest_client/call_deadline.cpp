#include "guest_client/call_deadline.hpp"

#include <algorithm>

namespace atl::guest_client {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

namespace {
// While a session stands still its time does not go on, so there is nothing to look at closely.
constexpr std::chrono::seconds kLookAgain{1};
}  // namespace

struct CallDeadline::State {
    core::Timer timer;
    std::shared_ptr<GuestLink> link;
    std::function<void()> first;
    Clock::time_point until;       // if it never stands still
    Clock::duration still_before;  // at the beginning
    bool over = false;

    State(const asio::any_io_executor& executor, std::shared_ptr<GuestLink> of,
          std::function<void()> before, Clock::time_point end, Clock::duration still)
        : timer(executor, of->clock()),
          link(std::move(of)),
          first(std::move(before)),
          until(end),
          still_before(still) {}
};

CallDeadline::CallDeadline(asio::any_io_executor executor, std::shared_ptr<GuestLink> link,
                           std::chrono::milliseconds after, std::function<void()> first) {
    const auto still = link->stood_still();
    auto& clock = link->clock();
    state_ = std::make_shared<State>(executor, std::move(link), std::move(first),
                                     clock.now() + after, still);
    wait(state_, after);
}

CallDeadline::~CallDeadline() {
    state_->over = true;  // the timer may have expired already, and its handler be on its way
    state_->timer.cancel();
}

void CallDeadline::wait(const std::shared_ptr<State>& state, std::chrono::nanoseconds time) {
    state->timer.expires_after(time);
    // Not held by its own timer: it goes with the deadline.
    state->timer.then([weak = std::weak_ptr<State>(state)] {
        const auto self = weak.lock();
        if (!self || self->over) return;
        const auto still = self->link->stood_still() - self->still_before;
        const auto left = self->until + still - self->link->clock().now();
        if (left.count() > 0) return wait(self, std::max<Clock::duration>(left, kLookAgain));
        // So late it is the server that stood still. The guest may have answered long ago, and its
        // answer be the next thing to read: only a deadline that passes while we read counts.
        if (self->link->clock().now() - self->timer.expiry() >= kLookAgain) {
            return wait(self, kLookAgain);
        }
        if (self->first) self->first();
        self->link->close();
    });
}

}  // namespace atl::guest_client

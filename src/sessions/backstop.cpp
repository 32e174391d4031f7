#include "sessions/backstop.hpp"

#include <algorithm>

namespace atl::sessions {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

namespace {
// While a session stands still its time does not go on, so there is nothing to look at closely.
constexpr std::chrono::seconds kLookAgain{1};
}  // namespace

struct Backstop::State {
    asio::steady_timer timer;
    std::shared_ptr<GuestLink> link;
    std::function<void()> first;
    Clock::time_point until;       // if it never stands still
    Clock::duration still_before;  // at the beginning
    bool over = false;
};

Backstop::Backstop(asio::any_io_executor executor, std::shared_ptr<GuestLink> link,
                   std::chrono::milliseconds after, std::function<void()> first) {
    const auto still = link->stood_still();
    state_ = std::make_shared<State>(State{asio::steady_timer(executor), std::move(link),
                                           std::move(first), Clock::now() + after, still});
    wait(state_, after);
}

Backstop::~Backstop() {
    state_->over = true;  // the timer may have expired already, and its handler be on its way
    state_->timer.cancel();
}

void Backstop::wait(const std::shared_ptr<State>& state, std::chrono::nanoseconds time) {
    state->timer.expires_after(time);
    state->timer.async_wait([state](boost::system::error_code cancelled) {
        if (cancelled || state->over) return;
        const auto still = state->link->stood_still() - state->still_before;
        const auto left = state->until + still - Clock::now();
        if (left.count() > 0) return wait(state, std::max<Clock::duration>(left, kLookAgain));
        if (state->first) state->first();
        state->link->close();
    });
}

}  // namespace atl::sessions

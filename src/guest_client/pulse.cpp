#include "guest_client/pulse.hpp"

#include "base/scope.hpp"
#include "core/clock.hpp"

namespace atl::guest_client {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

// In steps: if it is the server that stood still, one step is over at once, and the answer is read
// before the next one is.
constexpr int kSteps = 3;

}  // namespace

asio::awaitable<void> check_pulse(std::shared_ptr<GuestLink> link, std::function<void()> hung,
                                  std::chrono::milliseconds step) {
    bool answered = false;
    core::Timer step_over(link->executor(), link->clock());
    const auto ask = [&]() -> asio::awaitable<void> {
        // One that reads nothing gets no more questions, and that is no answer.
        core::Timer again(link->executor(), link->clock());
        while (link->alive() && link->is_behind()) {
            again.expires_after(step / 4);
            co_await again.wait();
        }
        try {
            const json::object question{{"op", "stats"}};
            co_await link->call(question);
        } catch (const ErrorException&) {
            // It has no more to say, or the link is closed: there is nothing to wait for.
        }
        answered = true;
        step_over.cancel();
    };
    const auto wait = [&](Scope& scope) -> asio::awaitable<void> {
        scope.spawn(ask);
        for (int steps = 0; steps < kSteps && !answered;) {
            const auto still = link->stood_still();
            step_over.expires_after(step);
            co_await step_over.wait();
            if (link->stood_still() == still) ++steps;
        }
        if (answered) co_return;
        if (hung) hung();
        link->close();  // and so the question ends
    };
    co_await in_scope(wait);
}

}  // namespace atl::guest_client

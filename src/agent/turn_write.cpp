#include "agent/turn_write.hpp"

#include "agent/pause.hpp"
#include "base/result.hpp"
#include "sessions/new_id.hpp"

#include <algorithm>
#include <optional>

namespace atl::agent {

namespace asio = boost::asio;

using Clock = std::chrono::steady_clock;

namespace {

constexpr std::chrono::milliseconds kPauseMin{100};
constexpr std::chrono::milliseconds kPauseMax{1000};

}  // namespace

asio::awaitable<void> write_surely(core::Threads& store, core::TurnHold hold,
                                   std::vector<core::ThreadMessage> messages, After after,
                                   std::chrono::milliseconds time) {
    hold.mark = sessions::random_id("w-");
    const auto until = Clock::now() + time;
    auto wait = kPauseMin;
    for (;;) {
        std::optional<Error> failed;
        try {
            if (after == After::Ends) {
                co_await store.end_turn(hold, messages);
            } else {
                co_await store.append(hold, messages);
            }
        } catch (const ErrorException& error) { failed = error.error; }
        if (!failed) co_return;
        if (failed->code != Code::Unavailable) throw ErrorException(*failed);
        if (Clock::now() + wait >= until) {
            throw ErrorException(failed->during(
                "it is not known whether the answer was stored; look at the thread's history "
                "before asking again"));
        }
        co_await pause(wait);
        wait = std::min(wait * 2, kPauseMax);
    }
}

}  // namespace atl::agent

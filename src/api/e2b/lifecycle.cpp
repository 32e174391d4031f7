#include "api/e2b/lifecycle.hpp"

#include <algorithm>

namespace atl::api::e2b {

namespace asio = boost::asio;

asio::awaitable<core::SessionRecord> resume(sessions::Sessions& sessions, core::Whose whose,
                                            SessionId id, std::chrono::seconds timeout) {
    // In use until it is written down that it runs.
    const auto use = co_await sessions.use(whose, id);
    const auto run_on = [timeout](sessions::Standing& standing, const core::SessionRecord& record,
                                  core::SessionPatch& patch) {
        const auto end = core::time_now() + timeout;
        // Two who resume it at once: the later end holds.
        const bool longer = !standing.held && record.expires_at && *record.expires_at > end;
        standing.held = false;
        if (!longer) patch.expires_at.emplace(end);
        // Its end is the deadline, not how long nobody asked for anything.
        patch.idle_to_cold = std::chrono::seconds(0);
    };
    co_return co_await sessions.arrange(whose, id, run_on);
}

asio::awaitable<core::SessionRecord> extend(sessions::Sessions& sessions, core::Whose whose,
                                            SessionId id, std::chrono::seconds timeout) {
    const auto longer = [timeout](sessions::Standing&, const core::SessionRecord& record,
                                  core::SessionPatch& patch) {
        if (!record.expires_at) return;
        const core::Time end = core::time_now() + timeout;
        patch.expires_at.emplace(std::max(*record.expires_at, end));
    };
    co_return co_await sessions.arrange(whose, id, longer);
}

}  // namespace atl::api::e2b

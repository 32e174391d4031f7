// Sessions that are put to sleep until somebody takes them up again, and what is arranged for a
// session (standing.hpp). An end that has come may hold a session in place of removing it.
#include "sessions/sessions.hpp"

namespace atl::sessions {

namespace asio = boost::asio;
using core::SessionRecord;
using core::Whose;

asio::awaitable<SessionRecord> Sessions::hold(Whose whose, SessionId id, Hold how) {
    id = co_await resolve(whose, id);
    const auto session = co_await find(whose, id);
    const auto lock = co_await session->changing_.lock();
    refuse_if_left(*session);
    auto standing = standing_in(session->record_.spec_json);
    const bool awake = session->is_up() && !session->frozen_;
    if (standing.held && !awake) {
        throw ErrorException({Code::Conflict, "the session is held already"});
    }
    if (how == Hold::OnDisk) {
        // Whatever runs ends with its sandbox, and its kernels with it: nobody waits for them.
        if (session->users_ > 0) cut(*session);
        co_await go_cold(session);
    } else if (session->is_up()) {
        co_await freeze(session);
    }
    standing.held = true;
    core::SessionPatch patch;
    patch.spec_json = with_standing(session->record_.spec_json, standing);
    patch.expires_at.emplace(std::nullopt);
    // It must not keep its memory for as long as it is held.
    patch.idle_to_cold = options_.idle_to_cold;
    co_return co_await rewrite(session, std::move(patch));
}

asio::awaitable<SessionRecord> Sessions::arrange(
    Whose whose, SessionId id,
    std::function<void(Standing&, const SessionRecord&, core::SessionPatch&)> change) {
    id = co_await resolve(whose, id);
    const auto session = co_await find(whose, id);
    const auto lock = co_await session->changing_.lock();
    refuse_if_left(*session);
    auto standing = standing_in(session->record_.spec_json);
    core::SessionPatch patch;
    change(standing, session->record_, patch);
    patch.spec_json = with_standing(session->record_.spec_json, standing);
    co_return co_await rewrite(session, std::move(patch));
}

asio::awaitable<SessionRecord> Sessions::rewrite(SessionPtr session, core::SessionPatch patch) {
    const SessionId id = session->record_.id;
    auto record =
        co_await store_.patch_session(Whose::anyones(), id, std::move(patch), std::nullopt);
    record.state = session->record_.state;
    session->record_ = record;
    co_return record;
}

asio::awaitable<SessionRecord> Sessions::look(SessionId id) {
    if (const auto found = known_.find(id.text()); found != known_.end()) {
        if (found->second->gone_) {
            throw ErrorException({Code::NotFound, "there is no session " + id.text()});
        }
        co_return found->second->record_;
    }
    co_return co_await get(Whose::anyones(), std::move(id));
}

void Sessions::each_awake(const std::function<bool(const SessionRecord&)>& hear) const {
    for (const auto& [id, session] : known_) {
        if (!session->is_up() || session->gone_) continue;
        if (!hear(session->record_)) return;
    }
}

}  // namespace atl::sessions

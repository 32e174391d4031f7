// What Sessions does by itself, once a second: sessions that nobody uses fall asleep, those whose
// time is over end, and when the host runs out of memory the longest idle go to disk.
#include "base/at_exit.hpp"
#include "core/clock_watch.hpp"
#include "guest_client/program_list.hpp"
#include "guest_client/pulse.hpp"
#include "sessions/sessions.hpp"

#include <algorithm>

namespace atl::sessions {

namespace asio = boost::asio;
using core::SessionRecord;
using core::Whose;

namespace {

constexpr std::chrono::seconds kHousekeepingRound{1};
constexpr unsigned kRoundsToTidy = 5;
constexpr std::uint32_t kEndedAtOnce = 500;
constexpr std::size_t kPressedAtOnce = 4;
constexpr std::chrono::seconds kListTimeMax{10};

}  // namespace

asio::awaitable<void> Sessions::keep_house() {
    if (stopping_) co_return;  // before it began: stop() would not wait for what it starts
    beside_.spawn(watch_disks());
    // stop() does not wait for removals, which may take minutes; who runs this does.
    const auto rounds = [this](Scope& removals) { return keep_house_in(removals); };
    co_await in_scope(rounds);
}

asio::awaitable<void> Sessions::keep_house_in(Scope& removals) {
    core::ClockWatch watch;
    static_cast<void>(watch.settled(clock_.wall(), clock_.now()));  // what leaps are seen against
    for (unsigned round = 1; !stopping_; ++round) {
        round_.expires_after(kHousekeepingRound);
        co_await round_.wait();
        if (stopping_) break;
        std::vector<SessionPtr> due;
        for (const auto& [id, session] : known_) {
            if (rest_due(*session) != Rest::None) due.push_back(session);
        }
        for (const auto& session : due) {
            // Each by itself: saving one takes as long as its guest makes it take. What fails stays
            // as it is and is tried again; who uses it hears what is wrong.
            beside_.spawn(look_after(session));
        }
        relieve_memory();
        check_pulses();
        // Beside the rounds: one that has millions of files takes minutes to remove, and meanwhile
        // hung guests must be noticed and idle sessions put to sleep.
        const bool settled = watch.settled(clock_.wall(), clock_.now());
        if (settled && !ending_expired_) removals.spawn(end_expired());
        if (round % kRoundsToTidy == 0 && !tidying_up_) removals.spawn(tidy_up());
    }
}

asio::awaitable<void> Sessions::tidy_up() {
    tidying_up_ = true;
    const AtExit tidied([this] { tidying_up_ = false; });
    try {
        co_await finish_removals();
        co_await folders_.tidy();
    } catch (const ErrorException&) {
        // The store or the disk fails: the next time.
        removals_left_ = true;
    }
}

asio::awaitable<void> Sessions::end_expired() {
    ending_expired_ = true;
    const AtExit ended([this] { ending_expired_ = false; });
    std::vector<SessionRecord> over;
    try {
        over = co_await store_.expired_sessions(clock_.wall(), kEndedAtOnce);
    } catch (const ErrorException&) { over.clear(); }
    for (const auto& record : over) {
        if (stopping_) break;
        try {
            if (standing_in(record.spec_json).held_at_end) {
                static_cast<void>(co_await hold(Whose::anyones(), record.id, Hold::Frozen));
            } else {
                co_await remove(Whose::anyones(), record.id);
            }
        } catch (const ErrorException&) {
            // Somebody else removed it, or the next round does.
        }
    }
}

// A few a round: memory comes back a moment later, and one round more costs a second.
void Sessions::relieve_memory() {
    if (!options_.memory_free || options_.memory_free() >= options_.memory_free_min) return;
    std::vector<SessionPtr> idle;
    for (const auto& [id, session] : known_) {
        if (session->link_ && session->users_ == 0 && !session->changing_.locked()) {
            idle.push_back(session);
        }
    }
    std::sort(idle.begin(), idle.end(), [](const SessionPtr& a, const SessionPtr& b) {
        return a->unused_since_ < b->unused_since_;
    });
    if (idle.size() > kPressedAtOnce) idle.resize(kPressedAtOnce);
    for (const auto& session : idle) {
        ++counted_.pressed;
        beside_.spawn(make_cold_if_idle(session));
    }
}

// A guest is asked only while somebody waits for it: one that nobody uses is left in peace.
void Sessions::check_pulses() {
    const auto now = clock_.now();
    for (const auto& [id, session] : known_) {
        const auto& link = session->link_;
        if (session->users_ == 0 || !link || !link->alive() || session->frozen_) continue;
        if (now < session->pulse_due_) continue;
        session->pulse_due_ = now + guest_client::kPulseEvery;
        const auto hung = [session = session, link] {
            if (session->link_ != link) return;  // it has another sandbox by now
            session->fell_because_ = "the sandbox did not answer and was ended";
            cut(*session);
        };
        beside_.spawn(guest_client::check_pulse(link, hung));
    }
    for (auto& one : links_) {
        const auto link = one.link.lock();
        if (!link || !link->alive() || now < one.pulse_due) continue;
        one.pulse_due = now + guest_client::kPulseEvery;
        beside_.spawn(guest_client::check_pulse(link, nullptr));
    }
}

asio::awaitable<void> Sessions::make_cold_if_idle(SessionPtr session) {
    const auto lock = co_await session->changing_.lock();
    if (session->users_ > 0 || session->gone_) co_return;
    co_await go_cold(session);
}

// Frozen programs do no work: somebody has paused the session, or its time was over.
asio::awaitable<bool> Sessions::works_in_background(SessionPtr session) {
    const auto link = session->link_;
    if (!link || !link->alive() || session->frozen_) co_return false;
    try {
        const auto programs = co_await guest_client::list_programs(link, kListTimeMax);
        co_return !programs.empty();
    } catch (const ErrorException&) {
        // Its sandbox is gone.
    }
    co_return false;
}

asio::awaitable<bool> Sessions::is_kept_awake(SessionPtr session) {
    if (session->users_ > 0) co_return true;
    if (clock_.now() - session->unused_since_ > options_.background_awake) co_return false;
    const bool works = co_await works_in_background(session);
    if (works) session->worked_until_ = clock_.now();
    co_return works || session->users_ > 0;
}

asio::awaitable<bool> Sessions::is_at_work(SessionId id) {
    const auto found = known_.find(id.text());
    if (found == known_.end()) co_return false;
    const auto session = found->second;
    const auto lock = co_await session->changing_.lock();
    if (session->gone_) co_return false;
    co_return co_await is_kept_awake(session);
}

asio::awaitable<bool> Sessions::store_left(SessionId id) {
    const auto found = known_.find(id.text());
    if (found == known_.end()) co_return true;
    const auto session = found->second;
    if (session->record_.idle_to_cold.count() == 0) co_return true;
    const auto lock = co_await session->changing_.lock();
    if (stopping_ || session->gone_ || session->released_ || !session->link_) co_return true;
    if (co_await is_kept_awake(session)) co_return false;
    if (!session->gone_) co_await go_cold(session);
    co_return true;
}

Sessions::Rest Sessions::rest_due(const Session& session) const {
    if (session.users_ > 0 || session.changing_.locked() || session.gone_) return Rest::None;
    const auto now = clock_.now();
    const auto unused = now - session.unused_since_;
    const auto& record = session.record_;
    // Where servers share sessions, one of a thread may be another server's by now.
    const bool shared = ours_ && record.id.text().starts_with(kOfThread);
    const bool ends = options_.idle_to_end.count() > 0 && !shared;
    if (ends && unused > options_.idle_to_end) return Rest::End;
    if (!session.link_) {
        // Nothing of it is in memory that the store does not have.
        const bool blank = session.lost_.empty() && session.unsaved_.empty() && !session.fell_ &&
                           session.restores_failed_ == 0;
        return !ends && unused > std::chrono::minutes{1} && blank ? Rest::Forget : Rest::None;
    }
    const auto idle = now - std::max(session.unused_since_, session.worked_until_);
    if (record.idle_to_cold.count() > 0 && idle > record.idle_to_cold) return Rest::Cold;
    const bool warm = record.idle_to_warm.count() > 0 && idle > record.idle_to_warm;
    return warm && !session.frozen_ ? Rest::Warm : Rest::None;
}

asio::awaitable<void> Sessions::look_after(SessionPtr session) {
    const auto rest = rest_due(*session);  // again: it may be in use by now
    if (rest == Rest::None) co_return;
    const SessionId id = session->record_.id;
    if (rest == Rest::Forget) {
        known_.erase(id.text());
        co_return;
    }
    if (rest == Rest::End) {
        co_await remove(Whose::anyones(), id);
        co_return;
    }
    const auto lock = co_await session->changing_.lock();
    if (session->users_ > 0 || session->gone_) co_return;
    if (co_await is_kept_awake(session)) co_return;
    if (session->gone_) co_return;
    if (rest == Rest::Cold)
        co_await go_cold(session);
    else
        co_await freeze(session);
}

}  // namespace atl::sessions

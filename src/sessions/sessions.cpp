#include "sessions/sessions.hpp"

#include "base/as_tuple.hpp"
#include "base/at_exit.hpp"
#include "core/host_paths.hpp"
#include "guest_client/pulse.hpp"
#include "sessions/grants.hpp"
#include "sessions/largest_file.hpp"
#include "sessions/names.hpp"
#include "sessions/new_id.hpp"
#include "sessions/spec_text.hpp"

#include <algorithm>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <set>

namespace atl::sessions {

namespace asio = boost::asio;
using core::SessionRecord;
using core::SessionState;
using core::Whose;

namespace {

constexpr std::chrono::seconds kTimeToStop{20};
constexpr std::uint32_t kPage = 500;
constexpr int kRestoresMax = 2;  // that may end a session's sandbox before it comes back without

void add(std::vector<guest_client::Lost>& lost, const guest_client::Lost& one) {
    if (std::find(lost.begin(), lost.end(), one) == lost.end()) lost.push_back(one);
}

// On a disk that is full a session must still wake, and memory knows as well.
void keep_note(core::Folders& folders, const SessionId& id,
               const std::vector<guest_client::Lost>& untold) {
    try {
        guest_client::note_lost(folders, id, untold);
    } catch (const ErrorException&) {
        // It is said once more than needed, or not after the server was killed.
    }
}

// A runtime says which mount, cgroup or folder it was; that is the administrator's to know.
Error for_clients(const Error& error, const std::function<void(const std::string&)>& tell) {
    Error told = core::without_host_paths(error);
    if (tell && told.message != error.message) tell(error.message);
    return told;
}

// What Asio throws when a table of the kernel's is full.
Error no_room(const boost::system::system_error& error) {
    return {Code::Unavailable,
            "the server cannot create another sandbox now: " + error.code().message()};
}

void set_frozen(core::Sandbox& sandbox, bool frozen,
                const std::function<void(const std::string&)>& tell) {
    const auto done = sandbox.freeze(frozen);
    if (!done) throw ErrorException(for_clients(done.error(), tell));
}

Error not_there(const SessionId& id) {
    return {Code::NotFound, "there is no session " + id.text()};
}

// Throws for an environment that no sandbox can have.
std::string spec_for_copy(const SessionRecord& record, const Sessions::Copies& copies) {
    const auto standing = copies.standing ? *copies.standing : standing_in(record.spec_json);
    if (copies.environment.empty()) return with_standing(record.spec_json, standing);
    core::SpecBuilder builder(spec_from(record.spec_json, record.template_name).value());
    for (const auto& [name, value] : copies.environment) builder.environment(name, value);
    const auto text = spec_text(builder.build().value(), data_sets_from(record.spec_json));
    return with_standing(text, standing);
}

}  // namespace

Sessions::Sessions(asio::any_io_executor executor, core::Runtime& runtime, core::Store& store,
                   core::Folders& folders, SessionOptions options, core::Clock& clock)
    : executor_(executor),
      runtime_(runtime),
      store_(store),
      folders_(folders),
      options_(std::move(options)),
      clock_(clock),
      round_(executor, clock),
      disk_round_(executor, clock),
      beside_(executor) {}

void Sessions::refuse_if_stopping() const {
    if (stopping_) throw ErrorException({Code::Unavailable, "the server is stopping"});
}

bool Sessions::read_only() const {
    return store_.health().state == core::StoreHealth::State::ReadOnly;
}

Sessions::SessionPtr Sessions::new_session() const {
    auto session = std::make_shared<Session>(clock_);
    session->disk_->setting = "sessions.max_bytes";
    session->disk_->bytes_max = options_.session_bytes_max;
    return session;
}

namespace {

// The session's own limit, where it is lower than the server's.
void limit_disk(DiskLedger& ledger, const core::Limits& limits) {
    if (ledger.bytes_max && *ledger.bytes_max <= limits.disk_bytes_max) return;
    ledger.bytes_max = limits.disk_bytes_max;
    ledger.setting = "the session's disk_bytes_max";
}

}  // namespace

SessionId Sessions::new_id() const {
    return SessionId(options_.new_id ? options_.new_id() : random_id("s-"));
}

Sessions::SessionPtr Sessions::session_of(SessionRecord record) const {
    auto session = new_session();
    session->spec_ = spec_from(record.spec_json, record.template_name).value();
    limit_disk(*session->disk_, session->spec_.limits());
    session->data_sets_ = data_sets_from(record.spec_json);
    session->record_ = std::move(record);
    return session;
}

asio::awaitable<std::size_t> Sessions::recover() {
    // Without a store that can be believed, what it does not know is no leftover.
    if (read_only()) co_return 0;
    std::set<std::string> recorded, deleting;  // those are ended by finish_removals
    core::SessionQuery query{Whose::anyones(), {}, {}, {}, kPage};
    do {
        const auto page = co_await store_.list_sessions(query);
        for (const auto& record : page.sessions) {
            if (record.state == SessionState::Deleting) {
                deleting.insert(record.id.text());
                continue;
            }
            recorded.insert(record.id.text());
            if (options_.idle_to_end.count() > 0 &&
                spec_from(record.spec_json, record.template_name)) {
                // Whoever waits for its end must know it. Its idle time begins anew.
                auto session = session_of(record);
                session->record_.state = SessionState::Cold;
                known_[record.id.text()] = std::move(session);
            }
            if (record.state == SessionState::Cold) continue;
            core::SessionPatch patch;
            patch.state = SessionState::Cold;
            patch.state_note =
                "the server ended while this session was awake: files are as they were, variables "
                "as they were when it was last cold";
            auto changed =
                co_await store_.patch_session(Whose::anyones(), record.id, patch, std::nullopt);
            if (const auto found = known_.find(record.id.text()); found != known_.end()) {
                found->second->record_ = std::move(changed);
            }
        }
        query.cursor = page.next_cursor;
    } while (!query.cursor.empty());
    const auto folders = co_await folders_.list();
    const auto is_recorded = [&](const SessionId& id) {
        return recorded.count(id.text()) != 0 || deleting.count(id.text()) != 0;
    };
    const std::string identity = co_await store_.identity();
    std::string owner = folders_.store_identity();
    if (owner.empty()) {
        // Where strangers lie already it is nobody's for good: a later start must not take them for
        // leftovers of its own.
        owner = std::all_of(folders.begin(), folders.end(), is_recorded) ? identity : "nobody";
        folders_.set_store_identity(owner).value();
    }
    std::size_t left_alone = 0;
    for (const auto& id : folders) {
        if (recorded.count(id.text()) != 0 || deleting.count(id.text()) != 0) continue;
        if (owner != identity || id.text().starts_with(kOfThread)) {
            ++left_alone;
            continue;
        }
        try {
            co_await folders_.remove(id);
        } catch (const ErrorException&) {
            ++left_alone;  // until the next start
        }
    }
    removals_left_ = !deleting.empty();
    co_await finish_removals();
    co_return left_alone;
}

asio::awaitable<SessionRecord> Sessions::create(NewSession wanted) {
    check_name(wanted.name);
    auto session = new_session();
    SessionRecord& record = session->record_;
    record.id = wanted.id ? *wanted.id : new_id();
    record.owner = wanted.owner;
    record.name = wanted.name;
    record.metadata = wanted.metadata;
    record.template_name = wanted.template_name;
    record.created_at = record.last_used_at = clock_.wall();
    record.idle_to_warm = wanted.idle_to_warm.value_or(options_.idle_to_warm);
    record.idle_to_cold = wanted.idle_to_cold.value_or(options_.idle_to_cold);
    if (wanted.lifetime) record.expires_at = record.created_at + *wanted.lifetime;
    core::SpecBuilder builder;
    builder.from_template(wanted.template_name).limits(wanted.limits);
    for (const auto& [name, value] : wanted.environment) builder.environment(name, value);
    session->spec_ = builder.build().value();
    limit_disk(*session->disk_, session->spec_.limits());
    session->data_sets_ = wanted.data_sets;
    // Throws for one that is not there, before anything is made.
    static_cast<void>(DataSetReview(options_.data_sets).mounts(wanted.data_sets));
    record.spec_json =
        with_standing(spec_text(session->spec_, session->data_sets_), wanted.standing);
    record.state = wanted.id ? SessionState::Cold : SessionState::Hot;
    const SessionId id = record.id;
    co_await check_owner_disk(record.owner);

    // One whose id is given may be there already, and its folder another's: the store says so
    // first.
    if (wanted.id) record = co_await store_.create_session(record, options_.sessions_an_owner_max);
    bool recorded = wanted.id.has_value();
    std::optional<Error> failed;
    try {
        co_await folders_.make(id);
        // Empty, so that a first run that comes at once waits for no look.
        session->disk_->found({}, clock_.now());
    } catch (const ErrorException& error) { failed = error.error; }
    if (failed && failed->code == Code::Conflict && wanted.id) failed.reset();  // left by another
    std::optional<Error> refused;
    // Known from here on, and locked: whoever finds its record in a list waits until it is awake,
    // and makes no second sandbox for it.
    std::optional<FifoMutex::Guard> lock;
    if (!failed && !wanted.id) {
        lock.emplace(co_await session->changing_.lock());
        known_[id.text()] = session;
        // A folder without a record is removed at the next start; a record without a folder would
        // be a session that cannot come back. So the folder was first, and the record is written
        // while the sandbox is taken.
        SessionRecord stored = record;
        const auto store = [&]() -> asio::awaitable<void> {
            try {
                stored = co_await store_.create_session(stored, options_.sessions_an_owner_max);
                recorded = true;
            } catch (const ErrorException& error) { refused = error.error; }
        };
        const auto store_and_wake = [&](Scope& scope) -> asio::awaitable<void> {
            scope.spawn(store);
            try {
                co_await wake(session);
            } catch (const ErrorException& error) { failed = error.error; }
        };
        co_await in_scope(store_and_wake);
        if (recorded) record = stored;
    }
    if (failed || refused) {
        let_go(*session);
        session->gone_ = true;
        if (lock) known_.erase(id.text());
        try {
            if (recorded) co_await store_.remove_session(Whose::anyones(), id);
            co_await folders_.remove(id);
        } catch (const ErrorException&) {
            // The next start removes what is left.
        }
        throw ErrorException(refused ? *refused : failed->during("make a session"));
    }
    known_.emplace(id.text(), session);  // one that was found by its record in between stays
    ++counted_.created;
    if (options_.meter != nullptr) {
        core::UsageCounters one;
        one.sessions_created = 1;
        options_.meter->count(record.owner, one);
    }
    co_return record;
}

asio::awaitable<std::unique_ptr<core::Sandbox>> Sessions::make_sandbox(std::string owner,
                                                                       core::SandboxSpec spec) {
    std::optional<Meter::Reservation> reservation;
    if (options_.meter != nullptr) {
        const auto memory = spec.limits().memory_bytes_max;
        reservation.emplace(co_await options_.meter->reserve(owner, memory));
    }
    std::unique_ptr<core::Sandbox> sandbox;
    std::optional<Error> failed;
    try {
        sandbox = co_await runtime_.create(std::move(spec));
    } catch (const ErrorException& error) {
        failed = error.error;
    } catch (const boost::system::system_error& error) { failed = no_room(error); }
    if (failed) throw ErrorException(for_clients(*failed, options_.tell));
    if (!reservation) co_return sandbox;
    co_return options_.meter->watch(std::move(*reservation), std::move(sandbox));
}

asio::awaitable<Sessions::SessionPtr> Sessions::find(Whose whose, SessionId id) {
    if (const auto found = known_.find(id.text()); found != known_.end()) {
        const auto& owner = whose.owner();
        if (owner && *owner != found->second->record_.owner) throw ErrorException(not_there(id));
        co_return found->second;
    }
    auto record = co_await store_.get_session(whose, id);
    if (record.state == SessionState::Deleting) throw ErrorException(not_there(id));
    // Another request may have brought it in by now.
    if (const auto found = known_.find(id.text()); found != known_.end()) co_return found->second;
    auto session = session_of(std::move(record));
    known_[id.text()] = session;
    co_return session;
}

asio::awaitable<Use> Sessions::use(Whose whose, SessionId id) {
    id = co_await resolve(whose, id);
    auto session = co_await find(whose, id);
    Use use(session);
    const auto awake = [&] { return session->is_up() && !session->frozen_; };
    if (!awake() || session->changing_.locked()) {
        const auto lock = co_await session->changing_.lock();
        refuse_if_left(*session);
        if (!awake()) co_await wake(session);
    }
    use.sandbox_ = session->sandbox_;
    use.link_ = session->link_;
    use.changes_ = session->changes_;
    co_return use;
}

asio::awaitable<void> Sessions::wake(SessionPtr session) {
    must(session->changing_.locked(), "a session changes with its mutex held");
    if (session->is_up()) {
        if (session->frozen_) {
            set_frozen(*session->sandbox_, false, options_.tell);
            session->link_->stand_still(false);
            ++counted_.thawed;
        }
        session->frozen_ = false;
        watch_disk_soon(*session);
        co_await remember(*session, SessionState::Hot);
        co_return;
    }
    refuse_if_stopping();
    if (session->sandbox_ != nullptr) session->fell_ = why_it_fell(*session);
    let_go(*session);
    if (session->fell_) settle_fall(*session);
    std::exception_ptr failed;
    try {
        co_await restore(session);
        // Were it awake and the store said that it sleeps, a server that is killed would not know
        // that variables were lost with it.
        co_await remember(*session, SessionState::Hot);
    } catch (...) { failed = std::current_exception(); }
    if (!failed) co_return;
    // Its state is on disk as it was. A sandbox that has not taken all of it in must not be used:
    // it would be saved over what it lacks.
    let_go(*session);
    std::rethrow_exception(failed);
}

asio::awaitable<void> Sessions::restore(SessionPtr session) {
    // A session without its folder is one thing; all of them being gone is another.
    folders_.check_root().value();
    core::SpecBuilder builder(session->spec_);
    builder.keep_in(SessionFolderReview::of(folders_, session->record_.id));
    for (const auto& mount : DataSetReview(options_.data_sets).mounts(session->data_sets_)) {
        builder.mount(mount);
    }
    // No single file can pass the quota, not even between two looks at the disk.
    core::Limits limits = session->spec_.limits();
    limits.file_bytes_max = largest_file(limits.file_bytes_max, session->disk_->bytes_max);
    // What is left in memory has no more than any sandbox's: all files are on disk.
    limits.disk_bytes_max = std::min(limits.disk_bytes_max, options_.run_limits.disk_bytes_max);
    auto spec = builder.limits(limits).build().value();
    session->sandbox_ = co_await make_sandbox(session->record_.owner, std::move(spec));
    refuse_if_stopping();  // it came too late: wake() lets go of it
    session->cut_ = false;
    session->pulse_due_ = clock_.now() + guest_client::kPulseEvery;
    try {
        session->link_ =
            guest_client::GuestLink::start(executor_, session->sandbox_->take_stream(), clock_);
        session->changes_ = guest_client::Changes::open(executor_, session->link_);
    } catch (const boost::system::system_error& error) { throw ErrorException(no_room(error)); }
    session->full_.reset();
    session->restored_.clear();
    session->stopped_programs_.clear();
    watch_disk_soon(*session);
    if (session->restores_failed_ >= kRestoresMax) {
        // Else it could never be used again. What is saved stays until there is a newer save.
        add(session->lost_, {"", "", "",
                             "the sandbox ended each time that the saved variables were restored: "
                             "it begins without them"});
    } else {
        guest_client::Loaded loaded;
        std::optional<Error> failed;
        try {
            loaded = co_await guest_client::load_variables(session->link_, folders_,
                                                           session->record_.id);
        } catch (const ErrorException& error) { failed = error.error; }
        if (session->cut_) {
            // By a later request: what was saved is that one's to keep or to remove.
            throw ErrorException(
                {Code::Conflict, "the session was restarted or removed meanwhile: try again"});
        }
        if (failed && !session->link_->alive()) {
            ++session->restores_failed_;
            throw ErrorException({Code::Unavailable,
                                  "the sandbox ended while the session's variables were restored; "
                                  "they are kept: try again"});
        }
        if (failed) throw ErrorException(*failed);
        session->restores_failed_ = 0;
        session->restored_ = std::move(loaded.restored);
        for (const auto& one : loaded.lost) {
            add(session->lost_, one);
            if (one.type == guest_client::kProcess) session->stopped_programs_.push_back(one);
        }
    }
    if (session->record_.state == SessionState::Cold) ++counted_.restored;
    for (const auto* note : {&session->record_.state_note, &session->unsaved_}) {
        if (!note->empty()) add(session->lost_, {"", "", "", *note});
    }
    // The record forgets its note now.
    if (!session->lost_.empty()) keep_note(folders_, session->record_.id, session->lost_);
    session->unsaved_.clear();
}

asio::awaitable<void> Sessions::remember(Session& session, SessionState state, std::string note,
                                         std::optional<std::uint64_t> disk_bytes) {
    const bool same = !disk_bytes || *disk_bytes == session.record_.disk_bytes;
    if (same && session.record_.state == state && session.record_.state_note == note) co_return;
    if (read_only()) {
        // Its files can be read all the same; the next start finds it as the store has it.
        session.record_.state = state;
        co_return;
    }
    core::SessionPatch patch;
    patch.state = state;
    patch.state_note = std::move(note);
    patch.disk_bytes = disk_bytes;
    if (state == SessionState::Hot) patch.last_used_at = clock_.wall();  // to sleep is no use
    const SessionId id = session.record_.id;
    session.record_ = co_await store_.patch_session(Whose::anyones(), id, patch, std::nullopt);
}

void Sessions::lost_was_told(Session& session,
                             const std::vector<guest_client::Lost>& lost) noexcept {
    const auto told = [&lost](const guest_client::Lost& one) {
        return std::find(lost.begin(), lost.end(), one) != lost.end();
    };
    if (std::erase_if(session.lost_, told) == 0) return;  // by another run, before
    keep_note(folders_, session.record_.id, session.lost_);
}

std::string Sessions::why_it_fell(Session& session) {
    auto why = std::exchange(session.fell_because_, {});
    if (why.empty() && session.sandbox_) why = session.sandbox_->ended_because();
    return (why.empty() ? "the sandbox ended" : why) + "; all variables are lost";
}

void Sessions::settle_fall(Session& session) {
    if (is_taken_over(session)) {  // what is on disk is another server's, and newer
        session.fell_.reset();
        return;
    }
    if (!session.fell_) session.fell_ = why_it_fell(session);
    add(session.lost_, {"", "", "", *session.fell_});
    guest_client::forget_variables(folders_, session.record_.id, session.lost_);
    session.fell_.reset();
}

void Sessions::cut(Session& session) noexcept {
    session.cut_ = true;
    if (session.link_) session.link_->close();
    if (session.sandbox_) session.sandbox_->destroy();
}

void Sessions::let_go(Session& session, const char* why) noexcept {
    if (session.link_) session.link_->close(why);
    session.link_.reset();
    session.changes_.reset();
    if (session.sandbox_) session.sandbox_->destroy();
    session.sandbox_.reset();  // whoever runs something in it holds on to it, by its Use
    session.frozen_ = false;
}

asio::awaitable<void> Sessions::freeze(SessionPtr session) {
    must(session->changing_.locked(), "a session changes with its mutex held");
    if (!session->link_ || !session->link_->alive() || session->frozen_) co_return;
    set_frozen(*session->sandbox_, true, options_.tell);
    session->link_->stand_still(true);
    session->frozen_ = true;
    ++counted_.frozen;
    co_await remember(*session, SessionState::Warm);
}

void Sessions::refuse_if_left(const Session& session) {
    if (session.gone_) throw ErrorException(not_there(session.record_.id));
    if (session.released_) {
        throw ErrorException({Code::Conflict, "the session was just moved to disk: try again"});
    }
}

bool Sessions::is_taken_over(const Session& session) const {
    return ours_ && !ours_(session.record_.id);
}

asio::awaitable<void> Sessions::go_cold(SessionPtr session) {
    must(session->changing_.locked(), "a session changes with its mutex held");
    const auto state_before = co_await state_bytes(*session);
    if (is_taken_over(*session)) {
        // What is on disk is newer, and what was lost here was reported when it was taken over.
        let_go(*session);
        session->fell_.reset();
        session->unsaved_.clear();
        session->lost_.clear();
        co_await remember(*session, SessionState::Cold);
        co_return;
    }
    if (!session->link_) {
        // It fell, and could not be raised again.
        if (session->fell_) settle_fall(*session);
        const auto state = session->record_.state;
        if (state == SessionState::Hot || state == SessionState::Warm) {
            const auto disk_bytes = co_await count_state(*session, state_before);
            co_await remember(*session, SessionState::Cold, session->unsaved_, disk_bytes);
            session->unsaved_.clear();
        }
        co_return;
    }
    // With a store that is read-only nothing has run, so nothing is newer than what was saved.
    if (session->is_up() && !read_only()) {
        if (session->frozen_) {
            set_frozen(*session->sandbox_, false, options_.tell);
            session->link_->stand_still(false);
            session->frozen_ = false;
        }
        std::optional<Error> failed;
        try {
            co_await guest_client::save_variables(session->link_, folders_, session->record_.id,
                                                  session->spec_.limits().memory_bytes_max,
                                                  session->lost_, session->restored_,
                                                  guest_client::SavedFor::Sleep);
            session->lost_.clear();  // the next waking finds it on disk
            session->restores_failed_ = 0;
        } catch (const ErrorException& error) { failed = error.error; }
        // With a sandbox that lives, it can be tried again; with one that does not, it cannot.
        if (failed && session->link_->alive()) throw ErrorException(*failed);
        if (failed) {
            session->unsaved_ =
                "its variables could not be saved in time: they are as they were when it was "
                "last cold";
            ++counted_.unsaved;
        }
    } else if (!session->is_up()) {
        settle_fall(*session);
        ++counted_.unsaved;
    }
    let_go(*session, "the session went to sleep");
    ++counted_.evicted;
    const auto disk_bytes = co_await count_state(*session, state_before);
    co_await remember(*session, SessionState::Cold, session->unsaved_, disk_bytes);
    session->unsaved_.clear();
}

asio::awaitable<SessionRecord> Sessions::pause(Whose whose, SessionId id) {
    id = co_await resolve(whose, id);
    const auto session = co_await find(whose, id);
    const auto lock = co_await session->changing_.lock();
    refuse_if_left(*session);
    if (session->users_ > 0) {
        throw ErrorException({Code::Conflict, "the session is in use: something runs in it"});
    }
    co_await freeze(session);
    co_return session->record_;
}

asio::awaitable<SessionRecord> Sessions::evict(Whose whose, SessionId id) {
    id = co_await resolve(whose, id);
    const auto session = co_await find(whose, id);
    const auto lock = co_await session->changing_.lock();
    refuse_if_left(*session);
    if (session->users_ > 0) {
        throw ErrorException({Code::Conflict, "the session is in use: something runs in it"});
    }
    co_await go_cold(session);
    co_return session->record_;
}

asio::awaitable<SessionRecord> Sessions::restart(Whose whose, SessionId id) {
    id = co_await resolve(whose, id);
    const auto session = co_await find(whose, id);
    cut(*session);
    const auto lock = co_await session->changing_.lock();
    refuse_if_left(*session);
    let_go(*session);
    // Should one of the next steps fail, this is why its variables are not there.
    session->fell_ = "the session was restarted; all variables are lost";
    settle_fall(*session);
    co_await wake(session);
    if (!session->lost_.empty()) keep_note(folders_, id, {});
    session->lost_.clear();  // asked for
    co_return session->record_;
}

asio::awaitable<void> Sessions::release(SessionId id) {
    if (known_.count(id.text()) == 0) co_return;
    const auto session = co_await find(Whose::anyones(), id);
    const auto lock = co_await session->changing_.lock();
    if (session->gone_) co_return;
    if (session->users_ > 0) {
        throw ErrorException({Code::Conflict, "the session is in use: something runs in it"});
    }
    co_await go_cold(session);
    session->released_ = true;
    known_.erase(id.text());
}

asio::awaitable<void> Sessions::note(SessionId id, std::string sentence) {
    const auto session = co_await find(Whose::anyones(), id);
    session->lost_.push_back({"", "", "", std::move(sentence)});
}

asio::awaitable<std::vector<SessionRecord>> Sessions::fork(Whose whose, SessionId id,
                                                           Copies copies) {
    const auto count = copies.count;
    const auto& name = copies.name;
    check_name(name);
    if (count > 1 && !name.empty()) {
        throw ErrorException(
            {Code::InvalidArgument, "name: several copies cannot have the same name"});
    }
    id = co_await resolve(whose, id);
    const auto session = co_await find(whose, id);
    const auto lock = co_await session->changing_.lock();
    const std::string spec_of_copy = spec_for_copy(session->record_, copies);
    refuse_if_left(*session);
    if (session->users_ > 0 && !copies.while_in_use) {
        throw ErrorException({Code::Conflict, "the session is in use: something runs in it"});
    }
    if (is_taken_over(*session)) {
        throw ErrorException({Code::Conflict, "another server has this session now: try again"});
    }
    const bool awake = session->is_up();
    if (!awake) {
        // What is on disk is older than what it fell with; its forks must not take that for all.
        if (session->sandbox_) session->fell_ = why_it_fell(*session);
        let_go(*session);
        if (session->fell_) settle_fall(*session);
    }
    const bool was_frozen = session->frozen_;
    if (awake) {
        if (was_frozen) set_frozen(*session->sandbox_, false, options_.tell);
        session->link_->stand_still(false);
        session->frozen_ = false;
        const auto state_before = co_await state_bytes(*session);
        // What merely a copy lacks is no loss of the session itself. It stays in the note on disk,
        // for the copies, and for this one should the server be killed before its next sleep.
        session->lost_ = co_await guest_client::save_variables(
            session->link_, folders_, id, session->spec_.limits().memory_bytes_max, session->lost_,
            session->restored_, guest_client::SavedFor::Copy);
        co_await count_state(*session, state_before);
        // Files shall be those of one moment. Without a cgroup nothing can be frozen; then a
        // program in the background may write while they are copied, as with any copy.
        session->frozen_ = static_cast<bool>(session->sandbox_->freeze(true));
        session->link_->stand_still(session->frozen_);
    }
    std::vector<SessionRecord> made;
    std::optional<Error> failed;
    std::uint64_t bytes_each = 0;
    if (options_.owner_bytes_max) {
        const auto use = co_await look_at_disk(*session);
        const auto ledger = co_await owner_ledger(session->record_.owner);
        bytes_each = use.bytes;
        if (bytes_each * count > ledger->bytes_left()) failed = owner_is_full(*ledger);
    }
    for (std::size_t i = 0; i < count && !failed; ++i) {
        SessionRecord record = session->record_;
        record.id = copies.id ? *copies.id : new_id();
        record.name = name;
        if (copies.metadata) record.metadata = *copies.metadata;
        record.state = SessionState::Cold;
        record.disk_bytes = bytes_each;
        record.created_at = record.last_used_at = clock_.wall();
        if (copies.expires_at) {
            record.expires_at = *copies.expires_at;
        } else if (record.expires_at) {
            *record.expires_at += record.created_at - session->record_.created_at;
        }
        record.spec_json = spec_of_copy;
        if (!session->unsaved_.empty()) record.state_note = session->unsaved_;
        if (copies.says_from_where) record.metadata["forked_from"] = id.text();
        try {
            // Folders first: without a record they go at the next start, should we be killed here.
            co_await folders_.copy(id, record.id);
            folders_.share_state(id, record.id).value();
            made.push_back(co_await store_.create_session(record, options_.sessions_an_owner_max));
        } catch (const ErrorException& error) { failed = error.error; }
        if (failed) {
            try {
                co_await folders_.remove(record.id);
            } catch (const ErrorException&) {
                // Nothing was copied, or the next start removes it.
            }
        }
    }
    // The copies stand whether it thaws or not; if not, its next use tries again, as after a sleep.
    if (awake && session->frozen_ && !was_frozen && session->sandbox_->freeze(false)) {
        session->link_->stand_still(false);
        session->frozen_ = false;
    }
    session->unused_since_ = clock_.now();
    if (!failed) co_return made;
    for (const auto& record : made) {
        try {
            co_await remove(Whose::anyones(), record.id);
        } catch (const ErrorException&) {
            // It is one session too many, and listed; its owner can remove it.
        }
    }
    throw ErrorException(failed->during("fork session " + id.text()));
}

asio::awaitable<void> Sessions::remove(Whose whose, SessionId id) {
    id = co_await resolve(whose, id);
    SessionPtr session;
    std::optional<FifoMutex::Guard> lock;
    do {  // until nobody else has released it while this one waited
        lock.reset();
        session = co_await find(whose, id);
        cut(*session);
        lock.emplace(co_await session->changing_.lock());
    } while (session->released_);
    refuse_if_left(*session);
    session->gone_ = true;
    AtExit back([&session] { session->gone_ = false; });  // unless it is removed after all
    core::SessionPatch patch;
    patch.state = SessionState::Deleting;
    std::optional<Error> unwritten, failed;
    try {
        co_await store_.patch_session(Whose::anyones(), id, patch, std::nullopt);
    } catch (const ErrorException& error) { unwritten = error.error; }
    if (unwritten && unwritten->code != Code::DiskFull) throw ErrorException(*unwritten);
    // Where the disk is too full to write even that, removing its files makes the room.
    let_go(*session);
    try {
        co_await folders_.remove(id);
    } catch (const ErrorException& error) { failed = error.error; }
    if (failed && failed->code == Code::NotFound) failed.reset();  // they are gone, as they shall
    if (!failed) {
        try {
            co_await store_.remove_session(Whose::anyones(), id);
        } catch (const ErrorException& error) { failed = error.error; }
    }
    if (failed && unwritten)
        throw ErrorException(*failed);  // listed still, and can be removed still
    back.cancel();
    // Written down, it is gone for everybody; what is left of it goes with the next rounds.
    if (failed) removals_left_ = true;
    known_.erase(id.text());
    if (on_removed_) on_removed_(id);
}

asio::awaitable<void> Sessions::finish_removals() {
    if (!removals_left_ || read_only()) co_return;
    removals_left_ = false;
    core::SessionQuery query{Whose::anyones(), {SessionState::Deleting}, {}, {}, kPage};
    std::vector<SessionId> all;
    do {
        const auto page = co_await store_.list_sessions(query);
        for (const auto& record : page.sessions) all.push_back(record.id);
        query.cursor = page.next_cursor;
    } while (!query.cursor.empty());
    for (const auto& id : all) {
        if (known_.count(id.text()) != 0) continue;  // a request is at it
        std::optional<Error> failed;
        try {
            co_await folders_.remove(id);
        } catch (const ErrorException& error) { failed = error.error; }
        if (failed && failed->code != Code::NotFound) {
            removals_left_ = true;
            continue;
        }
        try {
            co_await store_.remove_session(Whose::anyones(), id);
        } catch (const ErrorException&) { removals_left_ = true; }
    }
}

SessionRecord Sessions::as_it_is(SessionRecord record) const {
    const auto found = known_.find(record.id.text());
    if (found == known_.end()) return record;
    record.state = found->second->record_.state;
    return record;
}

asio::awaitable<SessionRecord> Sessions::get(Whose whose, SessionId id) {
    id = co_await resolve(whose, id);
    auto record = co_await store_.get_session(whose, id);
    if (record.state == SessionState::Deleting) throw ErrorException(not_there(id));
    co_return as_it_is(std::move(record));
}

asio::awaitable<core::SessionPage> Sessions::list(core::SessionQuery query) {
    auto page = co_await store_.list_sessions(std::move(query));
    for (auto& record : page.sessions) record = as_it_is(std::move(record));
    co_return page;
}

asio::awaitable<SessionRecord> Sessions::patch(Whose whose, SessionId id,
                                               core::SessionPatch patch) {
    if (patch.name) check_name(*patch.name);
    id = co_await resolve(whose, id);
    const auto session = co_await find(whose, id);
    auto record = co_await store_.patch_session(whose, id, std::move(patch), std::nullopt);
    record.state = session->record_.state;
    session->record_ = record;
    co_return record;
}

asio::awaitable<std::unique_ptr<core::Sandbox>> Sessions::ephemeral(NewSession wanted) {
    core::SpecBuilder builder;
    builder.from_template(wanted.template_name).limits(wanted.limits);
    for (const auto& [name, value] : wanted.environment) builder.environment(name, value);
    for (const auto& mount : DataSetReview(options_.data_sets).mounts(wanted.data_sets)) {
        builder.mount(mount);
    }
    auto spec = builder.build().value();
    co_await check_owner_disk(wanted.owner);
    refuse_if_stopping();
    co_return co_await make_sandbox(wanted.owner, std::move(spec));
}

std::shared_ptr<guest_client::GuestLink> Sessions::open_link(core::Sandbox& sandbox) {
    auto link = guest_client::GuestLink::start(executor_, sandbox.take_stream(), clock_);
    std::erase_if(links_, [](const OpenLink& one) { return one.link.expired(); });
    links_.push_back({link, clock_.now() + guest_client::kPulseEvery});
    if (stopping_) link->close();
    return link;
}

SessionCounts Sessions::counts() const {
    SessionCounts counts = counted_;
    for (const auto& [id, session] : known_) {
        if (!session->link_) continue;
        ++counts.awake[session->frozen_ ? SessionState::Warm : SessionState::Hot];
    }
    return counts;
}

std::optional<core::Usage> Sessions::usage(const SessionId& id) const {
    const auto found = known_.find(id.text());
    if (found == known_.end() || !found->second->sandbox_) return std::nullopt;
    return found->second->sandbox_->usage();
}

asio::awaitable<void> Sessions::stop() {
    stopping_ = true;
    round_.cancel();
    disk_round_.cancel();
    std::vector<SessionPtr> all;
    for (const auto& [id, session] : known_) all.push_back(session);
    const auto save = [this](SessionPtr session) -> asio::awaitable<void> {
        try {
            const auto lock = co_await session->changing_.lock();
            co_await go_cold(session);
        } catch (const std::exception&) {
            // It stays awake and goes with its sandbox; counts() says that it was not saved.
        }
    };
    const auto cut_all = [&] {
        for (const auto& session : all) cut(*session);
        for (const auto& one : links_) {
            if (const auto link = one.link.lock()) link->close();
        }
    };
    core::Timer late(executor_, clock_);
    late.expires_after(kTimeToStop);
    late.then(cut_all);  // whose guest takes longer loses what was not saved
    Scope saving(executor_);
    for (const auto& session : all) saving.spawn(save(session));
    co_await saving.join();
    late.cancel();
    cut_all();
    for (const auto& session : all) let_go(*session);
    known_.clear();
    try {
        co_await beside_.join();
    } catch (const std::exception&) {
        // What failed in the background was tried again by the next round, which there is no more.
    }
}

}  // namespace atl::sessions

#pragma once
// Sessions and their lifecycle: they run, sleep and wake.
//
//     hot  ── idle, or pause ──▶ warm (frozen) ── longer, or evict ──▶ cold (no sandbox)
//      ▲                           │ thaw                                │ restore
//      └───────────────────────────┴─────────────────────────────────────┘  by the next use
//
// Whoever wants something of a session takes a Use: it wakes the session (concurrent
// callers share one wake), and while a Use is held the session stays awake.
// Owns      the sandboxes of all sessions. Records are the store's, files are the folders'.
// Threads   one, the executor's.
// Promises  a session that was acknowledged is in the store; its files are on disk as they are
//           written. Variables are kept when it goes cold; what could not be kept is named by the
//           first run that is answered after, however often it slept or the server was killed until
//           then. A server that is killed loses the variables of hot and warm sessions
//           back to when they were last cold, and says so.
// Trusts    its caller, who has checked who is asking (Whose) and what limits they may request.
#include "base/must.hpp"
#include "base/scope.hpp"
#include "core/ceilings.hpp"
#include "core/clock.hpp"
#include "core/folders.hpp"
#include "core/runtime.hpp"
#include "core/store.hpp"
#include "guest_client/changes.hpp"
#include "guest_client/guest_link.hpp"
#include "guest_client/variables.hpp"
#include "sessions/disk.hpp"
#include "sessions/fifo_mutex.hpp"
#include "sessions/meter.hpp"
#include "sessions/owner_storage.hpp"
#include "sessions/standing.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace atl::sessions {

using Clock = std::chrono::steady_clock;

struct NewSession {
    std::string owner;
    std::string name;
    std::map<std::string, std::string> metadata;
    std::string template_name = "default";
    core::Limits limits;
    std::map<std::string, std::string> environment;
    std::vector<std::string> data_sets;                // by name, of those that the server offers
    std::optional<std::chrono::seconds> idle_to_warm;  // else the server's
    std::optional<std::chrono::seconds> idle_to_cold;
    std::optional<std::chrono::seconds> lifetime;  // hard, from now on
    Standing standing;
    // Of a thread's session, which the thread names before it is there: begins with kOfThread. It
    // is cold until it is used. Its folder may be there already, left by a server that shares it.
    std::optional<SessionId> id;
};

// Where several servers share the folders of sessions, one whose id begins so may be another's: who
// starts leaves its folder alone, also without a record of it.
inline constexpr std::string_view kOfThread = "t-";

struct SessionOptions {
    std::chrono::seconds idle_to_warm{60};
    std::chrono::seconds idle_to_cold{600};
    // A session in which programs still run stays awake for so long after its last use; 0: they do
    // not count.
    std::chrono::seconds background_awake{1800};
    std::uint64_t sessions_an_owner_max = 1000;
    std::chrono::seconds idle_to_end{0};             // unused for so long it is removed; 0 = never
    std::optional<std::uint64_t> session_bytes_max;  // on disk
    std::optional<std::uint64_t> owner_bytes_max;    // on disk, of all that an owner keeps
    OwnerStorage* owner_storage = nullptr;  // borrowed; null: an owner keeps sessions alone
    Meter* meter = nullptr;                 // borrowed; null: nothing is counted
    core::Limits limits;                    // of sessions, where the client names none
    core::Limits run_limits;                // of runs without a session
    core::Ceilings ceilings;                // of what a client may name
    // What the host's user offers: by its name a folder of the host, which shows read-only at
    // /data/<name> in sandboxes that ask for it. Clients know the names and nothing more.
    std::map<std::string, std::string> data_sets;
    // Which part of the host's memory is free, 0 to 1. Below `memory_free_min` sessions that nobody
    // uses go cold before their time, the longest idle first.
    std::function<double()> memory_free;
    double memory_free_min = 0.08;
    // Names of new sessions; null: random ones, which nobody guesses.
    std::function<std::string()> new_id;
    // What the administrator should know and clients should not: paths of the host. May be empty.
    std::function<void(const std::string&)> tell;
};

class Sessions;

// A session in memory. Its sandbox is there while it is hot or warm.
class Session {
public:
    explicit Session(core::Clock& clock) : clock_(clock), unused_since_(clock.now()) {}
    [[nodiscard]] const core::SessionRecord& record() const noexcept { return record_; }
    [[nodiscard]] const core::Limits& limits() const noexcept { return spec_.limits(); }
    [[nodiscard]] const std::map<std::string, std::string>& environment() const noexcept {
        return spec_.environment();
    }
    [[nodiscard]] const std::shared_ptr<DiskStops>& disk_stops() const noexcept { return stops_; }
    [[nodiscard]] std::optional<std::uint64_t> disk_bytes_max() const { return disk_->bytes_max; }
    // What did not come back with a restore: every run says it until one was heard, which tells
    // Sessions::lost_was_told.
    [[nodiscard]] const std::vector<guest_client::Lost>& lost() const noexcept { return lost_; }

    // Programs that its last sleep stopped. They were not restored with it.
    [[nodiscard]] const std::vector<guest_client::Lost>& stopped_programs() const noexcept {
        return stopped_programs_;
    }

private:
    friend class Sessions;
    friend class Use;
    // Whether it has a sandbox that can be used, once it is thawed.
    [[nodiscard]] bool is_up() const {
        return link_ && link_->alive() && sandbox_->ended_because().empty();
    }
    core::Clock& clock_;
    core::SessionRecord record_;
    core::SandboxSpec spec_;
    std::shared_ptr<core::Sandbox> sandbox_;
    std::shared_ptr<guest_client::GuestLink> link_;
    std::shared_ptr<guest_client::Changes> changes_;  // of the link
    bool frozen_ = false;
    bool cut_ = false;       // its sandbox was ended by a request while another may wake it
    bool gone_ = false;      // removed: whoever waited for it hears that it is not there
    bool released_ = false;  // on disk, and forgotten here: the next who asks gets a new object
    std::size_t users_ = 0;
    Clock::time_point unused_since_;
    Clock::time_point worked_until_{};  // when programs were last seen to run in it, unused
    std::vector<guest_client::Lost> stopped_programs_;
    std::vector<guest_client::Lost> lost_;  // and nobody was told; on disk as well
    std::set<std::string> restored_;        // contexts that this sandbox has from disk
    int restores_failed_ = 0;               // in a row: the sandbox ended while it was restored
    std::string unsaved_;              // of variables: what the record shall say, until it does
    std::optional<std::string> fell_;  // why the newest variables are gone, until that is settled
    FifoMutex changing_;
    std::vector<std::string> data_sets_;
    // What it has on disk, and when to look again (disk_watch.cpp).
    std::shared_ptr<DiskLedger> disk_ = std::make_shared<DiskLedger>();
    std::shared_ptr<DiskStops> stops_ = std::make_shared<DiskStops>();
    Clock::time_point pulse_due_{};  // when to ask again whether its guest answers
    Clock::time_point disk_due_{};
    bool disk_looking_ = false;
    std::uint64_t disk_cpu_us_ = 0;  // at the last look: who has not run has not written
    struct Full {
        Clock::time_point since;
        core::FolderUse use;
        bool grew = false;  // after it was told to stop, and had the time to
    };
    std::optional<Full> full_;
    std::string fell_because_;
};

// Keeps a session awake while it is held. Its sandbox and link are those of the moment when it was
// asked for: should the session be removed or restarted meanwhile, they are there still, and the
// link says that it is dead.
class [[nodiscard]] Use {
public:
    explicit Use(std::shared_ptr<Session> session) : session_(std::move(session)) {
        ++session_->users_;
    }
    Use(Use&& other) noexcept = default;
    Use& operator=(Use&&) = delete;
    ~Use() {
        if (!session_) return;
        must(session_->users_ > 0, "a use was counted");
        --session_->users_;
        session_->unused_since_ = session_->clock_.now();
    }
    [[nodiscard]] const std::shared_ptr<guest_client::GuestLink>& link() const noexcept {
        return link_;
    }
    [[nodiscard]] core::Sandbox& sandbox() const noexcept { return *sandbox_; }
    [[nodiscard]] const std::shared_ptr<guest_client::Changes>& changes() const noexcept {
        return changes_;
    }
    Session* operator->() const noexcept { return session_.get(); }
    Session& operator*() const noexcept { return *session_; }

private:
    friend class Sessions;
    std::shared_ptr<Session> session_;
    std::shared_ptr<core::Sandbox> sandbox_;
    std::shared_ptr<guest_client::GuestLink> link_;
    std::shared_ptr<guest_client::Changes> changes_;
};

struct SessionCounts {
    std::map<core::SessionState, std::size_t> awake;
    std::uint64_t created = 0, restored = 0, thawed = 0, frozen = 0, evicted = 0, pressed = 0;
    std::uint64_t disk_full = 0;  // sandboxes that were ended for what they wrote
    std::uint64_t unsaved = 0;    // of the evicted: without what their variables were last
};

class Sessions {
public:
    Sessions(boost::asio::any_io_executor executor, core::Runtime& runtime, core::Store& store,
             core::Folders& folders, SessionOptions options,
             core::Clock& clock = core::system_clock());

    // Once, before anything else: sessions that a killed server left awake are cold now, and
    // folders that no record knows are removed, if the place is this store's own (Folders::claim).
    // Else they are somebody's, and stay: answers with how many.
    boost::asio::awaitable<std::size_t> recover();
    // Told of each session that is gone.
    void on_removed(std::function<void(const SessionId&)> hear) { on_removed_ = std::move(hear); }
    // Asked before a session's state on disk is replaced or removed because its sandbox went to
    // sleep or died. False: another server has taken the session over, and the sandbox here is
    // discarded. May throw ErrorException; then it is asked again later.
    void save_only_if(std::function<bool(const SessionId&)> ours) { ours_ = std::move(ours); }
    // Puts idle sessions to sleep and ends those whose time is over, until stop().
    boost::asio::awaitable<void> keep_house();
    // Saves the variables of everything that is awake, each by itself and within a bound, then
    // closes all links to guests: whoever waits for one hears that it is closed. What is asked
    // later is refused. After it nothing runs by itself here; requests that hold a Use may go on.
    boost::asio::awaitable<void> stop();

    // Wherever an owner asks for a session, its name does as well as its id.
    //
    // Conflict when the owner has one of that name already; InvalidArgument for a name that looks
    // like an id.
    boost::asio::awaitable<core::SessionRecord> create(NewSession wanted);
    boost::asio::awaitable<core::SessionRecord> get(core::Whose whose, SessionId id);
    boost::asio::awaitable<core::SessionPage> list(core::SessionQuery query);
    boost::asio::awaitable<core::SessionRecord> patch(core::Whose whose, SessionId id,
                                                      core::SessionPatch patch);
    boost::asio::awaitable<void> remove(core::Whose whose, SessionId id);

    boost::asio::awaitable<Use> use(core::Whose whose, SessionId id);
    // The owner's session of this id or name; made if there is none, for clients that choose ids
    // themselves. First uses at one time make one session. NotFound for an id that only the server
    // gives, InvalidArgument for a name that nobody may choose. `made` hears of one that was made.
    using Made = std::function<void(const SessionId& id)>;
    boost::asio::awaitable<Use> use_or_make(NewSession wanted, Made made = {});
    boost::asio::awaitable<core::SessionRecord> pause(core::Whose whose, SessionId id);
    boost::asio::awaitable<core::SessionRecord> evict(core::Whose whose, SessionId id);
    // Puts it to sleep until it is taken up again, also while something runs in it: what runs
    // stands still with it (Frozen), or ends (OnDisk, where files and variables are kept). It has
    // no end meanwhile, and a frozen one goes to disk after the server's own time. Conflict when it
    // is held already.
    enum class Hold { Frozen, OnDisk };
    boost::asio::awaitable<core::SessionRecord> hold(core::Whose whose, SessionId id, Hold how);
    // Changes what is arranged for it, with all else in the patch; one at a time.
    boost::asio::awaitable<core::SessionRecord> arrange(
        core::Whose whose, SessionId id,
        std::function<void(Standing&, const core::SessionRecord&, core::SessionPatch&)> change);
    // Anybody's, as it is in memory if it is there, else as it is stored. For who has no owner's
    // word yet, and checks another proof against it.
    boost::asio::awaitable<core::SessionRecord> look(SessionId id);
    // Those that are awake, until `hear` says false.
    void each_awake(const std::function<bool(const core::SessionRecord&)>& hear) const;
    // A fresh sandbox with the same files; variables are gone.
    boost::asio::awaitable<core::SessionRecord> restart(core::Whose whose, SessionId id);
    // To disk, and out of memory: what is read next is what another server has left there. NotFound
    // is no error, for it is gone then, too. Conflict while it is in use.
    boost::asio::awaitable<void> release(SessionId id);
    // Who was in it has left: it goes to disk now, in place of after its idle times. False while it
    // is in use, or programs keep it awake. One that is never to go to disk stays awake.
    boost::asio::awaitable<bool> store_left(SessionId id);
    // Whether it is in use, or programs keep it awake.
    boost::asio::awaitable<bool> is_at_work(SessionId id);
    // Notes why its variables may be older than its files; said by the first Use after.
    boost::asio::awaitable<void> note(SessionId id, std::string sentence);

    struct Copies {
        std::size_t count = 1;
        std::string name{};
        // Of the only copy: else it gets a new id, and the metadata of the session.
        std::optional<SessionId> id{};
        std::optional<std::map<std::string, std::string>> metadata{};
        std::optional<Standing> standing{};  // else the session's own
        // Of the copies; the inner one empty: they have none. Else as long as the session's was.
        std::optional<std::optional<core::Time>> expires_at{};
        std::map<std::string, std::string> environment{};  // in addition to the session's
        // What runs in it goes on, and is not in the copy: its files are those of one moment, which
        // a program in the middle of writing may not have chosen.
        bool while_in_use = false;
        bool says_from_where = true;  // in the metadata, as `forked_from`
    };
    // Copies of its files and Python variables, cold until they are used. The session itself goes
    // on; what runs in it must have ended. All of them, or none. Names are unique, so a copy has
    // none, unless it is the only one.
    boost::asio::awaitable<std::vector<core::SessionRecord>> fork(core::Whose whose, SessionId id,
                                                                  Copies copies);
    // Exhausted when the session, or its owner, has more on disk than allowed: looks at the disk,
    // unless that cannot be. For whatever could write more.
    boost::asio::awaitable<void> check_disk(const Session& session);
    // Room for an upload of `bytes` (0: not known yet) in place of a file that has `replaced` on
    // disk. TooLarge when they do not fit. The session outlives it.
    boost::asio::awaitable<DiskRoom> room_for(const Session& session, std::uint64_t bytes,
                                              std::uint64_t replaced);

    // Exhausted when an owner has as much on disk as allowed: for what begins without a session.
    boost::asio::awaitable<void> check_owner_disk(std::string owner);
    // Room for what a run without a session leaves on the host.
    boost::asio::awaitable<std::unique_ptr<OutputRoom>> room_for_outputs(std::string owner);

    // A client was told of these, which Session::lost gave; the next run need not say them again.
    void lost_was_told(Session& session, const std::vector<guest_client::Lost>& lost) noexcept;

    // A sandbox that is nobody's session: for one run. In use until destroyed. Exhausted when its
    // owner has as much on disk as allowed.
    boost::asio::awaitable<std::unique_ptr<core::Sandbox>> ephemeral(NewSession wanted);
    // The stream to such a sandbox. Looked after like those of sessions: closed if its guest does
    // not answer, and by stop().
    [[nodiscard]] std::shared_ptr<guest_client::GuestLink> open_link(core::Sandbox& sandbox);

    [[nodiscard]] SessionCounts counts() const;
    // Of a session that is awake.
    [[nodiscard]] std::optional<core::Usage> usage(const SessionId& id) const;
    [[nodiscard]] const SessionOptions& options() const noexcept { return options_; }

private:
    using SessionPtr = std::shared_ptr<Session>;

    boost::asio::awaitable<SessionPtr> find(core::Whose whose, SessionId id);
    // The id of the session that an owner calls so; what is no name of theirs is returned as it is.
    boost::asio::awaitable<SessionId> resolve(core::Whose whose, SessionId id);
    boost::asio::awaitable<void> wake(SessionPtr session);
    boost::asio::awaitable<void> restore(SessionPtr session);
    // Sessions that are gone for their clients, and of which something is left.
    boost::asio::awaitable<void> finish_removals();
    boost::asio::awaitable<void> keep_house_in(Scope& removals);
    boost::asio::awaitable<void> tidy_up();
    boost::asio::awaitable<void> freeze(SessionPtr session);
    boost::asio::awaitable<void> go_cold(SessionPtr session);
    [[nodiscard]] bool is_taken_over(const Session& session) const;
    // Of whoever waited for the session's mutex: it is removed, or another object stands for it
    // now.
    static void refuse_if_left(const Session& session);
    // What a session that nobody uses is due for, by the time since its last use.
    enum class Rest { None, Forget, Warm, Cold, End };
    [[nodiscard]] Rest rest_due(const Session& session) const;
    boost::asio::awaitable<void> look_after(SessionPtr session);
    boost::asio::awaitable<bool> works_in_background(SessionPtr session);
    // With the session's mutex held: whether it is in use, or such programs run that count.
    boost::asio::awaitable<bool> is_kept_awake(SessionPtr session);
    boost::asio::awaitable<void> end_expired();
    boost::asio::awaitable<void> make_cold_if_idle(SessionPtr session);
    void relieve_memory();
    void check_pulses();
    void refuse_if_stopping() const;
    // Ends its sandbox at once, so that whoever holds the session's mutex lets go of it.
    static void cut(Session& session) noexcept;
    boost::asio::awaitable<std::unique_ptr<core::Sandbox>> make_sandbox(std::string owner,
                                                                        core::SandboxSpec spec);
    [[nodiscard]] SessionPtr new_session() const;
    [[nodiscard]] SessionId new_id() const;
    [[nodiscard]] SessionPtr session_of(core::SessionRecord record) const;  // throws
    // What a sandbox of these data sets is given. NotFound and Unavailable, without host paths.
    [[nodiscard]] bool read_only() const;
    boost::asio::awaitable<std::uint64_t> disk_of_owner(std::string owner);
    boost::asio::awaitable<core::FolderUse> look_at_disk(const Session& session);
    boost::asio::awaitable<std::shared_ptr<DiskLedger>> owner_ledger(std::string owner);
    boost::asio::awaitable<void> watch_disks();
    boost::asio::awaitable<void> watch_disk(SessionPtr session);
    [[nodiscard]] static bool put_off_look(Session& session, Clock::time_point now);
    void judge_disk(Session& session, core::FolderUse use);
    void watch_disk_soon(Session& session);
    void let_go(Session& session, const char* why = "the sandbox was closed") noexcept;
    // Its sandbox ended without a farewell.
    [[nodiscard]] static std::string why_it_fell(Session& session);
    // What was saved is older than what was lost with the sandbox: it would be a past that never
    // met this state. Throws while it cannot be removed.
    void settle_fall(Session& session);
    boost::asio::awaitable<void> remember(Session& session, core::SessionState state,
                                          std::string note = {},
                                          std::optional<std::uint64_t> disk_bytes = {});
    // What its saved variables take on disk; nothing if no quota asks, or the disk does not tell.
    boost::asio::awaitable<std::optional<std::uint64_t>> state_bytes(const Session& session);
    // They may have changed since: its ledger follows. Answers with what the record shall say.
    boost::asio::awaitable<std::optional<std::uint64_t>> count_state(
        Session& session, std::optional<std::uint64_t> before);
    // With the session's mutex held.
    boost::asio::awaitable<core::SessionRecord> rewrite(SessionPtr session,
                                                        core::SessionPatch patch);
    [[nodiscard]] core::SessionRecord as_it_is(core::SessionRecord record) const;

    boost::asio::any_io_executor executor_;
    core::Runtime& runtime_;
    core::Store& store_;
    core::Folders& folders_;
    SessionOptions options_;
    core::Clock& clock_;
    std::map<std::string, SessionPtr> known_;
    std::map<std::pair<std::string, std::string>, std::shared_ptr<FifoMutex>> first_uses_;
    std::function<void(const SessionId&)> on_removed_;
    std::function<bool(const SessionId&)> ours_;
    std::map<std::string, std::shared_ptr<DiskLedger>> owners_;
    core::Timer round_;
    core::Timer disk_round_;
    bool stopping_ = false;
    bool ending_expired_ = false, tidying_up_ = false;  // one of each at a time
    bool removals_left_ = false;  // records that say Deleting, and nobody is at them
    SessionCounts counted_;
    struct OpenLink {  // of a sandbox that is nobody's session
        std::weak_ptr<guest_client::GuestLink> link;
        Clock::time_point pulse_due;
    };
    std::vector<OpenLink> links_;
    Scope beside_;  // what keep_house() starts; stop() waits for it
};

}  // namespace atl::sessions

#pragma once
// Jobs: code that is queued, run in order, and kept with its result.
//
//     add ──▶ queued ── by owner, priority, age ──▶ running ──▶ succeeded │ failed │ cancelled
//               ▲                                    │
//               └── another attempt, after a pause ──┘   (it failed; or the server cut it off)
//
// A job runs in a sandbox of its own, which is gone afterwards, or in a session of its owner.
// Owns      the attempts under way. Records and logs are the store's, sandboxes the Sessions'.
// Threads   one, the executor's. Must outlive its watches; stop() and ended_by() before it goes.
// Promises  a job that was acknowledged is in the store and is run, also if the server is killed:
//           recover() queues or fails what was running, as the job says. Only the server that took
//           a job from the store runs it, and the sandboxes of a killed server die with it.
//           Output is in the log in the order in which it came; a crash may lose the last moments
//           of it, and then the log says that the run was cut off.
// Trusts    its caller, who has checked who is asking (Whose) and what limits they may request.
#include "base/scope.hpp"
#include "core/store.hpp"
#include "sessions/bell.hpp"
#include "sessions/execution.hpp"
#include "sessions/job_log.hpp"
#include "sessions/job_spec.hpp"
#include "sessions/sessions.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace atl::sessions {

struct NewJob {
    std::string owner;
    core::JobKind kind = core::JobKind::Python;
    std::string code;
    JobSpec spec;
    std::map<std::string, std::string> metadata;
    std::chrono::milliseconds timeout{0};  // of one attempt; 0 = the server's
    std::uint32_t retries = 0;
    std::int32_t priority = 0;
    core::AfterCrash after_crash = core::AfterCrash::Fail;
    std::optional<SessionId> session;
};

struct JobOptions {
    std::size_t running_max = 0;  // at one time; 0 = as many as there are processors
    // Of one owner; 0 = no limit of its own. None: all but one, so that long jobs of one owner
    // leave a place to others, where owners differ.
    std::optional<std::uint32_t> owner_running_max = {};
    // Whether there can be more than one owner. None: there can.
    std::function<bool()> owners_differ = {};
    std::uint64_t owner_waiting_max = 10'000;
    std::uint64_t log_bytes_max = 16u << 20;
    std::chrono::milliseconds timeout{std::chrono::hours{1}};
    std::chrono::milliseconds retry_pause_first{1000};  // doubles with each
    std::chrono::milliseconds retry_pause_most{60'000};
    std::chrono::hours keep_ended{24 * 30};
    std::chrono::seconds lease{30};
};

class Jobs {
public:
    Jobs(boost::asio::any_io_executor executor, core::Store& store, Sessions& sessions,
         JobOptions options, core::Clock& clock = core::system_clock());

    // Once, before run(): what a killed server left running.
    boost::asio::awaitable<core::Recovered> recover();
    // Takes jobs and runs them until begin_stop().
    boost::asio::awaitable<void> run();
    // Takes no more. Jobs that are added wait for the next start.
    void begin_stop();
    // Waits for what runs, at most so long; then ends it, and it goes back or fails as it says. An
    // attempt that waits for a session ends when that does, see ended_by().
    boost::asio::awaitable<void> stop(std::chrono::steady_clock::time_point until);
    // False if something still runs then.
    boost::asio::awaitable<bool> ended_by(std::chrono::steady_clock::time_point until) {
        return scope_.ended_by(until);
    }

    boost::asio::awaitable<core::JobRecord> add(NewJob wanted);
    boost::asio::awaitable<core::JobRecord> get(core::Whose whose, JobId id);
    boost::asio::awaitable<core::JobPage> list(core::JobQuery query);
    // One that waits is cancelled at once, one that runs is asked to end, and soon made to.
    boost::asio::awaitable<core::JobRecord> cancel(core::Whose whose, JobId id);
    // With its log. Conflict unless it has ended.
    boost::asio::awaitable<void> remove(core::Whose whose, JobId id);
    boost::asio::awaitable<core::LogRead> read_log(core::Whose whose, JobId id,
                                                   std::uint64_t sequence, std::uint64_t bytes_max);

    // Rings whenever a job's state or log has changed.
    class [[nodiscard]] Watch {
    public:
        Watch(Jobs& jobs, const JobId& id);
        ~Watch();
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;
        [[nodiscard]] Bell& bell() noexcept { return bell_; }

    private:
        Jobs& jobs_;
        Bell bell_;
        std::multimap<std::string, Bell*>::iterator place_;
    };

    [[nodiscard]] std::size_t running() const noexcept { return running_.size(); }

private:
    [[nodiscard]] std::uint32_t owner_running_max() const;
    enum class Stop { No, Cancelled, Lost, Stopping };
    struct Attempt {  // one that is under way
        core::JobRecord job;
        Stop stop = Stop::No;
        Execution* execution = nullptr;  // while its code runs
    };
    using AttemptPtr = std::shared_ptr<Attempt>;
    struct Outcome {
        core::JobState state = core::JobState::Failed;
        std::optional<std::int32_t> exit_code;
        std::string error;
        bool began = false;        // the code itself
        bool for_good = false;     // another attempt could not do better
        bool ended_by_us = false;  // its own output does not tell why: the log shall
    };

    void begin(core::JobRecord job);
    boost::asio::awaitable<void> attempt(AttemptPtr attempt);
    boost::asio::awaitable<Outcome> perform(AttemptPtr attempt, JobLog& log);
    boost::asio::awaitable<Outcome> in_session(AttemptPtr attempt, JobSpec spec, JobLog& log);
    [[nodiscard]] std::chrono::milliseconds time_of(const core::JobRecord& job) const;
    boost::asio::awaitable<Outcome> alone(AttemptPtr attempt, JobSpec spec, JobLog& log);
    boost::asio::awaitable<Outcome> run_code(AttemptPtr attempt, Execution& execution,
                                             guest_client::RunRequest request, JobLog& log);
    boost::asio::awaitable<void> settle(core::JobRecord job, std::optional<core::JobReturn> back,
                                        core::JobEnd end);
    [[nodiscard]] std::optional<core::JobReturn> another_attempt(const Attempt& attempt,
                                                                 const Outcome& outcome) const;
    boost::asio::awaitable<void> keep_leases();
    boost::asio::awaitable<void> forget_old();
    static void stop_attempt(Attempt& attempt, Stop why);
    void changed(const JobId& id);

    boost::asio::any_io_executor executor_;
    core::Store& store_;
    Sessions& sessions_;
    JobOptions options_;
    core::Clock& clock_;
    std::string instance_;  // of this start of the server
    std::map<std::string, AttemptPtr> running_;
    std::multimap<std::string, Bell*> watches_;
    Bell work_;   // there may be something to take
    Bell ended_;  // an attempt is over
    core::Timer lease_round_;
    core::Timer forget_round_;
    bool taking_ = false;
    bool stopping_ = false;
    Scope scope_;  // attempts, and what goes on beside them
};

}  // namespace atl::sessions

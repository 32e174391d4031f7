#pragma once
// Interface: records that survive `kill -9`.
//
// Every method is a coroutine, awaited on the caller's executor and resumed there; an
// implementation does its work on other OS threads and never blocks the loop. Each call is atomic:
// it happens completely, or it throws and has no effect. A write that has returned survives the end
// of the server process; what else it survives is the implementation's to say.
//
// Throws    ErrorException. NotFound: no such record, or it is not `whose`. Conflict: it exists
//           already, has changed since, or is not in a state for this. InvalidArgument: a limit
//           of the query, a cursor that is none. TooLarge: beyond the backstop for one record.
//           Exhausted: a limit given with the call is reached. DiskFull: the disk is full.
//           Unavailable: the store is overloaded, or read-only.
// Trusts    its caller, who has checked who is asking (Whose) and the limits on what clients send.
//           Ids have 1 to 128 bytes; this much is checked.
// Lifetime  a call that was begun ends, also when its coroutine is cancelled. The store goes before
//           the io_context it completes on.
#include "core/records.hpp"

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace atl::core {

struct StoreHealth {
    enum class State {
        Ok,
        Failing,   // the last write failed; the next one is tried all the same
        ReadOnly,  // nothing is written any more until somebody has looked after it
    };
    State state = State::Ok;
    std::string sentence;  // what is wrong and what to do; empty when nothing is
};
template <>
struct Words<StoreHealth::State> {
    static constexpr std::pair<StoreHealth::State, std::string_view> all[] = {
        {StoreHealth::State::Ok, "ok"},
        {StoreHealth::State::Failing, "failing"},
        {StoreHealth::State::ReadOnly, "read_only"},
    };
};

class Store {
public:
    virtual ~Store() = default;

    // Safe from any thread, and does not wait.
    [[nodiscard]] virtual StoreHealth health() const = 0;

    // Made with the store, and no other's: a name for what lies beside it.
    virtual boost::asio::awaitable<std::string> identity() = 0;

    // ---- Sessions ----

    // Answers with what was written: generation 1. Exhausted when the owner has `owner_max`
    // sessions already (those being deleted do not count; 0 = no limit): asked and done in one
    // step, so that two requests at once cannot both be the last. Conflict when another session of
    // the owner's has its name; so for update and patch.
    virtual boost::asio::awaitable<SessionRecord> create_session(SessionRecord record,
                                                                 std::uint64_t owner_max) = 0;
    // Writes every field but id, owner and created_at. Conflict unless the record's generation is
    // the stored one; answers with the next.
    virtual boost::asio::awaitable<SessionRecord> update_session(SessionRecord record) = 0;
    // Conflict when a generation is given and is not the stored one.
    virtual boost::asio::awaitable<SessionRecord> patch_session(
        Whose whose, SessionId id, SessionPatch patch, std::optional<std::uint64_t> generation) = 0;
    virtual boost::asio::awaitable<SessionRecord> get_session(Whose whose, SessionId id) = 0;
    // The owner's session of this name. Conflict when several have it, as in data of an older
    // Atoll, which took any name.
    virtual boost::asio::awaitable<SessionRecord> session_named(std::string owner,
                                                                std::string name) = 0;
    virtual boost::asio::awaitable<SessionPage> list_sessions(SessionQuery query) = 0;
    // Those whose hard end has come and that are not being deleted yet, the most overdue first.
    virtual boost::asio::awaitable<std::vector<SessionRecord>> expired_sessions(
        Time now, std::uint32_t limit) = 0;
    virtual boost::asio::awaitable<void> remove_session(Whose whose, SessionId id) = 0;

    // ---- Jobs ----

    // Queued, whatever the record says of its state. Exhausted when the owner has `owner_max` jobs
    // waiting already (0 = no limit).
    virtual boost::asio::awaitable<JobRecord> add_job(JobRecord record,
                                                      std::uint64_t owner_max) = 0;
    // Of owners who have none running first, else of all: the waiting job of the highest priority,
    // the oldest of them, if its time has come; it runs
    // from now on under the caller's lease, and nobody else gets it. Nothing when none waits.
    virtual boost::asio::awaitable<std::optional<JobRecord>> take_job(JobRequest request) = 0;
    // Conflict: the job is no longer the holder's, which must stop it. Otherwise whether somebody
    // asked to cancel it.
    virtual boost::asio::awaitable<bool> renew_job(JobHold hold, Time until) = 0;
    virtual boost::asio::awaitable<JobRecord> finish_job(JobHold hold, JobEnd end) = 0;
    // Back to the queue; cancelled instead, if somebody has asked for that.
    virtual boost::asio::awaitable<JobRecord> return_job(JobHold hold, JobReturn back) = 0;
    // A waiting job is cancelled at once. A running one is marked (cancel_requested) and runs until
    // its holder has really ended it. Conflict when it has ended.
    virtual boost::asio::awaitable<JobRecord> cancel_job(Whose whose, JobId id, Time now) = 0;
    virtual boost::asio::awaitable<JobRecord> get_job(Whose whose, JobId id) = 0;
    virtual boost::asio::awaitable<JobPage> list_jobs(JobQuery query) = 0;
    // With its log. Conflict while it runs.
    virtual boost::asio::awaitable<void> remove_job(Whose whose, JobId id) = 0;
    // The oldest of those that ended before this moment, at most `limit` of them, with their logs.
    // Says how many went.
    virtual boost::asio::awaitable<std::uint64_t> forget_jobs(Time ended_before,
                                                              std::uint32_t limit) = 0;

    // Code, specs and logs of all jobs of an owner. Summed up while they change, so it costs
    // nothing to ask.
    virtual boost::asio::awaitable<std::uint64_t> job_bytes(std::string owner) = 0;

    // Keeps at most `bytes_max` bytes a job: what goes beyond is cut, a mark says so once, and
    // later pieces are dropped without an error. A piece counts for at least 64 bytes, so that a
    // million tiny ones are bounded as well.
    virtual boost::asio::awaitable<LogAppended> append_log(JobHold hold,
                                                           std::vector<LogPiece> pieces, Time now,
                                                           std::uint64_t bytes_max) = 0;
    // Whole chunks from `sequence` on, about `bytes_max` of them together and at least one.
    virtual boost::asio::awaitable<LogRead> read_log(Whose whose, JobId id, std::uint64_t sequence,
                                                     std::uint64_t bytes_max) = 0;

    // Once, at the start, before any take_job: jobs that other instances left running are queued
    // again or failed, as each asked for; one that was cut off kInterruptionsMax times is failed.
    virtual boost::asio::awaitable<Recovered> recover(std::string instance, Time now) = 0;
    // The same for jobs whose lease has run out, whoever held it. Only for holders that end their
    // run when a lease is lost.
    virtual boost::asio::awaitable<Recovered> expire_leases(Time now) = 0;

    // ---- Keys ----

    virtual boost::asio::awaitable<void> add_key(KeyRecord record) = 0;
    // The key, if the digest is its secret's and it is neither revoked nor past its end. Else
    // Unauthenticated, with one sentence for all these cases.
    virtual boost::asio::awaitable<KeyRecord> check_key(KeyId id, Sha256 secret, Time now) = 0;
    virtual boost::asio::awaitable<KeyRecord> get_key(Whose whose, KeyId id) = 0;
    virtual boost::asio::awaitable<KeyPage> list_keys(KeyQuery query) = 0;
    // Never moves back. An unknown key is no error: it may just have gone.
    virtual boost::asio::awaitable<void> touch_key(KeyId id, Time used_at) = 0;
    // For ever. A key that is revoked already keeps its first time.
    virtual boost::asio::awaitable<KeyRecord> revoke_key(Whose whose, KeyId id, Time now) = 0;

    // ---- Audit ----

    virtual boost::asio::awaitable<void> append_audit(AuditRecord record) = 0;
    virtual boost::asio::awaitable<AuditPage> list_audit(AuditQuery query) = 0;

    // ---- Use ----

    virtual boost::asio::awaitable<UsageCounters> add_usage(std::string owner, Day day,
                                                            UsageCounters more) = 0;
    // Days without use are left out; at most 366 days.
    virtual boost::asio::awaitable<std::vector<UsageOfDay>> get_usage(std::string owner, Day first,
                                                                      Day last) = 0;
};

}  // namespace atl::core

#pragma once
// What is stored about sessions, jobs, keys, audited actions and usage: plain values. Limits on
// what a client may put into them (names, metadata, code) are checked once, in the API, where the
// client gets the error; a store only has coarse limits of its own (core/store.hpp).
//
// Every time is the system clock's, in whole milliseconds since 1970: what is written is what is
// read again.
#include "base/id.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atl {

using JobId = Id<struct JobTag>;
using KeyId = Id<struct KeyTag>;  // the public part of an API key

}  // namespace atl

namespace atl::core {

using Time = std::chrono::sys_time<std::chrono::milliseconds>;

[[nodiscard]] inline Time time_now() {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

// The words of an enumeration, as the API and the store spell them. A specialisation lists all.
template <class Enum>
struct Words;

template <class Enum>
concept Named = requires {
    Words<Enum>::all;
};

template <Named Enum>
[[nodiscard]] constexpr std::string_view name_of(Enum value) {
    for (const auto& [known, word] : Words<Enum>::all) {
        if (known == value) return word;
    }
    return "unknown";
}

// Nothing when no value has this name.
template <Named Enum>
[[nodiscard]] constexpr std::optional<Enum> value_named(std::string_view name) {
    for (const auto& [known, word] : Words<Enum>::all) {
        if (word == name) return known;
    }
    return std::nullopt;
}

// Whose records a call may see. For all others they do not exist: NotFound, and never Forbidden,
// which would tell that an id is taken. `anyones` is the wide one, so that grep finds who uses it.
class Whose {
public:
    [[nodiscard]] static Whose of(std::string owner) { return Whose(std::move(owner)); }
    [[nodiscard]] static Whose anyones() { return Whose(std::nullopt); }

    [[nodiscard]] const std::optional<std::string>& owner() const noexcept { return owner_; }

private:
    explicit Whose(std::optional<std::string> owner) : owner_(std::move(owner)) {}
    std::optional<std::string> owner_;
};

// ---- Sessions ----

enum class SessionState {
    Starting,  // being made, or being restored; it has no sandbox that answers yet
    Hot,       // its sandbox runs
    Warm,      // frozen; thaws in milliseconds
    Cold,      // files and variables are packed, no sandbox
    Failed,    // could not be started or restored; state_note says why
    Deleting,  // asked to go; what is left of it is being removed
};
template <>
struct Words<SessionState> {
    static constexpr std::pair<SessionState, std::string_view> all[] = {
        {SessionState::Starting, "starting"}, {SessionState::Hot, "hot"},
        {SessionState::Warm, "warm"},         {SessionState::Cold, "cold"},
        {SessionState::Failed, "failed"},     {SessionState::Deleting, "deleting"},
    };
};

// What a client holds on to. It outlives its sandboxes and the server.
struct SessionRecord {
    SessionId id{""};
    std::string owner;
    std::string name;                             // unique among the owner's; empty: none
    std::map<std::string, std::string> metadata;  // the client's own, findable by equality
    std::string template_name = "default";
    std::string runtime = "native";
    SessionState state = SessionState::Starting;
    std::string spec_json = "{}";  // limits, network policy, environment, data sets
    Time created_at{};
    Time last_used_at{};
    std::optional<Time> expires_at;        // its hard end, used or not
    std::chrono::seconds idle_to_warm{0};  // unused for so long: hot -> warm; 0 = never
    std::chrono::seconds idle_to_cold{0};  // unused for so long: warm -> cold; 0 = never
    std::uint64_t generation = 0;          // counts the changes; the store moves it, from 1 on
    std::string state_note;                // what was lost at the last restore, or why it failed
    std::uint64_t disk_bytes = 0;

    bool operator==(const SessionRecord&) const = default;
};

// Only the fields that are set change. `last_used_at` and `disk_bytes` are observations: a patch of
// nothing else does not move the generation, so that a touch makes nobody's update a conflict.
struct SessionPatch {
    std::optional<std::string> name;
    std::optional<std::map<std::string, std::string>> metadata;  // replaces all of it
    std::optional<SessionState> state;
    std::optional<std::string> spec_json;
    std::optional<Time> last_used_at;  // never moves back
    std::optional<std::optional<Time>> expires_at;
    std::optional<std::chrono::seconds> idle_to_warm;
    std::optional<std::chrono::seconds> idle_to_cold;
    std::optional<std::string> state_note;
    std::optional<std::uint64_t> disk_bytes;
};

// Newest first. A page may end before `limit` (pages are bounded in bytes, too); the end of the
// list is an empty `next_cursor` and nothing else.
struct SessionQuery {
    Whose whose;
    std::vector<SessionState> states;             // none: all
    std::map<std::string, std::string> metadata;  // each must be equal; at most 16
    std::string cursor;                           // of the page before; empty: from the start
    std::uint32_t limit = 100;                    // 1 to 1000
};
struct SessionPage {
    std::vector<SessionRecord> sessions;
    std::string next_cursor;
};

// ---- Jobs ----

enum class JobKind { Python, Shell, TypeScript, Gui, JavaScript };
template <>
struct Words<JobKind> {
    static constexpr std::pair<JobKind, std::string_view> all[] = {
        {JobKind::Python, "python"},         {JobKind::Shell, "shell"},
        {JobKind::TypeScript, "typescript"}, {JobKind::Gui, "gui"},
        {JobKind::JavaScript, "javascript"},
    };
};

enum class JobState { Queued, Running, Succeeded, Failed, Cancelled };
template <>
struct Words<JobState> {
    static constexpr std::pair<JobState, std::string_view> all[] = {
        {JobState::Queued, "queued"},       {JobState::Running, "running"},
        {JobState::Succeeded, "succeeded"}, {JobState::Failed, "failed"},
        {JobState::Cancelled, "cancelled"},
    };
};
[[nodiscard]] constexpr bool has_ended(JobState state) {
    return state != JobState::Queued && state != JobState::Running;
}

// What becomes of a job whose server died while it ran. Code that sends mail is not run twice
// unless somebody said that it may be.
enum class AfterCrash { RunAgain, Fail };
template <>
struct Words<AfterCrash> {
    static constexpr std::pair<AfterCrash, std::string_view> all[] = {
        {AfterCrash::RunAgain, "run_again"},
        {AfterCrash::Fail, "fail"},
    };
};

// Which server process runs a job, and until when it may be believed without another word.
struct Lease {
    std::string instance;
    Time until{};

    bool operator==(const Lease&) const = default;
};

struct JobRecord {
    JobId id{""};  // a uuid4
    std::string owner;
    JobKind kind = JobKind::Python;
    std::string code;
    JobState state = JobState::Queued;
    std::int32_t priority = 0;        // higher runs first, among the owner's
    std::uint32_t attempts = 0;       // begun so far; numbers the holders
    std::uint32_t attempts_max = 1;   // those that the server cut off do not count
    std::uint32_t interruptions = 0;  // how many it cut off
    AfterCrash after_crash = AfterCrash::Fail;
    std::chrono::milliseconds timeout{0};  // of one attempt; 0 = the server's
    std::optional<SessionId> session_id;
    std::string spec_json = "{}";  // how it runs: template, limits, environment, context
    std::map<std::string, std::string> metadata;  // the client's own, findable by equality
    Time created_at{};
    std::optional<Time> not_before;  // it waits until then, after a failed attempt
    std::optional<Time> started_at;  // of the last attempt
    std::optional<Time> ended_at;
    std::optional<std::int32_t> exit_code;
    std::string error;  // one sentence, when it did not succeed
    std::optional<Lease> lease;
    bool cancel_requested = false;  // it runs, and shall not
    std::uint64_t log_bytes = 0;    // kept, of both streams together
    std::uint64_t log_next = 0;     // the sequence number of the next chunk
    bool log_truncated = false;

    bool operator==(const JobRecord&) const = default;
};

// A job that takes the server down with it shall not do so for ever.
inline constexpr std::uint32_t kInterruptionsMax = 10;

// The proof that a runner holds a job: it was handed out with take_job, once. After a crash or a
// lost lease the attempt has moved on, and the old holder's words are refused as a Conflict.
struct JobHold {
    JobId id{""};
    std::string instance;
    std::uint32_t attempt = 0;
};
[[nodiscard]] inline JobHold hold_of(const JobRecord& job) {
    return {job.id, job.lease ? job.lease->instance : std::string(), job.attempts};
}

// What a runner is ready to take.
struct JobRequest {
    std::string instance;
    Time now{};
    std::chrono::milliseconds lease{std::chrono::seconds{30}};
    std::vector<JobKind> kinds;           // none: all
    std::uint32_t owner_running_max = 0;  // passes over owners with so many running; 0 = no limit
};

struct JobEnd {
    JobState state = JobState::Failed;  // Succeeded, Failed or Cancelled
    Time at{};
    std::optional<std::int32_t> exit_code;
    std::string error;
};

// An attempt is over, the job is not: it waits for another one.
struct JobReturn {
    Time at{};
    std::optional<Time> not_before;
    std::string why;           // a sentence; the log keeps it as a mark
    bool interrupted = false;  // it says nothing about the job, so it is not counted as one
};

// Newest first, as SessionQuery. `code` is left out of lists unless asked for.
struct JobQuery {
    Whose whose;
    std::vector<JobState> states;
    std::string cursor;
    std::uint32_t limit = 100;
    bool with_code = false;
    std::map<std::string, std::string> metadata;  // each must be equal; at most 16
};
struct JobPage {
    std::vector<JobRecord> jobs;
    std::string next_cursor;
};

// What recover found and did.
struct Recovered {
    std::vector<JobId> queued_again;
    std::vector<JobId> failed;
    std::vector<JobId> cancelled;  // somebody had asked for it before the crash
};

// A mark is the store's own word in a log: it was cut here, or the run was cut off and begins anew.
enum class LogStream { Stdout, Stderr, Mark };
template <>
struct Words<LogStream> {
    static constexpr std::pair<LogStream, std::string_view> all[] = {
        {LogStream::Stdout, "stdout"},
        {LogStream::Stderr, "stderr"},
        {LogStream::Mark, "mark"},
    };
};

struct LogPiece {
    LogStream stream = LogStream::Stdout;
    std::string bytes;  // any bytes: what programs write is not always text
};

struct LogChunk {
    std::uint64_t sequence = 0;  // 0, 1, 2 … without a gap, over all attempts
    LogStream stream = LogStream::Stdout;
    Time time{};
    std::string bytes;

    bool operator==(const LogChunk&) const = default;
};

struct LogRead {
    std::vector<LogChunk> chunks;
    std::uint64_t next_sequence = 0;  // where to read on
    bool complete = false;            // the job has ended and nothing follows these chunks
};

struct LogAppended {
    std::uint64_t next_sequence = 0;
    bool truncated = false;  // the limit is reached; nothing more will be kept
};

// ---- Keys ----

using Sha256 = std::array<std::uint8_t, 32>;

// Takes the same time wherever the first difference stands.
[[nodiscard]] inline bool same_digest(const Sha256& a, const Sha256& b) noexcept {
    volatile std::uint8_t difference = 0;  // volatile: or the compiler may leave the loop early
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference = static_cast<std::uint8_t>(difference | (a[i] ^ b[i]));
    }
    return difference == 0;
}

// An API key. The secret itself never comes here: whoever makes or checks one brings its SHA-256.
// A key's secret is long and random, so a plain digest tells nothing about it.
struct KeyRecord {
    KeyId id{""};
    Sha256 secret_sha256{};
    std::string owner;
    std::string name;
    std::vector<std::string> scopes;  // single words
    Time created_at{};
    std::optional<Time> last_used_at;
    std::optional<Time> expires_at;
    std::optional<Time> revoked_at;

    bool operator==(const KeyRecord&) const = default;
};

struct KeyQuery {
    Whose whose;
    std::string cursor;
    std::uint32_t limit = 100;
};
struct KeyPage {
    std::vector<KeyRecord> keys;
    std::string next_cursor;
};

// ---- Audit ----

// Who did what, and how it ended. Written once; there is no way to change or remove one.
struct AuditRecord {
    std::uint64_t sequence = 0;  // the store's
    Time time{};
    std::string owner;
    std::string key_id;
    std::string action;   // "session.create"
    std::string object;   // the id it was done to
    std::string outcome;  // "ok", or the name of the error
    std::string request_id;
    std::string detail_json = "{}";

    bool operator==(const AuditRecord&) const = default;
};

// Newest first.
struct AuditQuery {
    Whose whose;
    std::optional<Time> from;   // this moment and later
    std::optional<Time> until;  // before this moment
    std::string cursor;
    std::uint32_t limit = 100;
};
struct AuditPage {
    std::vector<AuditRecord> records;
    std::string next_cursor;
};

// ---- Use ----

using Day = std::chrono::sys_days;  // in UTC

[[nodiscard]] inline Day day_of(Time time) { return std::chrono::floor<std::chrono::days>(time); }

// Counters of one owner on one day; they stop at the highest number and do not wrap.
struct UsageCounters {
    std::uint64_t cpu_us = 0;
    std::uint64_t runs = 0;
    std::uint64_t sessions_created = 0;
    std::uint64_t egress_bytes = 0;

    bool operator==(const UsageCounters&) const = default;
};
struct UsageOfDay {
    Day day{};
    UsageCounters counters;

    bool operator==(const UsageOfDay&) const = default;
};

}  // namespace atl::core

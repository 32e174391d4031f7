#include "stores/sqlite/job_table.hpp"

#include "core/job_pause.hpp"
#include "stores/sqlite/paging.hpp"

#include <algorithm>
#include <limits>

namespace atl::sqlite {

namespace {

using core::has_ended;
using core::JobRecord;
using core::JobState;

constexpr std::uint64_t kPieceCostMin = 64;        // what a row costs beside its bytes, about
constexpr std::size_t kChunkBytesMax = 64u << 10;  // longer pieces are cut into several chunks
constexpr std::uint64_t kLogReadBytesMax = 8u << 20;

#define JOB_COLUMNS_BUT_CODE                                                                \
    "id, owner, kind, state, priority, attempts, attempts_max, after_crash, timeout_ms, "   \
    "session, created_at, started_at, ended_at, exit_code, error, lease_instance, "         \
    "lease_until, cancel_requested, log_bytes, log_next, log_truncated, number, log_cost, " \
    "spec, interruptions, not_before"

// A record with what only this room knows of it.
struct JobRow {
    JobRecord record;
    std::int64_t number = 0;
    std::uint64_t log_cost = 0;
};

[[noreturn]] void not_found(const JobId& id) {
    throw ErrorException({Code::NotFound, "there is no job " + id.text()});
}

JobRow read_job(Query& row, bool with_code) {
    JobRow found;
    JobRecord& record = found.record;
    record.id = JobId(row.text());
    record.owner = row.text();
    record.kind = row.word<core::JobKind>();
    record.state = row.word<JobState>();
    record.priority = static_cast<std::int32_t>(row.number());
    record.attempts = row.small();
    record.attempts_max = row.small();
    record.after_crash = row.word<core::AfterCrash>();
    record.timeout = std::chrono::milliseconds(row.number());
    if (auto session = row.maybe_text()) record.session_id = SessionId(std::move(*session));
    record.created_at = row.time();
    record.started_at = row.maybe_time();
    record.ended_at = row.maybe_time();
    if (const auto code = row.maybe_number()) record.exit_code = static_cast<std::int32_t>(*code);
    record.error = row.text();
    auto instance = row.maybe_text();
    const auto until = row.maybe_time();
    if (instance) record.lease = core::Lease{std::move(*instance), until.value_or(core::Time{})};
    record.cancel_requested = row.flag();
    record.log_bytes = row.count();
    record.log_next = row.count();
    record.log_truncated = row.flag();
    found.number = row.number();
    found.log_cost = row.count();
    record.spec_json = row.text();
    record.interruptions = row.small();
    record.not_before = row.maybe_time();
    if (with_code) record.code = row.text();
    return found;
}

void read_metadata(Connection& db, JobRow& row) {
    auto rows = db.query("SELECT name, value FROM job_metadata WHERE job = ?");
    rows.bind(row.number);
    while (rows.next()) {
        std::string name = rows.text();
        row.record.metadata.emplace(std::move(name), rows.text());
    }
}

void write_metadata(Connection& db, const JobRecord& record) {
    for (const auto& [name, value] : record.metadata) {
        db.query(
              "INSERT INTO job_metadata (job, name, value)"
              " VALUES ((SELECT number FROM jobs WHERE id = ?), ?, ?)")
            .bind(record.id.text())
            .bind(name)
            .bind(value)
            .run();
    }
}

JobRow read_job(Connection& db, const JobId& id, bool with_code) {
    auto row = db.query(with_code ? "SELECT " JOB_COLUMNS_BUT_CODE ", code FROM jobs WHERE id = ?"
                                  : "SELECT " JOB_COLUMNS_BUT_CODE " FROM jobs WHERE id = ?");
    row.bind(id.text());
    if (!row.next()) not_found(id);
    JobRow found = read_job(row, with_code);
    read_metadata(db, found);
    return found;
}

JobRow read_job_of(Connection& db, const core::Whose& whose, const JobId& id, bool with_code) {
    JobRow row = read_job(db, id, with_code);
    if (whose.owner() && row.record.owner != *whose.owner()) not_found(id);
    return row;
}

JobRow read_held(Connection& db, const core::JobHold& hold, bool with_code) {
    JobRow row = read_job(db, hold.id, with_code);
    const auto& record = row.record;
    if (record.state != JobState::Running || record.lease->instance != hold.instance ||
        record.attempts != hold.attempt) {
        throw ErrorException({Code::Conflict, "job " + hold.id.text() + " (" +
                                                  std::string(core::name_of(record.state)) +
                                                  ", attempt " + std::to_string(record.attempts) +
                                                  ") is no longer held by this server"});
    }
    return row;
}

void write_chunk(Connection& db, JobRow& row, core::LogStream stream, std::string_view bytes,
                 core::Time now) {
    db.query("INSERT INTO job_log (job, sequence, stream, time, bytes) VALUES (?, ?, ?, ?, ?)")
        .bind(row.number)
        .bind(row.record.log_next)
        .bind(core::name_of(stream))
        .bind(now)
        .bind_bytes(bytes)
        .run();
    ++row.record.log_next;
}

void write_log_counters(Connection& db, const JobRow& row) {
    db.query(
          "UPDATE jobs SET log_bytes = ?, log_cost = ?, log_next = ?, log_truncated = ?"
          " WHERE number = ?")
        .bind(row.record.log_bytes)
        .bind(row.log_cost)
        .bind(row.record.log_next)
        .bind(row.record.log_truncated)
        .bind(row.number)
        .run();
}

// A run that was cut off: by what was asked for when it was added, and by what came since.
void decide(Connection& db, JobRow row, core::Time now, const std::string& why,
            core::Recovered& recovered) {
    JobRecord& job = row.record;
    std::string mark = why;
    JobState state = JobState::Failed;
    if (job.cancel_requested) {
        state = JobState::Cancelled;
        recovered.cancelled.push_back(job.id);
    } else if (job.after_crash == core::AfterCrash::RunAgain &&
               job.interruptions < core::kInterruptionsMax) {
        state = JobState::Queued;
        mark += "; it starts again";
        recovered.queued_again.push_back(job.id);
    } else {
        recovered.failed.push_back(job.id);
    }
    const bool ended = core::has_ended(state);
    db.query(
          "UPDATE jobs SET state = ?, lease_instance = NULL, lease_until = NULL,"
          " interruptions = interruptions + 1, ended_at = ?, error = ? WHERE number = ?")
        .bind(core::name_of(state))
        .bind(ended ? std::optional(now) : std::nullopt)
        .bind(ended ? why : std::string())
        .bind(row.number)
        .run();
    write_chunk(db, row, core::LogStream::Mark, mark + "\n", now);
    write_log_counters(db, row);
}

std::vector<JobRow> read_all(Query& rows) {
    std::vector<JobRow> found;
    while (rows.next()) found.push_back(read_job(rows, false));
    return found;
}

}  // namespace

JobRecord add_job(Connection& db, const JobRecord& record, std::uint64_t owner_max) {
    check_id(record.id.text(), "job");
    if (record.attempts_max < 1) {
        throw ErrorException({Code::InvalidArgument, "a job has at least one attempt"});
    }
    if (owner_max > 0) {
        auto others = db.query(
            "SELECT count(*) FROM jobs WHERE ended_at IS NULL AND state = 'queued' AND owner = ?");
        others.bind(record.owner);
        if (others.next() && others.count() >= owner_max) {
            throw ErrorException({Code::Exhausted, "there are " + std::to_string(owner_max) +
                                                       " jobs waiting already, as many as are "
                                                       "allowed; wait until some have ended"});
        }
    }
    try {
        db.query(
              "INSERT INTO jobs (id, owner, kind, code, state, priority, attempts, attempts_max,"
              " after_crash, timeout_ms, session, created_at, error, cancel_requested,"
              " log_bytes, log_cost, log_next, log_truncated, spec)"
              " VALUES (?, ?, ?, ?, 'queued', ?, 0, ?, ?, ?, ?, ?, '', 0, 0, 0, 0, 0, ?)")
            .bind(record.id.text())
            .bind(record.owner)
            .bind(core::name_of(record.kind))
            .bind(record.code)
            .bind(record.priority)
            .bind(record.attempts_max)
            .bind(core::name_of(record.after_crash))
            .bind(std::int64_t{record.timeout.count()})
            .bind(record.session_id ? std::optional<std::string_view>(record.session_id->text())
                                    : std::nullopt)
            .bind(record.created_at)
            .bind(record.spec_json)
            .run();
    } catch (const SqliteFailure& failure) {
        if (!failure.is(SQLITE_CONSTRAINT)) throw;
        throw ErrorException({Code::Conflict, "there is a job " + record.id.text() + " already"});
    }
    write_metadata(db, record);
    JobRecord made;
    made.id = record.id;
    made.owner = record.owner;
    made.kind = record.kind;
    made.code = record.code;
    made.priority = record.priority;
    made.attempts_max = record.attempts_max;
    made.after_crash = record.after_crash;
    made.timeout = record.timeout;
    made.session_id = record.session_id;
    made.spec_json = record.spec_json;
    made.metadata = record.metadata;
    made.created_at = record.created_at;
    return made;
}

// Of owners with fewer than `running_max` that run; 0 = of all.
static std::optional<std::pair<std::int64_t, std::string>> first_queued(
    Connection& db, const core::JobRequest& request, std::uint32_t running_max) {
    Filter filter;
    filter.where("state = 'queued'");
    filter.one_of("kind", request.kinds);
    // As core::may_begin has it.
    filter.where("(not_before IS NULL OR not_before <= ? OR not_before > ?)",
                 std::int64_t{request.now.time_since_epoch().count()},
                 std::int64_t{(request.now + core::kJobPauseMax).time_since_epoch().count()});
    if (running_max > 0) {
        filter.where(
            "owner NOT IN (SELECT owner FROM jobs WHERE ended_at IS NULL AND state = 'running'"
            " GROUP BY owner HAVING count(*) >= ?)",
            std::int64_t{running_max});
    }
    auto first = db.query("SELECT number, id FROM jobs WHERE " + filter.text() +
                          " ORDER BY priority DESC, created_at, number LIMIT 1");
    filter.bind(first);
    if (!first.next()) return std::nullopt;
    const auto number = first.number();
    return std::pair(number, first.text());
}

std::optional<JobRecord> take_job(Connection& db, const core::JobRequest& request) {
    if (request.instance.empty() || request.lease.count() <= 0) {
        throw ErrorException(
            {Code::InvalidArgument, "a job is taken by a named instance and for some time"});
    }
    // Whose jobs wait while none of theirs runs comes first: priority is among one's own, and who
    // has queued thousands holds nobody up.
    auto first = first_queued(db, request, 1);
    if (!first) first = first_queued(db, request, request.owner_running_max);
    if (!first) return std::nullopt;
    auto& [number, id] = *first;
    // Nobody can come between: this transaction has the writer's lock since its beginning.
    db.query(
          "UPDATE jobs SET state = 'running', attempts = attempts + 1, not_before = NULL,"
          " started_at = ?, lease_instance = ?, lease_until = ? WHERE number = ?")
        .bind(request.now)
        .bind(request.instance)
        .bind(request.now + request.lease)
        .bind(number)
        .run();
    return read_job(db, JobId(std::move(id)), true).record;
}

bool renew_job(Connection& db, const core::JobHold& hold, core::Time until) {
    const JobRow row = read_held(db, hold, false);
    db.query("UPDATE jobs SET lease_until = ? WHERE number = ?").bind(until).bind(row.number).run();
    return row.record.cancel_requested;
}

JobRecord finish_job(Connection& db, const core::JobHold& hold, const core::JobEnd& end) {
    if (!core::has_ended(end.state)) {
        throw ErrorException(
            {Code::InvalidArgument, "a job ends as succeeded, failed or cancelled"});
    }
    const JobRow row = read_held(db, hold, false);
    db.query(
          "UPDATE jobs SET state = ?, ended_at = ?, exit_code = ?, error = ?,"
          " lease_instance = NULL, lease_until = NULL WHERE number = ?")
        .bind(core::name_of(end.state))
        .bind(end.at)
        .bind(end.exit_code)
        .bind(end.error)
        .bind(row.number)
        .run();
    return read_job(db, hold.id, true).record;
}

JobRecord return_job(Connection& db, const core::JobHold& hold, const core::JobReturn& back) {
    JobRow row = read_held(db, hold, false);
    const bool cancelled = row.record.cancel_requested;
    db.query(
          "UPDATE jobs SET state = ?, lease_instance = NULL, lease_until = NULL, ended_at = ?,"
          " not_before = ?, interruptions = interruptions + ?, error = ? WHERE number = ?")
        .bind(core::name_of(cancelled ? JobState::Cancelled : JobState::Queued))
        .bind(cancelled ? std::optional(back.at) : std::nullopt)
        .bind(cancelled ? std::nullopt : back.not_before)
        .bind(std::int64_t{back.interrupted ? 1 : 0})
        .bind(back.why)
        .bind(row.number)
        .run();
    write_chunk(db, row, core::LogStream::Mark, back.why + "\n", back.at);
    write_log_counters(db, row);
    return read_job(db, hold.id, true).record;
}

JobRecord cancel_job(Connection& db, const core::Whose& whose, const JobId& id, core::Time now) {
    const JobRow row = read_job_of(db, whose, id, false);
    if (core::has_ended(row.record.state)) {
        throw ErrorException({Code::Conflict, "job " + id.text() + " has ended already (" +
                                                  std::string(core::name_of(row.record.state)) +
                                                  ")"});
    }
    if (row.record.state == JobState::Queued) {
        db.query(
              "UPDATE jobs SET state = 'cancelled', cancel_requested = 1, ended_at = ?,"
              " error = 'cancelled before it ran' WHERE number = ?")
            .bind(now)
            .bind(row.number)
            .run();
    } else {
        db.query("UPDATE jobs SET cancel_requested = 1 WHERE number = ?").bind(row.number).run();
    }
    return read_job(db, id, true).record;
}

JobRecord get_job(Connection& db, const core::Whose& whose, const JobId& id) {
    return read_job_of(db, whose, id, true).record;
}

core::JobPage list_jobs(Connection& db, const core::JobQuery& query) {
    check_limit(query.limit);
    if (query.metadata.size() > kMetadataFiltersMax) {
        throw ErrorException({Code::InvalidArgument,
                              "a list can be filtered by at most 16 metadata values at once"});
    }
    Filter filter;
    filter.whose(query.whose);
    filter.one_of("state", query.states);
    for (const auto& [name, value] : query.metadata) {
        filter.where(
            "EXISTS (SELECT 1 FROM job_metadata WHERE job = number AND name = ? AND value = ?)",
            name, value);
    }
    if (!query.states.empty() &&
        std::none_of(query.states.begin(), query.states.end(), has_ended)) {
        filter.where("ended_at IS NULL");  // there is an index of the living: few among many
    }
    filter.after(query.cursor);
    auto rows = db.query("SELECT " JOB_COLUMNS_BUT_CODE +
                         std::string(query.with_code ? ", code" : "") + " FROM jobs WHERE " +
                         filter.text() + " ORDER BY created_at DESC, id DESC LIMIT ?");
    filter.bind(rows);
    rows.bind(query.limit + 1);  // one more, to know whether there is a next page
    core::JobPage page;
    std::size_t bytes = 0;
    while (rows.next()) {
        if (page.jobs.size() == query.limit || bytes > kPageBytesMax) {
            const auto& last = page.jobs.back();
            page.next_cursor =
                write_cursor({last.created_at.time_since_epoch().count(), last.id.text()});
            break;
        }
        JobRow row = read_job(rows, query.with_code);
        read_metadata(db, row);
        JobRecord record = std::move(row.record);
        bytes += 512 + record.code.size() + record.error.size();
        for (const auto& [name, value] : record.metadata) bytes += 64 + name.size() + value.size();
        page.jobs.push_back(std::move(record));
    }
    return page;
}

void remove_job(Connection& db, const core::Whose& whose, const JobId& id) {
    const JobRow row = read_job_of(db, whose, id, false);
    if (row.record.state == JobState::Running) {
        throw ErrorException({Code::Conflict, "job " + id.text() + " is running; cancel it first"});
    }
    db.query("DELETE FROM jobs WHERE number = ?").bind(row.number).run();
}

std::uint64_t job_bytes(Connection& db, const std::string& owner) {
    auto row = db.query("SELECT bytes FROM job_use WHERE owner = ?");
    row.bind(owner);
    return row.next() ? row.count() : 0;
}

std::uint64_t forget_jobs(Connection& db, core::Time ended_before, std::uint32_t limit) {
    check_limit(limit);
    return static_cast<std::uint64_t>(
        db.query("DELETE FROM jobs WHERE number IN (SELECT number FROM jobs"
                 " WHERE ended_at IS NOT NULL AND ended_at < ? ORDER BY ended_at LIMIT ?)")
            .bind(ended_before)
            .bind(limit)
            .run());
}

core::LogAppended append_log(Connection& db, const core::JobHold& hold,
                             const std::vector<core::LogPiece>& pieces, core::Time now,
                             std::uint64_t bytes_max) {
    JobRow row = read_held(db, hold, false);
    const auto next_before = row.record.log_next;
    for (const auto& piece : pieces) {
        std::string_view rest = piece.bytes;
        while (!rest.empty() && !row.record.log_truncated) {
            std::string_view chunk = rest.substr(0, kChunkBytesMax);
            rest.remove_prefix(chunk.size());
            const std::uint64_t left = bytes_max - std::min(bytes_max, row.log_cost);
            if (std::max<std::uint64_t>(chunk.size(), kPieceCostMin) > left) {
                chunk = chunk.substr(0, static_cast<std::size_t>(left));
                row.record.log_truncated = true;
            }
            if (!chunk.empty()) {
                write_chunk(db, row, piece.stream, chunk, now);
                row.record.log_bytes += chunk.size();
                row.log_cost += std::max<std::uint64_t>(chunk.size(), kPieceCostMin);
            }
            if (row.record.log_truncated) {
                write_chunk(db, row, core::LogStream::Mark,
                            "the log ends here: its limit of " + std::to_string(bytes_max) +
                                " bytes is reached\n",
                            now);
            }
        }
    }
    if (row.record.log_next != next_before) write_log_counters(db, row);
    return {row.record.log_next, row.record.log_truncated};
}

core::LogRead read_log(Connection& db, const core::Whose& whose, const JobId& id,
                       std::uint64_t sequence, std::uint64_t bytes_max) {
    const JobRow row = read_job_of(db, whose, id, false);
    core::LogRead read;
    read.next_sequence = std::min(sequence, row.record.log_next);
    auto rows = db.query(
        "SELECT sequence, stream, time, bytes FROM job_log WHERE job = ? AND sequence >= ?"
        " ORDER BY sequence");
    rows.bind(row.number).bind(read.next_sequence);
    const std::uint64_t room = std::clamp<std::uint64_t>(bytes_max, 1, kLogReadBytesMax);
    std::uint64_t bytes = 0;
    while (bytes < room && rows.next()) {
        core::LogChunk chunk;
        chunk.sequence = rows.count();
        chunk.stream = rows.word<core::LogStream>();
        chunk.time = rows.time();
        chunk.bytes = rows.text();
        bytes += std::max<std::uint64_t>(chunk.bytes.size(), kPieceCostMin);
        read.next_sequence = chunk.sequence + 1;
        read.chunks.push_back(std::move(chunk));
    }
    read.complete = core::has_ended(row.record.state) && read.next_sequence == row.record.log_next;
    return read;
}

core::Recovered recover_jobs_of_others(Connection& db, const std::string& instance,
                                       core::Time now) {
    std::vector<JobRow> left;
    {
        auto rows = db.query("SELECT " JOB_COLUMNS_BUT_CODE
                             " FROM jobs WHERE ended_at IS NULL AND state = 'running'"
                             " AND lease_instance <> ? ORDER BY number");
        rows.bind(instance);
        left = read_all(rows);
    }
    core::Recovered recovered;
    for (auto& row : left) {
        decide(db, std::move(row), now, "the server ended while the job ran", recovered);
    }
    return recovered;
}

core::Recovered recover_expired_jobs(Connection& db, core::Time now) {
    std::vector<JobRow> left;
    {
        auto rows = db.query("SELECT " JOB_COLUMNS_BUT_CODE
                             " FROM jobs WHERE ended_at IS NULL AND state = 'running'"
                             " AND lease_until < ? ORDER BY number");
        rows.bind(now);
        left = read_all(rows);
    }
    core::Recovered recovered;
    for (auto& row : left) {
        decide(db, std::move(row), now, "the job's server stopped responding", recovered);
    }
    return recovered;
}

}  // namespace atl::sqlite

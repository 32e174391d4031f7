// Jobs of the store that tests have in memory; what stores/sqlite/job_table.cpp does with tables.
#include "testing/memory_disk.hpp"

#include "base/must.hpp"
#include "core/job_pause.hpp"

#include <algorithm>

namespace atl::testing {

namespace asio = boost::asio;
using core::JobRecord;
using core::JobState;

namespace {

const Error kServerDead{Code::Unavailable, "the server was killed"};

}  // namespace

JobRecord& MemoryStore::job(const core::Whose& whose, const JobId& id) {
    if (life_ != disk_.life()) throw ErrorException(kServerDead);
    const auto found = disk_.jobs.find(id.text());
    if (found == disk_.jobs.end() || (whose.owner() && *whose.owner() != found->second.owner)) {
        throw ErrorException({Code::NotFound, "there is no job " + id.text()});
    }
    return found->second;
}

JobRecord& MemoryStore::held(const core::JobHold& hold) {
    JobRecord& one = job(core::Whose::anyones(), hold.id);
    if (one.state != JobState::Running || one.lease->instance != hold.instance ||
        one.attempts != hold.attempt) {
        throw ErrorException({Code::Conflict, "the job is no longer held by this server"});
    }
    return one;
}

asio::awaitable<JobRecord> MemoryStore::add_job(JobRecord record, std::uint64_t) {
    co_await latency_.pass();
    write();
    record.state = JobState::Queued;
    disk_.jobs[record.id.text()] = record;
    co_await latency_.pass();
    co_return record;
}

asio::awaitable<std::optional<JobRecord>> MemoryStore::take_job(core::JobRequest request) {
    co_await latency_.pass();
    write();
    JobRecord* first = nullptr;
    for (auto& [id, one] : disk_.jobs) {
        if (one.state != JobState::Queued || !core::may_begin(one, request.now)) continue;
        if (first == nullptr || one.created_at < first->created_at) first = &one;
    }
    if (first == nullptr) co_return std::nullopt;
    first->state = JobState::Running;
    ++first->attempts;
    first->not_before.reset();
    first->started_at = request.now;
    first->lease = core::Lease{request.instance, request.now + request.lease};
    const JobRecord taken = *first;
    co_await latency_.pass();
    co_return taken;
}

asio::awaitable<bool> MemoryStore::renew_job(core::JobHold hold, core::Time until) {
    co_await latency_.pass();
    write();
    JobRecord& one = held(hold);
    one.lease->until = until;
    co_return one.cancel_requested;
}

asio::awaitable<JobRecord> MemoryStore::finish_job(core::JobHold hold, core::JobEnd end) {
    co_await latency_.pass();
    write();
    JobRecord& one = held(hold);
    one.state = end.state;
    one.ended_at = end.at;
    one.exit_code = end.exit_code;
    one.error = end.error;
    one.lease.reset();
    co_return one;
}

asio::awaitable<JobRecord> MemoryStore::return_job(core::JobHold hold, core::JobReturn back) {
    co_await latency_.pass();
    write();
    JobRecord& one = held(hold);
    one.state = one.cancel_requested ? JobState::Cancelled : JobState::Queued;
    one.not_before = back.not_before;
    one.interruptions += back.interrupted ? 1 : 0;
    one.error = back.why;
    one.lease.reset();
    co_return one;
}

asio::awaitable<JobRecord> MemoryStore::cancel_job(core::Whose whose, JobId id, core::Time now) {
    co_await latency_.pass();
    write();
    JobRecord& one = job(whose, id);
    if (core::has_ended(one.state)) throw ErrorException({Code::Conflict, "the job has ended"});
    if (one.state == JobState::Queued) {
        one.state = JobState::Cancelled;
        one.ended_at = now;
    }
    one.cancel_requested = true;
    co_return one;
}

asio::awaitable<JobRecord> MemoryStore::get_job(core::Whose whose, JobId id) {
    co_await latency_.pass();
    co_return job(whose, id);
}

asio::awaitable<core::JobPage> MemoryStore::list_jobs(core::JobQuery query) {
    co_await latency_.pass();
    core::JobPage page;
    for (const auto& [id, one] : disk_.jobs) {
        if (query.whose.owner() && *query.whose.owner() != one.owner) continue;
        page.jobs.push_back(one);
    }
    co_return page;
}

asio::awaitable<void> MemoryStore::remove_job(core::Whose whose, JobId id) {
    co_await latency_.pass();
    write();
    must(core::has_ended(job(whose, id).state), "a job that runs is not removed");
    disk_.jobs.erase(id.text());
    disk_.job_logs.erase(id.text());
}

asio::awaitable<std::uint64_t> MemoryStore::forget_jobs(core::Time ended_before, std::uint32_t) {
    co_await latency_.pass();
    write();
    co_return std::erase_if(disk_.jobs, [&](const auto& one) {
        return one.second.ended_at && *one.second.ended_at < ended_before;
    });
}

asio::awaitable<std::uint64_t> MemoryStore::job_bytes(std::string) { co_return 0; }

asio::awaitable<core::LogAppended> MemoryStore::append_log(core::JobHold hold,
                                                           std::vector<core::LogPiece> pieces,
                                                           core::Time now, std::uint64_t) {
    co_await latency_.pass();
    write();
    JobRecord& one = held(hold);
    for (auto& piece : pieces) {
        disk_.job_logs[one.id.text()].push_back(
            {one.log_next++, piece.stream, now, std::move(piece.bytes)});
    }
    co_return core::LogAppended{one.log_next, false};
}

asio::awaitable<core::LogRead> MemoryStore::read_log(core::Whose whose, JobId id,
                                                     std::uint64_t sequence, std::uint64_t) {
    co_await latency_.pass();
    const JobRecord& one = job(whose, id);
    core::LogRead read;
    for (const auto& chunk : disk_.job_logs[id.text()]) {
        if (chunk.sequence >= sequence) read.chunks.push_back(chunk);
    }
    read.next_sequence = one.log_next;
    read.complete = core::has_ended(one.state);
    co_return read;
}

asio::awaitable<core::Recovered> MemoryStore::recover(std::string instance, core::Time now) {
    co_await latency_.pass();
    write();
    core::Recovered recovered;
    for (auto& [id, one] : disk_.jobs) {
        if (one.state != JobState::Running || one.lease->instance == instance) continue;
        const bool again = one.after_crash == core::AfterCrash::RunAgain && !one.cancel_requested;
        one.state = again                  ? JobState::Queued
                    : one.cancel_requested ? JobState::Cancelled
                                           : JobState::Failed;
        one.lease.reset();
        one.interruptions += again ? 1 : 0;
        if (!again) one.ended_at = now;
        auto& list = again                  ? recovered.queued_again
                     : one.cancel_requested ? recovered.cancelled
                                            : recovered.failed;
        list.push_back(one.id);
    }
    co_return recovered;
}

// No server of ours asks for it.
asio::awaitable<core::Recovered> MemoryStore::expire_leases(core::Time) {
    must(false, "leases of other servers are not simulated");
    co_return core::Recovered{};
}

}  // namespace atl::testing

#include "sessions/jobs.hpp"

#include "base/at_exit.hpp"
#include "base/fields.hpp"
#include "core/clock_watch.hpp"
#include "core/job_pause.hpp"

#include <algorithm>
#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <thread>

namespace atl::sessions {

namespace asio = boost::asio;
namespace json = boost::json;
using core::JobRecord;
using core::JobState;
using core::Whose;

namespace {

constexpr std::chrono::seconds kLook{1};            // for jobs whose pause is over
constexpr std::chrono::seconds kCancelPatience{5};  // a cancelled run has so long to end by itself
constexpr std::chrono::hours kForgetRound{1};
constexpr std::chrono::milliseconds kBetweenTries{200};  // to tell the store how an attempt ended
constexpr std::uint32_t kForgetAtOnce = 500;
constexpr std::size_t kErrorBytesMax = 500;

std::string new_uuid() { return to_string(boost::uuids::random_generator()()); }

std::string seconds_text(std::chrono::milliseconds time) {
    if (time.count() % 1000 == 0) return std::to_string(time.count() / 1000) + " s";
    return std::to_string(time.count()) + " ms";
}

guest_client::Language language_of(core::JobKind kind) {
    switch (kind) {
        case core::JobKind::Shell: return guest_client::Language::Shell;
        case core::JobKind::TypeScript: return guest_client::Language::TypeScript;
        case core::JobKind::JavaScript: return guest_client::Language::JavaScript;
        case core::JobKind::Python:
        case core::JobKind::Gui: return guest_client::Language::Python;
    }
    return guest_client::Language::Python;
}

// From a guest: cut between characters, and one line.
std::string short_line(std::string text) {
    if (text.size() > kErrorBytesMax) {
        text.resize(whole_characters(std::string_view(text).substr(0, kErrorBytesMax)));
    }
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    return text;
}

// Failures so far, this one included, that count.
std::uint32_t failures_of(const JobRecord& job) {
    return job.attempts - std::min(job.attempts, job.interruptions);
}

}  // namespace

Jobs::Watch::Watch(Jobs& jobs, const JobId& id)
    : jobs_(jobs),
      bell_(jobs.executor_, jobs.clock_),
      place_(jobs.watches_.emplace(id.text(), &bell_)) {}

Jobs::Watch::~Watch() { jobs_.watches_.erase(place_); }

Jobs::Jobs(asio::any_io_executor executor, core::Store& store, Sessions& sessions,
           JobOptions options, core::Clock& clock)
    : executor_(executor),
      store_(store),
      sessions_(sessions),
      options_(std::move(options)),
      clock_(clock),
      instance_(new_uuid()),
      work_(executor, clock),
      ended_(executor, clock),
      lease_round_(executor, clock),
      forget_round_(executor, clock),
      scope_(executor) {
    if (options_.running_max == 0) {
        options_.running_max = std::max(1u, std::thread::hardware_concurrency());
    }
}

std::uint32_t Jobs::owner_running_max() const {
    if (options_.owner_running_max) return *options_.owner_running_max;
    if (options_.owners_differ && !options_.owners_differ()) return 0;
    return static_cast<std::uint32_t>(std::max<std::size_t>(options_.running_max, 2) - 1);
}

void Jobs::changed(const JobId& id) {
    const auto [first, last] = watches_.equal_range(id.text());
    for (auto watch = first; watch != last; ++watch) watch->second->ring();
}

// ---- What clients ask for ----

asio::awaitable<JobRecord> Jobs::add(NewJob wanted) {
    if (wanted.kind == core::JobKind::Gui) {
        throw ErrorException({Code::Unsupported,
                              "kind gui: this server has no desktop; python, shell, typescript "
                              "and javascript run"});
    }
    if (wanted.session) {
        const auto found = co_await sessions_.get(Whose::of(wanted.owner), *wanted.session);
        wanted.session = found.id;  // it may have been given by its name
    }
    co_await sessions_.check_owner_disk(wanted.owner);
    JobRecord record;
    record.id = JobId(new_uuid());
    record.owner = wanted.owner;
    record.kind = wanted.kind;
    record.code = std::move(wanted.code);
    record.priority = wanted.priority;
    record.attempts_max = wanted.retries + 1;
    record.after_crash = wanted.after_crash;
    record.timeout = wanted.timeout;
    record.session_id = wanted.session;
    record.spec_json = job_spec_text(wanted.spec).value();
    record.metadata = std::move(wanted.metadata);
    record.created_at = clock_.wall();
    auto made = co_await store_.add_job(std::move(record), options_.owner_waiting_max);
    work_.ring();
    co_return made;
}

asio::awaitable<JobRecord> Jobs::get(Whose whose, JobId id) {
    co_return co_await store_.get_job(std::move(whose), std::move(id));
}

asio::awaitable<core::JobPage> Jobs::list(core::JobQuery query) {
    co_return co_await store_.list_jobs(std::move(query));
}

asio::awaitable<JobRecord> Jobs::cancel(Whose whose, JobId id) {
    auto record = co_await store_.cancel_job(std::move(whose), id, clock_.wall());
    if (const auto found = running_.find(id.text()); found != running_.end()) {
        stop_attempt(*found->second, Stop::Cancelled);
    }
    changed(id);
    co_return record;
}

asio::awaitable<void> Jobs::remove(Whose whose, JobId id) {
    const auto record = co_await store_.get_job(whose, id);
    if (!core::has_ended(record.state)) {
        throw ErrorException({Code::Conflict, "job " + id.text() + " has not ended (" +
                                                  std::string(core::name_of(record.state)) +
                                                  "); cancel it first"});
    }
    co_await store_.remove_job(std::move(whose), id);
    changed(id);
}

asio::awaitable<core::LogRead> Jobs::read_log(Whose whose, JobId id, std::uint64_t sequence,
                                              std::uint64_t bytes_max) {
    co_return co_await store_.read_log(std::move(whose), std::move(id), sequence, bytes_max);
}

// ---- The runner ----

asio::awaitable<core::Recovered> Jobs::recover() {
    co_return co_await store_.recover(instance_, clock_.wall());
}

asio::awaitable<void> Jobs::run() {
    taking_ = true;
    const AtExit ended([this] {
        taking_ = false;
        ended_.ring();
    });
    scope_.spawn(keep_leases());
    scope_.spawn(forget_old());
    while (!stopping_) {
        const auto seen = work_.rung();
        while (!stopping_ && running_.size() < options_.running_max) {
            core::JobRequest request;
            request.instance = instance_;
            request.now = clock_.wall();
            request.lease = options_.lease;
            request.owner_running_max = owner_running_max();
            std::optional<JobRecord> job;
            try {
                job = co_await store_.take_job(request);
            } catch (const ErrorException&) {
                job.reset();  // the store says in its health what is wrong; the next look may do
            }
            if (!job) break;
            begin(std::move(*job));
        }
        co_await work_.after(seen, clock_.now() + kLook);
    }
}

void Jobs::begin(JobRecord job) {
    auto one = std::make_shared<Attempt>();
    one->job = std::move(job);
    const JobId id = one->job.id;
    running_[id.text()] = one;
    changed(id);
    const auto work = [this, one, id]() -> asio::awaitable<void> {
        try {
            co_await attempt(one);
        } catch (const std::exception&) {
            // The store did not hear how it ended; the next start decides.
        }
        running_.erase(id.text());
        changed(id);
        work_.ring();
        ended_.ring();
        if (stopping_) lease_round_.cancel();
    };
    scope_.spawn(work);
}

asio::awaitable<void> Jobs::attempt(AttemptPtr attempt) {
    const JobRecord& job = attempt->job;
    JobLog::Listener listener;
    listener.written = [this, id = job.id] { changed(id); };
    listener.lost = [attempt] { stop_attempt(*attempt, Stop::Lost); };
    // So a job prints no faster than the store writes.
    listener.settled = [attempt](std::size_t bytes) {
        if (attempt->execution != nullptr) attempt->execution->took(bytes);
    };
    JobLog log(executor_, store_, core::hold_of(job), options_.log_bytes_max, std::move(listener),
               clock_);
    Outcome outcome;
    std::optional<core::JobReturn> back;
    const auto write = [&log]() -> asio::awaitable<void> {
        try {
            co_await log.write();
        } catch (const std::exception&) {
            // As JobLog has it: what could not be written is counted, and said below.
        }
    };
    const auto perform_and_write = [&](Scope& scope) -> asio::awaitable<void> {
        scope.spawn(write);
        try {
            outcome = co_await perform(attempt, log);
        } catch (const std::exception& failed) { outcome.error = failed.what(); }
        back = another_attempt(*attempt, outcome);
        if (!back && outcome.ended_by_us) log.add(core::LogStream::Mark, outcome.error + "\n");
        log.finish();
    };
    co_await in_scope(perform_and_write);
    if (log.bytes_dropped() > 0 && !outcome.error.empty()) outcome.error += "; ";
    if (log.bytes_dropped() > 0) {
        outcome.error += std::to_string(log.bytes_dropped()) + " bytes of its log were not kept";
    }
    if (attempt->stop == Stop::Lost) co_return;
    core::JobEnd end{outcome.state, clock_.wall(), outcome.exit_code, outcome.error};
    co_await settle(job, back, std::move(end));
}

// The last word about an attempt is said until the store has heard it.
asio::awaitable<void> Jobs::settle(JobRecord job, std::optional<core::JobReturn> back,
                                   core::JobEnd end) {
    const auto hold = core::hold_of(job);
    for (int tries = 0;; ++tries) {
        bool again = false;
        try {
            if (back) {
                co_await store_.return_job(hold, *back);
            } else {
                co_await store_.finish_job(hold, end);
            }
        } catch (const ErrorException& failed) {
            again = failed.error.code != Code::Conflict && failed.error.code != Code::NotFound;
        }
        // When the server stops and the store still does not take it, the next start decides.
        if (!again || (stopping_ && tries > 10)) co_return;
        core::Timer pause(executor_, clock_);
        pause.expires_after(kBetweenTries);
        co_await pause.wait();
    }
}

std::optional<core::JobReturn> Jobs::another_attempt(const Attempt& attempt,
                                                     const Outcome& outcome) const {
    const auto& job = attempt.job;
    if (outcome.state != JobState::Failed || outcome.for_good) return std::nullopt;
    core::JobReturn back;
    back.at = clock_.wall();
    if (attempt.stop == Stop::Stopping) {
        if (outcome.began && job.after_crash != core::AfterCrash::RunAgain) return std::nullopt;
        back.interrupted = true;
        back.why = outcome.error + "; it starts again";
        return back;
    }
    // No sandbox could be had. That is no failure of the job, so it does not use up its retries.
    const bool spared = !outcome.began && job.interruptions < core::kInterruptionsMax;
    const auto failures = failures_of(job);
    if (!spared && failures >= job.attempts_max) return std::nullopt;
    const auto doublings = std::min<std::uint32_t>(spared ? job.interruptions : failures - 1, 16);
    const auto pause = std::min({options_.retry_pause_first * (1 << doublings),
                                 options_.retry_pause_most, core::kJobPauseMax});
    back.not_before = back.at + pause;
    back.interrupted = spared;
    back.why = outcome.error + "; it is tried again in " + seconds_text(pause);
    return back;
}

// ---- One attempt ----

asio::awaitable<Jobs::Outcome> Jobs::perform(AttemptPtr attempt, JobLog& log) {
    Outcome outcome;
    outcome.ended_by_us = true;
    const auto spec = job_spec_from(attempt->job.spec_json);
    if (!spec) {
        outcome.error = spec.error().message;
        outcome.for_good = true;
        co_return outcome;
    }
    try {
        if (attempt->job.session_id) {
            outcome = co_await in_session(attempt, *spec, log);
        } else {
            outcome = co_await alone(attempt, *spec, log);
        }
    } catch (const ErrorException& failed) {
        const auto code = failed.error.code;
        outcome.for_good = code == Code::NotFound || code == Code::InvalidArgument ||
                           code == Code::Unsupported || code == Code::Forbidden;
        outcome.error = short_line(failed.error.message);
        if (attempt->stop == Stop::Cancelled) outcome.state = JobState::Cancelled;
    }
    co_return outcome;
}

std::chrono::milliseconds Jobs::time_of(const core::JobRecord& job) const {
    return job.timeout.count() > 0 ? job.timeout : options_.timeout;
}

asio::awaitable<Jobs::Outcome> Jobs::in_session(AttemptPtr attempt, JobSpec spec, JobLog& log) {
    const auto& job = attempt->job;
    const auto execution =
        co_await Execution::in_session(sessions_, Whose::of(job.owner), *job.session_id);
    auto request = execution->request(language_of(job.kind), job.code, time_of(job));
    request.context = spec.context;
    request.environment = spec.environment;
    co_return co_await run_code(attempt, *execution, std::move(request), log);
}

asio::awaitable<Jobs::Outcome> Jobs::alone(AttemptPtr attempt, JobSpec spec, JobLog& log) {
    const auto& job = attempt->job;
    NewSession wanted;
    wanted.owner = job.owner;
    wanted.template_name = spec.template_name;
    wanted.limits = spec.limits;
    wanted.environment = spec.environment;
    const auto execution = co_await Execution::alone(sessions_, std::move(wanted));
    auto request = execution->request(language_of(job.kind), job.code, time_of(job));
    co_return co_await run_code(attempt, *execution, std::move(request), log);
}

asio::awaitable<Jobs::Outcome> Jobs::run_code(AttemptPtr attempt, Execution& execution,
                                              guest_client::RunRequest request, JobLog& log) {
    Outcome outcome;
    outcome.ended_by_us = true;
    const auto stopped = [&] {
        if (attempt->stop == Stop::Cancelled) {
            outcome.state = JobState::Cancelled;
            outcome.error = "the job was cancelled";
        } else if (attempt->stop == Stop::Stopping) {
            outcome.error = "the server stopped while the job ran";
        } else {
            outcome.error = "the job's sandbox is gone";
        }
    };
    if (attempt->stop != Stop::No) {
        stopped();
        co_return outcome;
    }
    std::string exception;
    guest_client::RunListener listener;
    listener.output = [&log](core::Stream stream, std::string_view piece) {
        log.add(stream == core::Stream::Stdout ? core::LogStream::Stdout : core::LogStream::Stderr,
                piece);
    };
    listener.error = [&](json::object error) {
        exception =
            short_line(fields::text_of(error, "name") + ": " + fields::text_of(error, "value"));
        log.add(core::LogStream::Stderr, fields::text_of(error, "traceback_text") + "\n");
    };
    listener.cost = [&log](std::size_t bytes) { log.owe(bytes); };
    attempt->execution = &execution;
    const AtExit ended([&attempt] { attempt->execution = nullptr; });
    outcome.began = true;
    guest_client::RunEnd end;
    std::optional<Error> failed;
    try {
        end = co_await execution.run(std::move(request), std::move(listener));
    } catch (const ErrorException& error) { failed = error.error; }
    attempt->execution = nullptr;
    if (failed) {
        stopped();
        if (attempt->stop == Stop::No) outcome.error = short_line(failed->message);
        co_return outcome;
    }
    outcome.exit_code = end.exit_code;
    switch (end.reason) {
        case core::EndReason::Exited:
            outcome.ended_by_us = false;
            if (end.exit_code == 0) {
                outcome.state = JobState::Succeeded;
            } else if (!exception.empty()) {
                outcome.error = "it ended with " + exception;
            } else {
                outcome.error = "it ended with exit status " + std::to_string(end.exit_code);
            }
            break;
        case core::EndReason::Killed: stopped(); break;
        default: outcome.error = sentence_of(end, execution.limits());
    }
    co_return outcome;
}

// ---- Beside the runs ----

void Jobs::stop_attempt(Attempt& attempt, Stop why) {
    if (attempt.stop == Stop::No) attempt.stop = why;
    if (attempt.execution != nullptr) attempt.execution->cancel();
}

asio::awaitable<void> Jobs::keep_leases() {
    while (!stopping_ || !running_.empty()) {
        lease_round_.expires_after(options_.lease / 3);
        co_await lease_round_.wait();
        std::vector<AttemptPtr> all;
        for (const auto& [id, attempt] : running_) all.push_back(attempt);
        for (const auto& attempt : all) {
            bool cancelled = false, lost = false;
            try {
                const auto hold = core::hold_of(attempt->job);
                const auto until = clock_.wall() + options_.lease;
                cancelled = co_await store_.renew_job(hold, until);
            } catch (const ErrorException& failed) { lost = failed.error.code == Code::Conflict; }
            // An attempt that has ended has released its job by itself.
            if (running_.count(attempt->job.id.text()) == 0) continue;
            if (cancelled) stop_attempt(*attempt, Stop::Cancelled);
            if (lost) stop_attempt(*attempt, Stop::Lost);
        }
    }
}

asio::awaitable<void> Jobs::forget_old() {
    core::ClockWatch watch;
    while (!stopping_) {
        std::uint64_t gone = 0;
        const auto old = clock_.wall() - options_.keep_ended;
        try {
            if (watch.settled(clock_.wall(), clock_.now()))
                gone = co_await store_.forget_jobs(old, kForgetAtOnce);
        } catch (const ErrorException&) { gone = 0; }
        if (gone >= kForgetAtOnce || stopping_) continue;
        forget_round_.expires_after(kForgetRound);
        co_await forget_round_.wait();
    }
}

void Jobs::begin_stop() {
    stopping_ = true;
    work_.ring();
    lease_round_.cancel();
    forget_round_.cancel();
}

asio::awaitable<void> Jobs::stop(Clock::time_point until) {
    begin_stop();
    const auto idle = [this] { return running_.empty() && !taking_; };
    while (!idle() && clock_.now() < until) {
        const auto seen = ended_.rung();
        co_await ended_.after(seen, until);
    }
    for (const auto& [id, attempt] : running_) stop_attempt(*attempt, Stop::Stopping);
    const auto last = clock_.now() + kCancelPatience;
    while (!idle() && clock_.now() < last) {
        const auto seen = ended_.rung();
        co_await ended_.after(seen, last);
    }
    // A guest that does not answer loses its line, and with that its run has ended.
    const auto left = running_;  // closing a link may end an attempt
    for (const auto& [id, attempt] : left) {
        if (attempt->execution != nullptr) attempt->execution->link()->close();
    }
}

}  // namespace atl::sessions

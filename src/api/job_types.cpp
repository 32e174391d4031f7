#include "api/job_types.hpp"

#include "api/time_text.hpp"
#include "schema/describe.hpp"

namespace atl::api {

namespace {

constexpr std::size_t kCodeCharactersMax = 200'000;

std::optional<std::string> maybe_text(const std::optional<core::Time>& time) {
    if (!time) return std::nullopt;
    return time_text(*time);
}

}  // namespace

core::JobKind kind_of(JobKindName name) {
    switch (name) {
        case JobKindName::Python: return core::JobKind::Python;
        case JobKindName::Shell: return core::JobKind::Shell;
        case JobKindName::Typescript: return core::JobKind::TypeScript;
        case JobKindName::Javascript: return core::JobKind::JavaScript;
        case JobKindName::Gui: return core::JobKind::Gui;
    }
    return core::JobKind::Python;
}

std::string status_word(core::JobState state) {
    return std::string(
        core::name_of(state == core::JobState::Cancelled ? core::JobState::Failed : state));
}

JobView view_of(const core::JobRecord& record, bool with_code) {
    JobView view;
    view.id = record.id.text();
    view.kind = std::string(core::name_of(record.kind));
    view.state = std::string(core::name_of(record.state));
    if (with_code) view.code = record.code;
    view.priority = record.priority;
    view.attempts = record.attempts;
    view.interruptions = record.interruptions;
    view.retries = record.attempts_max - 1;
    view.after_crash = std::string(core::name_of(record.after_crash));
    view.timeout_s = std::chrono::duration<double>(record.timeout).count();
    if (record.session_id) view.session = record.session_id->text();
    view.metadata = record.metadata;
    view.created_at = time_text(record.created_at);
    view.not_before = maybe_text(record.not_before);
    view.started_at = maybe_text(record.started_at);
    view.ended_at = maybe_text(record.ended_at);
    view.exit_code = record.exit_code;
    if (!record.error.empty()) view.error = record.error;
    view.cancel_requested = record.cancel_requested;
    view.log_bytes = record.log_bytes;
    view.log_truncated = record.log_truncated;
    return view;
}

LogChunkView view_of(const core::LogChunk& chunk) {
    return {chunk.sequence, std::string(core::name_of(chunk.stream)), time_text(chunk.time),
            chunk.bytes};
}

BOOST_DESCRIBE_ENUM(JobKindName, Python, Shell, Typescript, Javascript, Gui)
ATOLL_TYPE(JobKindName) {
    return choices("What the code is written in.", choice<JobKindName::Python>("Python"),
                   choice<JobKindName::Shell>("by bash"), choice<JobKindName::Typescript>("by bun"),
                   choice<JobKindName::Javascript>("by bun"),
                   choice<JobKindName::Gui>("xdotool on a desktop, where the server has one"));
}

BOOST_DESCRIBE_ENUM(AfterCrashName, Fail, RunAgain)
ATOLL_TYPE(AfterCrashName) {
    return choices("What becomes of a job that was running when the server ended.",
                   choice<AfterCrashName::Fail>("it has failed; its code does not run twice"),
                   choice<AfterCrashName::RunAgain>("it goes back to the queue"));
}

BOOST_DESCRIBE_STRUCT(ScheduleBody, (), (kind, code))
ATOLL_TYPE(ScheduleBody) {
    return request("A job.",
                   field<&T::kind>("What the code is written in.", required, example("python")),
                   field<&T::code>("What to run.", required, length(0, kCodeCharactersMax),
                                   example("print(6 * 7)")));
}

BOOST_DESCRIBE_STRUCT(ScheduleAnswer, (), (job_id))
ATOLL_TYPE(ScheduleAnswer) {
    return response("The job waits.", field<&T::job_id>("Its id.", format("uuid")));
}

BOOST_DESCRIBE_STRUCT(StatusPath, (), (job_id))
ATOLL_TYPE(StatusPath) {
    return request("", field<&T::job_id>("The job.", required, length(1, 128),
                                         example("5f0c9d36-4bb1-4b8e-9d54-0a6f2f8c1c11")));
}

BOOST_DESCRIBE_STRUCT(StatusAnswer, (), (state, out, err))
ATOLL_TYPE(StatusAnswer) {
    return response("How a job is.", field<&T::state>("queued, running, succeeded or failed."),
                    field<&T::out>("What it printed so far.", named("stdout")),
                    field<&T::err>("What it printed as errors so far, and why it was ended if its "
                                   "own words do not tell.",
                                   named("stderr")));
}

BOOST_DESCRIBE_STRUCT(CreateJob, (),
                      (kind, code, timeout, retries, priority, after_crash, session, context,
                       template_name, limits, environment, metadata))
ATOLL_TYPE(CreateJob) {
    return request(
        "A job. It runs in a sandbox of its own, or in a session.",
        field<&T::kind>("What the code is written in."),
        field<&T::code>("What to run.", required, length(0, kCodeCharactersMax),
                        example("print(6 * 7)")),
        field<&T::timeout>("One attempt is stopped after so long; 0 is the server's default.",
                           range(0, 604'800), example("10m")),
        field<&T::retries>("How often it is tried again when it fails, with growing pauses.",
                           range(0, 100)),
        field<&T::priority>("Higher runs first among your own; of equal ones the oldest.",
                            range(-1000, 1000)),
        field<&T::after_crash>("What becomes of it if the server ends while it runs."),
        field<&T::session>("The session it runs in; it is woken.", length(1, 128)),
        field<&T::context>(
            "Which of the session's kernels, for Python; else `default`.", length(1, 100),
            pattern("A-Za-z0-9._-", "A-Za-z0-9._-", "letters, digits, dot, dash and underscore")),
        field<&T::template_name>(
            "The template of its sandbox.", named("template"), length(1, 64),
            pattern("A-Za-z0-9_", "A-Za-z0-9._-", "letters, digits, dot, dash and underscore")),
        field<&T::limits>("What its sandbox may use."),
        field<&T::environment>("Variables.", items(0, 256), keys(length(1, 256)),
                               each(length(0, 32'768))),
        field<&T::metadata>("Your own; jobs can be found by it.", items(0, 32),
                            keys(length(1, 128), one_line()), each(length(0, 1024))),
        rule([](const T& job, Findings& findings) {
            if (!job.session) {
                if (job.context) findings.add("context", "only a job in a session has one");
                return;
            }
            const char* theirs = "a job in a session has the session's; leave it out";
            if (job.template_name) findings.add("template", theirs);
            if (job.limits) findings.add("limits", theirs);
            if (!job.environment.empty() && job.kind == JobKindName::Python) {
                findings.add("environment",
                             "a kernel of a session has the session's; leave it out");
            }
        }));
}

BOOST_DESCRIBE_STRUCT(JobView, (),
                      (id, kind, state, code, priority, attempts, interruptions, retries,
                       after_crash, timeout_s, session, metadata, created_at, not_before,
                       started_at, ended_at, exit_code, error, cancel_requested, log_bytes,
                       log_truncated))
ATOLL_TYPE(JobView) {
    return response(
        "A job.", field<&T::id>("Its id.", format("uuid")),
        field<&T::kind>("What it is written in."),
        field<&T::state>("queued, running, succeeded, failed or cancelled.", example("running")),
        field<&T::code>("What runs; left out of lists."), field<&T::priority>("Higher runs first."),
        field<&T::attempts>("How often it was begun."),
        field<&T::interruptions>("Attempts that the server cut off; these do not count."),
        field<&T::retries>("How often it may be tried again."),
        field<&T::after_crash>("fail or run_again."),
        field<&T::timeout_s>("Of one attempt; 0 is the server's default."),
        field<&T::session>("Where it runs; left out: in a sandbox of its own."),
        field<&T::metadata>("Your own."),
        field<&T::created_at>("When it was accepted.", format("date-time")),
        field<&T::not_before>("It is tried again then.", format("date-time")),
        field<&T::started_at>("When its last attempt began.", format("date-time")),
        field<&T::ended_at>("When it ended.", format("date-time")),
        field<&T::exit_code>("Of the attempt that ended it."),
        field<&T::error>("Why it did not succeed."),
        field<&T::cancel_requested>("Somebody asked for its end."),
        field<&T::log_bytes>("Output that is kept."),
        field<&T::log_truncated>("It printed more than is kept."));
}

BOOST_DESCRIBE_STRUCT(JobList, (), (jobs, next_cursor))
ATOLL_TYPE(JobList) {
    return response("Jobs, the newest first.", field<&T::jobs>("This page."),
                    field<&T::next_cursor>("For the next page; left out at the end."));
}

BOOST_DESCRIBE_STRUCT(JobPath, (), (id))
ATOLL_TYPE(JobPath) {
    return request("", field<&T::id>("The job.", required, length(1, 128),
                                     example("5f0c9d36-4bb1-4b8e-9d54-0a6f2f8c1c11")));
}

BOOST_DESCRIBE_STRUCT(ListJobs, (), (state, metadata, cursor, limit))
ATOLL_TYPE(ListJobs) {
    return request(
        "", field<&T::state>("Only these states.", items(0, 5), each(length(1, 16))),
        field<&T::metadata>("key=value, each must be equal.", items(0, 16), each(length(1, 1200))),
        field<&T::cursor>("Of the page before.", length(0, 512)),
        field<&T::limit>("How many at most.", range(1, 1000)));
}

BOOST_DESCRIBE_STRUCT(ReadLog, (), (from))
ATOLL_TYPE(ReadLog) {
    return request("", field<&T::from>("The first chunk; with events, `Last-Event-ID` goes before "
                                       "this.",
                                       range(0, 9'007'199'254'740'991)));
}

BOOST_DESCRIBE_STRUCT(LogChunkView, (), (sequence, stream, time, text))
ATOLL_TYPE(LogChunkView) {
    return response("A piece of a log.",
                    field<&T::sequence>("0, 1, 2 … over all attempts; the event's id."),
                    field<&T::stream>("stdout, stderr, or mark: a word of the server's."),
                    field<&T::time>("When it was kept.", format("date-time")),
                    field<&T::text>("What was printed."));
}

BOOST_DESCRIBE_STRUCT(LogPage, (), (chunks, next, complete))
ATOLL_TYPE(LogPage) {
    return response("A piece of a job's log.", field<&T::chunks>("About a megabyte of it."),
                    field<&T::next>("Where to read on."),
                    field<&T::complete>("The job has ended and nothing follows."));
}

}  // namespace atl::api

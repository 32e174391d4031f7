#include "api/job_routes.hpp"

#include "api/job_status.hpp"
#include "api/job_types.hpp"
#include "api/request_reading.hpp"
#include "api/scopes.hpp"
#include "net/problem.hpp"

#include <charconv>

namespace atl::api {

namespace asio = boost::asio;
using schema::described;
using schema::json_answer;
using schema::json_body;

namespace {

constexpr std::string_view kJobTag = "Jobs";
constexpr const char* kRunScope = "run";
constexpr std::uint64_t kLogPageBytes = 1u << 20;

JobId id_in(const net::Exchange& exchange, std::string_view name = "id") {
    return JobId(std::string(exchange.request().parameter(name)));
}

// The chunk after the one that a returning client saw last.
std::uint64_t first_chunk(const net::Exchange& exchange, std::uint64_t otherwise) {
    const std::string_view seen = exchange.last_event_id();
    if (seen.empty()) return otherwise;
    std::uint64_t number = 0;
    const auto [end, failed] = std::from_chars(seen.data(), seen.data() + seen.size(), number);
    if (failed != std::errc{} || end != seen.data() + seen.size() || number >= 1ull << 53) {
        throw ErrorException(
            {Code::InvalidArgument, "Last-Event-ID: " + schema::quoted(seen) +
                                        " is not an event of this log; numbers are 0, 1, 2 …"});
    }
    return number + 1;
}

class JobRoutes {
public:
    JobRoutes(sessions::Jobs& jobs, RunRules rules, core::Limits limits, core::Ceilings ceilings)
        : jobs_(jobs), rules_(rules), limits_(limits), ceilings_(ceilings) {}

    asio::awaitable<void> schedule(net::Exchange& exchange) const {
        auto wanted = co_await read_json<ScheduleBody>(exchange);
        check_input(rules_, wanted.code);
        sessions::NewJob job;
        job.spec.limits = limits_;
        job.owner = caller_of(exchange.request()).owner;
        job.kind = kind_of(wanted.kind);
        job.code = std::move(wanted.code);
        const auto record = co_await jobs_.add(std::move(job));
        ScheduleAnswer answer;
        answer.job_id = record.id.text();
        co_await exchange.respond(json_response(200, answer));
    }

    asio::awaitable<void> status(net::Exchange& exchange) const {
        const auto asker = whose(exchange);
        const auto id = id_in(exchange, "job_id");
        // The state comes first: of a job that has ended, all of the log is there.
        const auto record = co_await jobs_.get(asker, id);
        if (record.log_bytes > kWholeBytesMax) {
            co_await send_long_status(exchange, jobs_, record);
            co_return;
        }
        StatusAnswer answer;
        std::uint64_t next = 0;
        while (true) {
            const auto read = co_await jobs_.read_log(asker, id, next, kLogPageBytes);
            for (const auto& chunk : read.chunks) {
                (chunk.stream == core::LogStream::Stdout ? answer.out : answer.err)
                    .append(chunk.bytes);
            }
            next = read.next_sequence;
            if (read.chunks.empty() || read.complete) break;
        }
        answer.state = status_word(record.state);
        if (core::has_ended(record.state) && answer.err.empty()) answer.err = record.error;
        co_await exchange.respond(json_response(200, std::move(answer)));
    }

    asio::awaitable<void> create(net::Exchange& exchange) const {
        auto wanted = co_await read_json<CreateJob>(exchange);
        check_input(rules_, wanted.code);
        const Caller& caller = caller_of(exchange.request());
        // A sandbox of its own is what `jobs` is for; what is in a session takes what runs take.
        if (wanted.session && !grants(caller.scopes, kRunScope)) {
            throw net::Problem(Code::Forbidden,
                               "a job in a session takes a key whose scopes include run as well")
                .with_member("scope", boost::json::value(kRunScope));
        }
        sessions::NewJob job;
        job.owner = caller.owner;
        job.kind = kind_of(wanted.kind);
        job.code = std::move(wanted.code);
        job.timeout = wanted.timeout;
        job.retries = wanted.retries;
        job.priority = wanted.priority;
        job.after_crash = wanted.after_crash == AfterCrashName::RunAgain
                              ? core::AfterCrash::RunAgain
                              : core::AfterCrash::Fail;
        if (wanted.session) job.session = SessionId(*wanted.session);
        if (wanted.context) job.spec.context = *wanted.context;
        if (wanted.template_name) job.spec.template_name = *wanted.template_name;
        job.spec.limits = limits_of(wanted.limits, limits_, ceilings_);
        check_run_time(wanted.timeout, ceilings_);
        job.spec.environment = wanted.environment;
        job.metadata = std::move(wanted.metadata);
        const auto record = co_await jobs_.add(std::move(job));
        auto response = json_response(201, view_of(record, true));
        response.headers.set("Location", "/v1/jobs/" + record.id.text());
        co_await exchange.respond(std::move(response));
    }

    asio::awaitable<void> list(net::Exchange& exchange) const {
        const auto asked = schema::from_parameters<ListJobs>(exchange.request().target.query);
        core::JobQuery query{whose(exchange), {}, asked.cursor, asked.limit, false, {}};
        query.metadata = metadata_in(asked.metadata);
        for (const auto& name : asked.state) {
            const auto state = core::value_named<core::JobState>(name);
            if (!state) {
                throw ErrorException(
                    {Code::InvalidArgument, "state: there is no state " + schema::quoted(name)});
            }
            query.states.push_back(*state);
        }
        const auto page = co_await jobs_.list(std::move(query));
        JobList answer;
        for (const auto& record : page.jobs) answer.jobs.push_back(view_of(record, false));
        if (!page.next_cursor.empty()) answer.next_cursor = page.next_cursor;
        co_await exchange.respond(json_response(200, std::move(answer)));
    }

    asio::awaitable<void> get(net::Exchange& exchange) const {
        const auto record = co_await jobs_.get(whose(exchange), id_in(exchange));
        co_await exchange.respond(json_response(200, view_of(record, true)));
    }

    asio::awaitable<void> cancel(net::Exchange& exchange) const {
        const auto record = co_await jobs_.cancel(whose(exchange), id_in(exchange));
        co_await exchange.respond(json_response(200, view_of(record, true)));
    }

    asio::awaitable<void> remove(net::Exchange& exchange) const {
        co_await jobs_.remove(whose(exchange), id_in(exchange));
        co_await exchange.respond(net::Response::empty());
    }

    asio::awaitable<void> logs(net::Exchange& exchange) const {
        const auto asked = schema::from_parameters<ReadLog>(exchange.request().target.query);
        if (wants_events(exchange.request())) {
            co_await follow(exchange, asked.from);
            co_return;
        }
        const auto read =
            co_await jobs_.read_log(whose(exchange), id_in(exchange), asked.from, kLogPageBytes);
        LogPage page;
        for (const auto& chunk : read.chunks) page.chunks.push_back(view_of(chunk));
        page.next = read.next_sequence;
        page.complete = read.complete;
        co_await exchange.respond(json_response(200, std::move(page)));
    }

private:
    asio::awaitable<void> follow(net::Exchange& exchange, std::uint64_t from) const {
        const auto asker = whose(exchange);
        const auto id = id_in(exchange);
        std::uint64_t next = first_chunk(exchange, from);
        auto record = co_await jobs_.get(asker, id);
        sessions::Jobs::Watch watch(jobs_, id);
        bool over = false;  // for the listener, whatever becomes of the job
        const auto leave = [&] {
            over = true;
            watch.bell().ring();
        };
        const auto gone = exchange.on_gone(leave);
        const auto stopping = exchange.on_stopping(leave);
        auto stream = co_await exchange.begin_events();
        bool ended = false;
        while (!over && !ended) {
            const auto seen = watch.bell().rung();
            std::optional<core::LogRead> read;
            try {
                read = co_await jobs_.read_log(asker, id, next, kLogPageBytes);
                if (read->complete) record = co_await jobs_.get(asker, id);
            } catch (const ErrorException&) { read.reset(); }
            if (!read) break;  // the job was removed: the stream ends without the word `ended`
            for (const auto& chunk : read->chunks) {
                net::EventStream::Event event;
                schema::append_json(event.data, view_of(chunk));
                event.event = std::string(core::name_of(chunk.stream));
                event.id = std::to_string(chunk.sequence);
                co_await stream.send(std::move(event));
            }
            next = read->next_sequence;
            ended = read->complete;
            if (!ended && read->chunks.empty() && !over) co_await watch.bell().after(seen);
        }
        if (ended) {
            net::EventStream::Event last;
            schema::append_json(last.data, view_of(record, false));
            last.event = "ended";
            co_await stream.send(std::move(last));
        }
        co_await stream.end();
    }

    sessions::Jobs& jobs_;
    RunRules rules_;
    core::Limits limits_;
    core::Ceilings ceilings_;
};

}  // namespace

void add_job_routes(Api& api, sessions::Jobs& jobs, RunRules rules, core::Limits limits,
                    core::Ceilings ceilings) {
    const JobRoutes routes(jobs, rules, limits, ceilings);
    const auto with_id = [&](std::string_view method, std::string_view pattern, std::string_view id,
                             std::string_view summary) {
        return schema::Route{.method = method,
                             .pattern = pattern,
                             .id = id,
                             .tag = kJobTag,
                             .summary = summary,
                             .path = described<JobPath>(),
                             .answers = {json_answer<JobView>(200, "The job.")}};
    };
    api.add({.method = "POST",
             .pattern = "/schedule",
             .id = "schedule",
             .tag = kJobTag,
             .summary = "Queue a job, the short way",
             .description = "It runs in a sandbox of its own. `gui` is answered with 501 while the "
                            "server has no desktop.",
             .bodies = {json_body<ScheduleBody>()},
             .answers = {json_answer<ScheduleAnswer>(200, "The job waits.")}},
            [routes](net::Exchange& exchange) { return routes.schedule(exchange); });
    api.add({.method = "GET",
             .pattern = "/status/{job_id}",
             .id = "status",
             .tag = kJobTag,
             .summary = "How a job is, the short way",
             .path = described<StatusPath>(),
             .answers = {json_answer<StatusAnswer>(200, "Its state, and its output so far.")}},
            [routes](net::Exchange& exchange) { return routes.status(exchange); });
    api.add({.method = "POST",
             .pattern = "/v1/jobs",
             .id = "create_job",
             .tag = kJobTag,
             .summary = "Queue a job",
             .description = "When this answers the job is kept: it runs, also if the server is "
                            "killed meanwhile. One in a session takes the scope `run` as well.",
             .bodies = {json_body<CreateJob>()},
             .answers = {json_answer<JobView>(201, "The job waits.")}},
            [routes](net::Exchange& exchange) { return routes.create(exchange); });
    api.add({.method = "GET",
             .pattern = "/v1/jobs",
             .id = "list_jobs",
             .tag = kJobTag,
             .summary = "List jobs, the newest first",
             .query = described<ListJobs>(),
             .answers = {json_answer<JobList>(200, "A page of jobs.")}},
            [routes](net::Exchange& exchange) { return routes.list(exchange); });
    api.add(with_id("GET", "/v1/jobs/{id}", "get_job", "One job"),
            [routes](net::Exchange& exchange) { return routes.get(exchange); });
    api.add(with_id("POST", "/v1/jobs/{id}/cancel", "cancel_job",
                    "Cancel a job; one that runs is ended soon"),
            [routes](net::Exchange& exchange) { return routes.cancel(exchange); });
    auto remove = with_id("DELETE", "/v1/jobs/{id}", "delete_job",
                          "Forget a job that has ended, with its log");
    remove.answers = {schema::empty_answer(204, "It is gone.")};
    api.add(std::move(remove),
            [routes](net::Exchange& exchange) { return routes.remove(exchange); });
    auto logs = with_id("GET", "/v1/jobs/{id}/logs", "read_job_log", "A job's output");
    logs.description =
        "One page, or with `Accept: text/event-stream` all of it as it grows, until the job ends; "
        "a client that comes back with `Last-Event-ID` goes on where it was.";
    logs.query = described<ReadLog>();
    logs.answers = {
        json_answer<LogPage>(200, "A page of the log."),
        schema::event_answer("The log as it grows.",
                             {schema::event<LogChunkView>("stdout", "What it printed."),
                              schema::event<LogChunkView>("stderr", "What it printed as errors."),
                              schema::event<LogChunkView>("mark", "A word of the server's."),
                              schema::event<JobView>("ended", "The last one.")})};
    api.add(std::move(logs), [routes](net::Exchange& exchange) { return routes.logs(exchange); });
}

}  // namespace atl::api

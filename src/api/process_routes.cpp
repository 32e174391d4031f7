#include "api/process_routes.hpp"

#include "api/process_types.hpp"
#include "api/request_reading.hpp"
#include "api/session_types.hpp"
#include "api/utf8_stream.hpp"
#include "net/problem.hpp"

namespace atl::api {

namespace asio = boost::asio;
using schema::described;
using schema::json_answer;
using schema::json_body;
using ProcessPtr = sessions::Processes::ProcessPtr;

namespace {

constexpr std::string_view kProcessTag = "Processes";
constexpr std::uint64_t kWaitOutputBytesMax = 8u << 20;
constexpr std::chrono::minutes kWaitTimeout{5};
constexpr std::chrono::hours kForEver{24 * 365};
constexpr std::chrono::seconds kInputPatience{30};
constexpr std::size_t kInputPieceBytes = 64 * 1024;

// All that a process printed while somebody waits for its end.
struct Collected {
    Collected(std::shared_ptr<AnswerBudget> from, std::string owner)
        : answers(std::move(from)), held(*answers, std::move(owner)) {}

    const std::shared_ptr<AnswerBudget> answers;
    AnswerBudget::Share held;
    ProcessResult result;
    std::uint64_t bytes = 0;
    bool too_much = false;
    std::function<void()> kill;  // once there is what can be killed

    void add(core::Stream stream, std::string_view piece) {
        const auto room = kWaitOutputBytesMax - bytes;
        if (piece.size() > room) {
            piece = piece.substr(0, static_cast<std::size_t>(room));
            result.output_truncated = true;
        }
        if (too_much || !held.take(piece.size())) {
            if (!std::exchange(too_much, true) && kill) kill();
            return;
        }
        bytes += piece.size();
        (stream == core::Stream::Stdout ? result.out : result.err).append(piece);
    }
};

// Output as text, one event a piece, each with the offset behind it.
class TextEvents {
public:
    explicit TextEvents(std::uint64_t offset) : at_(offset) {}
    [[nodiscard]] std::uint64_t at() const noexcept { return at_; }

    [[nodiscard]] net::EventStream::Event gap(std::uint64_t end) {
        const OutputGap gap{at_, end};
        at_ = end;
        out_ = err_ = {};
        net::EventStream::Event event{{}, "gap", std::to_string(at_)};
        schema::append_json(event.data, gap);
        return event;
    }
    // Nothing when it holds no whole character yet.
    [[nodiscard]] std::optional<net::EventStream::Event> piece(sessions::OutputLog::Piece piece) {
        Half& half = piece.stream == core::Stream::Stdout ? out_ : err_;
        const std::uint64_t begin = at_ - half.held;
        std::string text = half.stream.add(piece.bytes);
        half.held = half.held + piece.bytes.size() - text.size();
        at_ += piece.bytes.size();
        if (text.empty()) return std::nullopt;
        return event(piece.stream, begin, at_ - half.held, std::move(text));
    }
    // What is left of each stream at its end.
    [[nodiscard]] std::vector<net::EventStream::Event> rest() {
        std::vector<net::EventStream::Event> events;
        for (Half* half : {&out_, &err_}) {
            std::string text = half->stream.rest();
            if (text.empty()) continue;
            const auto stream = half == &out_ ? core::Stream::Stdout : core::Stream::Stderr;
            events.push_back(event(stream, at_ - half->held, at_, std::move(text)));
        }
        return events;
    }

private:
    struct Half {
        Utf8Stream stream;
        std::uint64_t held = 0;
    };
    static net::EventStream::Event event(core::Stream stream, std::uint64_t begin,
                                         std::uint64_t end, std::string text) {
        net::EventStream::Event event{
            {}, stream == core::Stream::Stdout ? "stdout" : "stderr", std::to_string(end)};
        const OutputText what{begin, std::move(text)};
        schema::append_json(event.data, what);
        return event;
    }

    std::uint64_t at_;
    Half out_, err_;
};

class ProcessRoutes {
public:
    ProcessRoutes(sessions::Sessions& sessions, sessions::Processes& processes,
                  std::shared_ptr<AnswerBudget> answers)
        : sessions_(sessions), processes_(processes), answers_(std::move(answers)) {}

    asio::awaitable<void> start(net::Exchange& exchange) const {
        auto wanted = co_await read_json<StartProcess>(exchange);
        sessions::ProcessStart start;
        start.argv = std::move(wanted.argv);
        if (wanted.command) start.argv = {"/bin/bash", "-c", *wanted.command};
        start.environment = std::move(wanted.environment);
        start.directory = wanted.cwd;
        start.stdin_open = wanted.stdin_open || wanted.input;
        start.timeout = wanted.timeout;
        start.keep_awake = wanted.keep_awake;
        if (wanted.wait && start.timeout.count() == 0) start.timeout = kWaitTimeout;
        const auto collected =
            std::make_shared<Collected>(answers_, caller_of(exchange.request()).owner);
        if (wanted.wait) {
            start.output = [collected](core::Stream stream, std::string_view piece) {
                collected->add(stream, piece);
            };
        }
        auto use = co_await sessions_.use(whose(exchange), session_in(exchange));
        co_await sessions_.check_disk(*use);
        // The process may take the use that it is given; this one is the request's own.
        const auto awake = co_await sessions_.use(whose(exchange), session_in(exchange));
        const auto process = co_await processes_.start(std::move(use), std::move(start));
        net::Callbacks::Guard gone, stopping;
        if (wanted.wait) {
            gone = exchange.on_gone([process] { process->kill(); });
            stopping = exchange.on_stopping([process] { process->kill(); });
            // Weak: the process holds what it tells its output to.
            collected->kill = [one = std::weak_ptr(process)] {
                if (const auto still = one.lock()) still->kill();
            };
            if (collected->too_much) process->kill();
        }
        // Not waited for: a program may read its input late, or never.
        if (wanted.input) process->feed(std::move(*wanted.input), !wanted.stdin_open);
        if (!wanted.wait) {
            auto response = json_response(201, view_of(*process, false));
            response.headers.set("Location", "/v1/sessions/" + awake->record().id.text() +
                                                 "/processes/" + process->id());
            co_await exchange.respond(std::move(response));
            co_return;
        }
        co_await process->wait(kForEver);
        if (collected->too_much) throw ErrorException(AnswerBudget::full());
        auto& result = collected->result;
        result.id = process->id();
        fill(result, *process->ended());
        co_await exchange.respond(json_response(200, std::move(result)));
    }

    asio::awaitable<void> list(net::Exchange& exchange) const {
        const auto session = co_await sessions_.get(whose(exchange), session_in(exchange));
        ProcessList answer;
        for (const auto& process : processes_.list(session.id)) {
            answer.processes.push_back(view_of(*process, is_frozen(session)));
        }
        co_await exchange.respond(json_response(200, answer));
    }

    asio::awaitable<void> get(net::Exchange& exchange) const {
        const auto session = co_await sessions_.get(whose(exchange), session_in(exchange));
        const auto process = processes_.find(session.id, exchange.request().parameter("process"));
        co_await exchange.respond(json_response(200, view_of(*process, is_frozen(session))));
    }

    asio::awaitable<void> wait(net::Exchange& exchange) const {
        const auto asked = schema::from_parameters<WaitForProcess>(exchange.request().target.query);
        const auto process = co_await find(exchange);
        const auto use = co_await awake_while_it_runs(exchange, process);
        const std::function<bool()> enough = [&exchange] {
            return exchange.stopping() || exchange.client_gone();
        };
        const auto gone = exchange.on_gone([process] { process->wake(); });
        const auto stopping = exchange.on_stopping([process] { process->wake(); });
        co_await process->wait_unless(asked.timeout, enough);
        co_await exchange.respond(json_response(200, view_of(*process, false)));
    }

    asio::awaitable<void> write_input(net::Exchange& exchange) const {
        const auto asked = schema::from_parameters<WriteInput>(exchange.request().target.query);
        const auto process = co_await find(exchange);
        const auto closed = [&] {
            return ErrorException(
                {Code::Conflict, process->ended() ? "the process has ended"
                                                  : "the process was started without open input, "
                                                    "or its input has been ended"});
        };
        if (!process->stdin_open()) throw closed();
        const auto use = co_await awake_while_it_runs(exchange, process);
        WriteInputAnswer answer;
        for (;;) {
            std::string piece = co_await exchange.read_some(kInputPieceBytes);
            if (piece.empty()) break;
            const auto bytes = piece.size();
            const bool taken = co_await process->input(std::move(piece), kInputPatience);
            if (!taken) throw closed();
            answer.bytes += bytes;
        }
        if (asked.end) co_await process->end_input(kInputPatience);
        answer.stdin_open = process->stdin_open();
        co_await exchange.respond(json_response(200, answer));
    }

    asio::awaitable<void> signal(net::Exchange& exchange) const {
        const auto wanted = co_await read_json<SendSignal>(exchange);
        const auto process = co_await find(exchange);
        if (!process->running()) {
            throw ErrorException({Code::Conflict, "the process has ended"});
        }
        const auto use = co_await awake_while_it_runs(exchange, process);
        process->signal(number_of(wanted.signal));
        co_await exchange.respond(json_response(200, view_of(*process, false)));
    }

    asio::awaitable<void> remove(net::Exchange& exchange) const {
        const auto session = co_await sessions_.get(whose(exchange), session_in(exchange));
        const auto process = processes_.find(session.id, exchange.request().parameter("process"));
        const auto use = co_await awake_while_it_runs(exchange, process);
        co_await processes_.remove(session.id, process->id());
        co_await exchange.respond(net::Response::empty());
    }

    asio::awaitable<void> output(net::Exchange& exchange) const {
        const auto& request = exchange.request();
        const auto asked = schema::from_parameters<ReadOutput>(request.target.query);
        const auto header = [&](std::string_view name) -> std::optional<std::string> {
            const auto value = request.headers.get(name);
            if (!value) return std::nullopt;
            return std::string(*value);
        };
        const auto again = schema::from_headers<ReadOutputHeaders>(header);
        const auto process = co_await find(exchange);
        const auto& log = process->output_log();
        const auto from = again.last_event_id ? again.last_event_id : asked.after;
        if (from && *from > log.end()) {
            throw ErrorException(
                {Code::InvalidArgument,
                 "after: the process has written " + std::to_string(log.end()) + " bytes only"});
        }
        const std::uint64_t begin = from.value_or(log.begin());
        if (wants_events(request)) {
            co_await follow(exchange, process, begin);
        } else {
            co_await exchange.respond(json_response(200, kept_output(*process, begin)));
        }
    }

private:
    static bool is_frozen(const core::SessionRecord& session) {
        return session.state == core::SessionState::Warm;
    }

    asio::awaitable<ProcessPtr> find(net::Exchange& exchange) const {
        const auto session = co_await sessions_.get(whose(exchange), session_in(exchange));
        co_return processes_.find(session.id, exchange.request().parameter("process"));
    }

    // One that has ended needs no sandbox.
    asio::awaitable<std::optional<sessions::Use>> awake_while_it_runs(net::Exchange& exchange,
                                                                      ProcessPtr process) const {
        std::optional<sessions::Use> use;
        if (process->running()) {
            auto taken = co_await sessions_.use(whose(exchange), session_in(exchange));
            use.emplace(std::move(taken));
        }
        co_return use;
    }

    static OutputAnswer kept_output(const sessions::Process& process, std::uint64_t begin) {
        const auto& log = process.output_log();
        OutputAnswer answer;
        answer.begin = std::max(begin, log.begin());
        answer.lost_bytes = answer.begin - begin;
        answer.end = answer.begin;
        while (const auto piece = log.at(answer.end)) {
            (piece->stream == core::Stream::Stdout ? answer.out : answer.err).append(piece->bytes);
            answer.end += piece->bytes.size();
        }
        answer.state = process.ended() ? "ended" : "running";
        return answer;
    }

    asio::awaitable<void> follow(net::Exchange& exchange, ProcessPtr process,
                                 std::uint64_t begin) const {
        const auto use = co_await awake_while_it_runs(exchange, process);
        const auto& log = process->output_log();
        auto stream = co_await exchange.begin_events();
        const auto gone = exchange.on_gone([process] { process->wake(); });
        const auto stopping = exchange.on_stopping([process] { process->wake(); });
        TextEvents events(begin);
        while (!exchange.stopping() && !stream.client_gone()) {
            if (events.at() < log.begin()) {
                auto gap = events.gap(log.begin());
                co_await stream.send(std::move(gap));
            } else if (const auto piece = log.at(events.at())) {
                auto event = events.piece(*piece);
                if (event) co_await stream.send(std::move(*event));
            } else if (process->ended()) {
                for (auto& event : events.rest()) co_await stream.send(std::move(event));
                net::EventStream::Event last{{}, "ended", std::to_string(log.end())};
                schema::append_json(last.data, view_of(*process, false));
                co_await stream.send(std::move(last));
                break;
            } else {
                co_await process->news();
            }
        }
        co_await stream.end();
    }

    sessions::Sessions& sessions_;
    sessions::Processes& processes_;
    std::shared_ptr<AnswerBudget> answers_;
};

}  // namespace

void add_process_routes(Api& api, sessions::Sessions& sessions, sessions::Processes& processes,
                        std::shared_ptr<AnswerBudget> answers) {
    const ProcessRoutes routes(sessions, processes, std::move(answers));
    api.add({.method = "POST",
             .pattern = "/v1/sessions/{id}/processes",
             .id = "start_process",
             .tag = kProcessTag,
             .summary = "Start a program",
             .description =
                 "In the background, or with `wait` until it ends. A process ends with its "
                 "sandbox: when its session is restarted, goes to disk or is removed. While the "
                 "session is frozen it stands still. A running program keeps its session awake "
                 "for a while (sessions.background_awake), with `keep_awake` until it ends.",
             .path = described<SessionPath>(),
             .bodies = {json_body<StartProcess>()},
             .answers = {json_answer<ProcessView>(201, "It runs."),
                         json_answer<ProcessResult>(200, "With `wait`: how it went.")}},
            [routes](net::Exchange& exchange) { return routes.start(exchange); });
    api.add({.method = "GET",
             .pattern = "/v1/sessions/{id}/processes",
             .id = "list_processes",
             .tag = kProcessTag,
             .summary = "List a session's processes, the newest first",
             .description = "Ended ones are remembered for 15 minutes, the latest 32 of them.",
             .path = described<SessionPath>(),
             .answers = {json_answer<ProcessList>(200, "All that are remembered.")}},
            [routes](net::Exchange& exchange) { return routes.list(exchange); });
    const auto with_process = [](std::string_view method, std::string_view pattern,
                                 std::string_view id, std::string_view summary) {
        return schema::Route{.method = method,
                             .pattern = pattern,
                             .id = id,
                             .tag = kProcessTag,
                             .summary = summary,
                             .path = described<ProcessPath>(),
                             .answers = {json_answer<ProcessView>(200, "The process.")}};
    };
    api.add(
        with_process("GET", "/v1/sessions/{id}/processes/{process}", "get_process", "One process"),
        [routes](net::Exchange& exchange) { return routes.get(exchange); });
    auto remove = with_process("DELETE", "/v1/sessions/{id}/processes/{process}", "delete_process",
                               "Kill a process and all that it started, and forget it");
    remove.answers = {schema::empty_answer(204, "It is gone.")};
    api.add(std::move(remove),
            [routes](net::Exchange& exchange) { return routes.remove(exchange); });
    auto wait = with_process("GET", "/v1/sessions/{id}/processes/{process}/wait",
                             "wait_for_process", "Wait until it has ended");
    wait.description = "Answers when it has, or with `state: running` when the time is over.";
    wait.query = described<WaitForProcess>();
    api.add(std::move(wait), [routes](net::Exchange& exchange) { return routes.wait(exchange); });
    auto input = with_process("POST", "/v1/sessions/{id}/processes/{process}/stdin",
                              "write_to_process", "Write to its input");
    input.description = "The body as it is; what the program does not read yet slows the sender.";
    input.query = described<WriteInput>();
    auto bytes = schema::bytes_body("Any bytes.");
    bytes.required = false;
    input.bodies = {std::move(bytes)};
    input.answers = {json_answer<WriteInputAnswer>(200, "It was taken.")};
    api.add(std::move(input),
            [routes](net::Exchange& exchange) { return routes.write_input(exchange); });
    auto signal = with_process("POST", "/v1/sessions/{id}/processes/{process}/signal",
                               "signal_process", "Send it a signal");
    signal.bodies = {json_body<SendSignal>()};
    api.add(std::move(signal),
            [routes](net::Exchange& exchange) { return routes.signal(exchange); });
    auto output = with_process("GET", "/v1/sessions/{id}/processes/{process}/output",
                               "read_process_output", "Its output: what is kept, or live");
    output.description =
        "The latest 256 KiB are kept. With `Accept: text/event-stream` it goes on as it comes; a "
        "client that comes back with `Last-Event-ID` misses nothing that is still kept, and an "
        "event `gap` says what is not.";
    output.query = described<ReadOutput>();
    output.headers = described<ReadOutputHeaders>();
    output.answers = {
        json_answer<OutputAnswer>(200, "What is kept now."),
        schema::event_answer("With `Accept: text/event-stream`: as it comes.",
                             {schema::event<OutputText>("stdout", "What it printed."),
                              schema::event<OutputText>("stderr", "What it printed as errors."),
                              schema::event<OutputGap>("gap", "What was missed."),
                              schema::event<ProcessView>("ended", "The last one.")})};
    api.add(std::move(output),
            [routes](net::Exchange& exchange) { return routes.output(exchange); });
}

}  // namespace atl::api

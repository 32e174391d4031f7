#include "api/run_routes.hpp"

#include "api/answer_budget.hpp"
#include "api/content_type.hpp"
#include "api/file_paths.hpp"
#include "api/output_routes.hpp"
#include "api/request_reading.hpp"
#include "api/sandbox_options.hpp"
#include "api/scopes.hpp"
#include "api/session_types.hpp"
#include "api/utf8_stream.hpp"
#include "base/as_tuple.hpp"
#include "base/fields.hpp"
#include "base/scope.hpp"
#include "base/workers.hpp"
#include "sessions/execution.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>

namespace atl::api {

namespace asio = boost::asio;
namespace json = boost::json;
using schema::described;
using schema::json_answer;
using schema::json_body;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::string_view kRunTag = "Runs";
constexpr std::size_t kArtifactEventsMax = 1000;    // live ones; the end has all
constexpr std::size_t kMemoryOfPath = 4;            // bytes for each byte of it: with its link
constexpr std::size_t kMemoryOfJson = 4;            // bytes for each byte of its text, about
constexpr std::size_t kJoinedBytesMax = 16 * 1024;  // of output that waits for a client, an event

double ms_between(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double, std::milli>(to - from).count();
}

guest_client::Language language_of(RunLanguage language) {
    switch (language) {
        case RunLanguage::Python: return guest_client::Language::Python;
        case RunLanguage::Shell: return guest_client::Language::Shell;
        case RunLanguage::Javascript: return guest_client::Language::JavaScript;
        case RunLanguage::Typescript: return guest_client::Language::TypeScript;
    }
    return guest_client::Language::Python;
}

void fill(RunAnswer& answer, const guest_client::RunEnd& end, const core::Limits& limits) {
    answer.exit_code = end.exit_code;
    answer.signal = end.signal;
    answer.reason = std::string(core::name_of(end.reason));
    answer.output_truncated = end.output_truncated;
    answer.state_lost = answer.state_lost || end.state_lost;
    answer.execution_count = end.execution_count;
    answer.memory_peak_bytes = end.memory_peak_bytes;
    answer.timings_ms.run = end.run_ms;
    if (auto why = sessions::sentence_of(end, limits); !why.empty())
        answer.message = std::move(why);
}

std::string text_event(std::string text) {
    std::string data;
    schema::append_json(data, json::value(json::object{{"text", std::move(text)}}));
    return data;
}

// What a client asked for, beside the run itself.
struct Asked {
    Clock::time_point began;
    bool keep_running = false;
    std::optional<std::string> echo;
};

// What people look at, in the folders that they look into.
std::optional<std::string_view> image_type(std::string_view path) {
    static constexpr std::string_view kFolders[] = {"/data/outputs/", "/session/artifacts/",
                                                    "/work/artifacts/"};
    static constexpr std::string_view kShown[] = {"image/png", "image/jpeg", "image/webp",
                                                  "image/gif", "image/svg+xml"};
    const auto starts = [&](std::string_view folder) { return path.rfind(folder, 0) == 0; };
    if (std::none_of(std::begin(kFolders), std::end(kFolders), starts)) return std::nullopt;
    const auto type = content_type_of(last_part(path));
    const bool shown = std::find(std::begin(kShown), std::end(kShown), type) != std::end(kShown);
    return shown ? std::optional(type) : std::nullopt;
}

json::object file_object(const guest_client::ChangedFile& change) {
    return {{"path", change.path}, {"type", change.type}, {"size", change.size}};
}

// Of what lies in a sandbox that is gone, only artifacts can still be had.
std::optional<std::string> link_to(const sessions::Execution& execution, const std::string& path) {
    if (const auto session = execution.session()) return href_of(session->text(), path);
    const auto& folder = execution.artifacts_folder();
    if (path.rfind(folder + "/", 0) != 0) return std::nullopt;
    return output_href(*execution.run_id(), path.substr(folder.size() + 1));
}

// What the run did to files, once it has ended; as much of it as there is memory for.
asio::awaitable<void> tell_files(RunAnswer& answer, sessions::Execution& execution,
                                 AnswerBudget::Share& held) {
    auto files = co_await execution.files();
    answer.files_complete = files.complete;
    for (const auto& entry : files.changed) {
        const auto& change = entry.second;
        if (!held.take(sizeof change + kMemoryOfPath * change.path.size())) {
            answer.files_complete = false;
            break;
        }
        answer.files.push_back({change.path, change.change, change.type, change.size});
        const auto type = image_type(change.path);
        if (!type || change.change == "removed" || change.type != "file" || !change.exact) continue;
        const auto link = link_to(execution, change.path);
        if (!link) continue;
        answer.images.push_back({change.path, std::string(*type), change.size, *link});
    }
    if (!files.promoted) co_return;
    answer.artifact_map = std::move(files.promoted->map);
    for (auto& one : files.promoted->left_out) {
        answer.artifacts_left_out.push_back({std::move(one.path), std::move(one.reason)});
    }
}

RunAnswer begin_answer(const sessions::Execution& execution, const Asked& asked,
                       const std::string& context) {
    RunAnswer answer;
    answer.code = asked.echo;
    if (const auto session = execution.session()) answer.session_id = session->text();
    if (const auto& run = execution.run_id()) answer.run_id = run->text();
    answer.timings_ms.sandbox = ms_between(asked.began, Clock::now());
    for (const auto& one : execution.lost()) {
        // All that this run could have found: of every context, or of its own.
        const bool all = one.name.empty() && (one.context.empty() || one.context == context);
        if (all) answer.state_lost = true;
        answer.lost.push_back({one.context, one.name, one.type, one.reason});
    }
    return answer;
}

// A client that leaves ends its run. One that said keep_running does not; but a server that stops
// waits for nobody who has left.
struct Leaving {
    net::Callbacks::Guard gone, stopping;
    Leaving(net::Exchange& exchange, sessions::Execution& execution, bool keep_running)
        : gone(exchange.on_gone([&exchange, &execution, keep_running] {
              if (!keep_running || exchange.stopping()) execution.cancel();
          })),
          stopping(exchange.on_stopping([&exchange, &execution] {
              if (exchange.client_gone()) execution.cancel();
          })) {}
};

// These two note that the client heard of what was lost, once its answer was sent. A client that
// leaves after that has heard it.
asio::awaitable<void> answer_once(net::Exchange& exchange, sessions::Execution& execution,
                                  Asked asked, guest_client::RunRequest request,
                                  AnswerBudget& budget) {
    AnswerBudget::Share held(budget, caller_of(exchange.request()).owner);
    bool too_much = false;
    // A piece that does not fit ends the run: what is left out would look like all of it.
    const auto fits = [&](std::size_t bytes) {
        if (!too_much && held.take(bytes)) return true;
        if (!std::exchange(too_much, true)) execution.cancel();
        return false;
    };
    RunAnswer answer = begin_answer(execution, asked, request.context);
    const Leaving leaving(exchange, execution, asked.keep_running);
    guest_client::RunListener listener;
    listener.output = [&](core::Stream stream, std::string_view piece) {
        if (!fits(piece.size())) return;
        (stream == core::Stream::Stdout ? answer.out : answer.err).append(piece);
    };
    listener.result = [&](json::object bundle) {
        const auto bytes = kMemoryOfJson * execution.link()->event_bytes();
        if (fits(bytes)) answer.results.push_back(std::move(bundle));
    };
    listener.error = [&](json::object error) {
        answer.error = std::move(error);
        // Where a program's would be, too, for those who look at text alone.
        const auto trace = fields::text_of(*answer.error, "traceback_text");
        if (trace.empty() || too_much || !held.take(trace.size() + 2)) return;
        if (!answer.err.empty() && !answer.err.ends_with('\n')) answer.err += '\n';
        answer.err += trace + "\n";
    };
    const auto end = co_await execution.run(std::move(request), std::move(listener));
    if (too_much) throw ErrorException(AnswerBudget::full());
    fill(answer, end, execution.limits());
    co_await tell_files(answer, execution, held);
    answer.timings_ms.total = ms_between(asked.began, Clock::now());
    const bool listens = !exchange.client_gone();
    co_await exchange.respond(json_response(200, std::move(answer)));
    if (listens) execution.lost_told();
}

std::string started_data(const RunAnswer& answer) {
    json::object about;
    if (answer.session_id) about["session_id"] = *answer.session_id;
    if (answer.run_id) about["run_id"] = *answer.run_id;
    if (answer.code) about["code"] = *answer.code;
    std::string data;
    schema::append_json(data, json::value(std::move(about)));
    return data;
}

// Events wait here for the client. Each knows what the guest gets back once it was sent, so that no
// more waits than the guest has credit for.
struct Waiting {
    struct Event {
        net::EventStream::Event event;
        json::value large = {};  // its data, if that is too much to be printed here
        std::string text = {};   // instead of data: what a program printed
        std::size_t cost = 0;
    };
    std::deque<Event> events;
    bool ended = false;
    asio::steady_timer came;
    explicit Waiting(asio::any_io_executor executor)
        : came(executor, asio::steady_timer::time_point::max()) {}
    void add(std::string name, std::string data) {
        events.push_back({{std::move(data), std::move(name), {}}});
        came.cancel();
    }
    // Joined to what waits already: a program that prints byte by byte to a client that does not
    // read may have as many bytes here as it has credit, and not as many events.
    void add_text(const char* name, std::string text) {
        if (text.empty()) return;
        if (!events.empty() && !events.back().text.empty() && events.back().event.event == name &&
            events.back().text.size() + text.size() <= kJoinedBytesMax) {
            events.back().text += text;
        } else {
            Event added{{{}, name, {}}};
            added.text = std::move(text);
            events.push_back(std::move(added));
        }
        came.cancel();
    }
    void add(std::string name, json::object object) {
        Event added{{{}, std::move(name), {}}};
        json::value value(std::move(object));
        if (schema::is_small(value, kWholeBytesMax)) {
            schema::append_json(added.event.data, value);
        } else {
            added.large = std::move(value);
        }
        events.push_back(std::move(added));
        came.cancel();
    }
};

asio::awaitable<void> print(Waiting::Event& event, asio::any_io_executor executor) {
    if (!event.text.empty()) event.event.data = text_event(std::move(event.text));
    if (event.large.is_null()) co_return;
    const auto print_large = [&event] {
        const auto value = std::move(event.large);  // and it goes there, too
        schema::append_json(event.event.data, value);
        return true;
    };
    co_await workers_of(executor).run(print_large);
}

asio::awaitable<void> answer_with_events(net::Exchange& exchange, sessions::Execution& execution,
                                         Asked asked, guest_client::RunRequest request,
                                         AnswerBudget& budget) {
    const auto executor = exchange.executor();
    AnswerBudget::Share held(budget, caller_of(exchange.request()).owner);
    RunAnswer answer = begin_answer(execution, asked, request.context);
    const Leaving leaving(exchange, execution, asked.keep_running);
    auto stream = co_await exchange.begin_events();
    Waiting waiting(executor);
    Utf8Stream out, err;
    guest_client::RunListener listener;
    listener.output = [&](core::Stream from, std::string_view piece) {
        if (from == core::Stream::Stdout)
            waiting.add_text("stdout", out.add(piece));
        else
            waiting.add_text("stderr", err.add(piece));
    };
    listener.result = [&](json::object bundle) { waiting.add("result", std::move(bundle)); };
    listener.error = [&](json::object error) { waiting.add("error", std::move(error)); };
    listener.cost = [&](std::size_t bytes) {
        if (waiting.events.empty())
            execution.took(bytes);  // half a character, of which nobody hears yet
        else
            waiting.events.back().cost += bytes;
    };
    std::size_t artifacts = 0;
    const auto artifact = [&](const guest_client::ChangedFile& change) {
        if (++artifacts <= kArtifactEventsMax) waiting.add("artifact", file_object(change));
    };
    waiting.add("started", started_data(answer));
    std::exception_ptr failed;
    guest_client::RunEnd end;
    const auto work = [&]() -> asio::awaitable<void> {
        try {
            end = co_await execution.run(std::move(request), std::move(listener), artifact);
        } catch (...) { failed = std::current_exception(); }
        waiting.ended = true;
        waiting.came.cancel();
    };
    bool gone = false;
    // The run refers to what lives here: the scope waits for its end, whatever the client does.
    const auto run_and_tell = [&](atl::Scope& scope) -> asio::awaitable<void> {
        scope.spawn(work);
        while (!waiting.ended || !waiting.events.empty()) {
            if (waiting.events.empty()) {
                co_await waiting.came.async_wait(kAsTuple);
                continue;
            }
            auto next = std::move(waiting.events.front());
            waiting.events.pop_front();
            try {
                if (!gone) co_await print(next, executor);
                if (!gone) co_await stream.send(std::move(next.event));
            } catch (const std::exception&) {
                gone = true;
                if (!asked.keep_running || exchange.stopping()) execution.cancel();
            }
            execution.took(next.cost);
        }
    };
    co_await in_scope(run_and_tell);
    if (gone) {
        co_await tell_files(answer, execution, held);
        co_return;
    }
    if (failed) {
        std::string sentence = "the run failed";
        try {
            std::rethrow_exception(failed);
        } catch (const ErrorException& error) {
            sentence = error.error.message;
        } catch (const std::exception&) {
            // What went wrong inside is no client's business.
        }
        std::string data;
        schema::append_json(data,
                            json::value(json::object{{"name", "RunFailed"}, {"value", sentence}}));
        net::EventStream::Event event{std::move(data), "error", {}};
        co_await stream.send(std::move(event));
        end.reason = core::EndReason::Killed;
        end.exit_code = 128 + 9;
    }
    for (auto* rest : {&out, &err}) {
        std::string text = rest->rest();
        if (text.empty()) continue;
        net::EventStream::Event event{
            text_event(std::move(text)), rest == &out ? "stdout" : "stderr", {}};
        co_await stream.send(std::move(event));
    }
    fill(answer, end, execution.limits());
    co_await tell_files(answer, execution, held);
    answer.timings_ms.total = ms_between(asked.began, Clock::now());
    net::EventStream::Event last{{}, "ended", {}};
    schema::append_json(last.data, answer);
    co_await stream.send(std::move(last));  // throws if the client has left
    execution.lost_told();                  // it may leave now, without the stream's own end
    co_await stream.end();
}

asio::awaitable<void> run_in(net::Exchange& exchange, sessions::Execution& execution, Asked asked,
                             guest_client::RunRequest request, AnswerBudget& budget) {
    execution.follow_files();
    if (wants_events(exchange.request())) {
        co_await answer_with_events(exchange, execution, std::move(asked), std::move(request),
                                    budget);
    } else {
        co_await answer_once(exchange, execution, std::move(asked), std::move(request), budget);
    }
}

// What the handlers of this file share; lives as long as the routes.
struct Runs {
    sessions::Sessions& sessions;
    core::Outputs& outputs;
    RunRules rules;
    std::shared_ptr<AnswerBudget> answers;
};

asio::awaitable<void> run_in_session(Runs& runs, net::Exchange& exchange) {
    Asked asked{.began = Clock::now(), .keep_running = false, .echo = {}};
    auto wanted = co_await read_json<RunBody>(exchange);
    check_input(runs.rules, wanted.code);
    check_run_time(wanted.timeout, runs.sessions.options().ceilings);
    const auto execution = co_await sessions::Execution::in_session(runs.sessions, whose(exchange),
                                                                    session_in(exchange));
    execution->keep_artifacts(runs.outputs);
    asked.keep_running = wanted.keep_running;
    if (runs.rules.echo_code) asked.echo = wanted.code;
    auto run =
        execution->request(language_of(wanted.language), std::move(wanted.code), wanted.timeout);
    run.context = guest_client::kernel_for(run.language, std::move(wanted.context));
    run.environment = std::move(wanted.environment);
    co_await run_in(exchange, *execution, std::move(asked), std::move(run), *runs.answers);
}

// The session that the body names, made if it is not there; or a fresh sandbox.
asio::awaitable<std::unique_ptr<sessions::Execution>> execution_of(Runs& runs,
                                                                   const net::Exchange& exchange,
                                                                   const EphemeralBody& wanted) {
    const Caller& caller = caller_of(exchange.request());
    const auto& options = runs.sessions.options();
    check_sandbox_options(wanted.runtime, wanted.network, wanted.datasets, options);
    check_run_time(wanted.timeout, options.ceilings);
    sessions::NewSession where;
    where.owner = caller.owner;
    where.template_name = wanted.template_name;
    where.data_sets = wanted.datasets;
    where.limits = limits_of(wanted.limits, wanted.session_id ? options.limits : options.run_limits,
                             options.ceilings);
    if (!wanted.session_id) {
        where.environment = wanted.environment;
        return sessions::Execution::alone(runs.sessions, std::move(where));
    }
    if (!grants(caller.scopes, kMakeSessionScope)) {
        return sessions::Execution::in_session(runs.sessions, core::Whose::of(caller.owner),
                                               SessionId(*wanted.session_id));
    }
    where.name = *wanted.session_id;
    return sessions::Execution::in_session(runs.sessions, std::move(where),
                                           notes_session(exchange));
}

asio::awaitable<void> run_alone(Runs& runs, net::Exchange& exchange) {
    Asked asked{.began = Clock::now(), .keep_running = false, .echo = {}};
    auto wanted = co_await read_json<EphemeralBody>(exchange);
    check_input(runs.rules, wanted.code);
    const auto execution = co_await execution_of(runs, exchange, wanted);
    execution->keep_artifacts(runs.outputs);
    if (runs.rules.echo_code) asked.echo = wanted.code;
    auto run =
        execution->request(language_of(wanted.language), std::move(wanted.code), wanted.timeout);
    if (wanted.session_id) {
        run.context = guest_client::kernel_for(run.language, std::move(run.context));
        run.environment = std::move(wanted.environment);
    }
    co_await run_in(exchange, *execution, std::move(asked), std::move(run), *runs.answers);
}

std::vector<schema::Answer> run_answers() {
    return {json_answer<RunAnswer>(200, "How it went; also when the code failed."),
            schema::event_answer(
                "With `Accept: text/event-stream`: what happens, as it happens.",
                {schema::event<RunAnswer>("ended",
                                          "The last one: how it went, without what was "
                                          "sent before.")})};
}

}  // namespace

// The described type has the highest limit there is; this is the server's own.
void check_input(const RunRules& rules, const std::string& code) {
    const auto characters =
        static_cast<std::size_t>(std::count_if(code.begin(), code.end(), [](char c) {
            return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
        }));
    if (characters <= rules.input_chars_max) return;
    throw schema::ValidationError(
        {{"code", "has " + std::to_string(characters) + " characters, and this server takes " +
                      std::to_string(rules.input_chars_max)}});
}

void add_run_routes(Api& api, sessions::Sessions& sessions, core::Outputs& outputs, RunRules rules,
                    std::shared_ptr<AnswerBudget> answers) {
    const auto runs = std::make_shared<Runs>(Runs{sessions, outputs, rules, std::move(answers)});
    api.add({.method = "POST",
             .pattern = "/v1/sessions/{id}/run",
             .id = "run_in_session",
             .tag = kRunTag,
             .summary = "Run code in a session",
             .description = "Variables of Python, and those of JavaScript and TypeScript, stay for "
                            "the next run of the same context. A sleeping session is woken.",
             .path = described<SessionPath>(),
             .bodies = {json_body<RunBody>()},
             .answers = run_answers()},
            [runs](net::Exchange& exchange) { return run_in_session(*runs, exchange); });
    api.add({.method = "POST",
             .pattern = "/v1/run",
             .id = "run",
             .tag = kRunTag,
             .summary = "Run code in a fresh sandbox, or in a session by its name",
             .description = "Nothing of it stays, unless `session_id` names a session. One that is "
                            "not there is made; that takes a key whose scopes include "
                            "sessions:write.",
             .bodies = {json_body<EphemeralBody>()},
             .answers = run_answers()},
            [runs](net::Exchange& exchange) { return run_alone(*runs, exchange); });
}

}  // namespace atl::api

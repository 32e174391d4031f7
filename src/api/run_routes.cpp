#include "api/run_routes.hpp"

#include "api/session_types.hpp"
#include "api/utf8_stream.hpp"
#include "sessions/run.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>

namespace atl::api {

namespace asio = boost::asio;
namespace json = boost::json;
using core::Whose;
using schema::described;
using schema::json_answer;
using schema::json_body;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::string_view kTag = "Runs";

double ms_between(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double, std::milli>(to - from).count();
}

sessions::Language language_of(RunLanguage language) {
    switch (language) {
        case RunLanguage::Python: return sessions::Language::Python;
        case RunLanguage::Shell: return sessions::Language::Shell;
        case RunLanguage::Javascript: return sessions::Language::JavaScript;
        case RunLanguage::Typescript: return sessions::Language::TypeScript;
    }
    return sessions::Language::Python;
}

void fill(RunAnswer& answer, const sessions::RunEnd& end) {
    answer.exit_code = end.exit_code;
    answer.signal = end.signal;
    answer.reason = std::string(core::name_of(end.reason));
    answer.output_truncated = end.output_truncated;
    answer.state_lost = end.state_lost;
    answer.execution_count = end.execution_count;
    answer.memory_peak_bytes = end.memory_peak_bytes;
    answer.timings_ms.run = end.run_ms;
}

bool wants_events(const net::Request& request) {
    const auto accept = request.headers.get("Accept");
    return accept && accept->find("text/event-stream") != std::string_view::npos;
}

std::string text_event(std::string text) {
    std::string data;
    schema::append_json(data, json::value(json::object{{"text", std::move(text)}}));
    return data;
}

// Where a run takes place, whoever owns it: a session's sandbox, or one for this run alone.
struct Place {
    std::shared_ptr<sessions::GuestLink> link;
    std::shared_ptr<core::Sandbox> sandbox;
    std::vector<sessions::Lost> lost;
    Clock::time_point began;
    Clock::time_point ready;
};

RunAnswer begin_answer(Place& place) {
    RunAnswer answer;
    answer.timings_ms.sandbox = ms_between(place.began, place.ready);
    for (auto& one : place.lost) {
        answer.lost.push_back({one.context, one.name, one.type, one.reason});
    }
    return answer;
}

asio::awaitable<void> answer_once(net::Exchange& exchange, Place place,
                                  sessions::RunRequest request) {
    RunAnswer answer = begin_answer(place);
    sessions::Run run(place.link, place.sandbox);
    exchange.on_gone([&run] { run.cancel(); });
    sessions::RunListener listener;
    listener.output = [&](wire::Kind kind, std::string_view piece) {
        (kind == wire::Kind::Stdout ? answer.out : answer.err).append(piece);
    };
    listener.result = [&](json::object bundle) { answer.results.push_back(std::move(bundle)); };
    listener.error = [&](json::object error) { answer.error = std::move(error); };
    const auto end = co_await run.run(std::move(request), std::move(listener));
    fill(answer, end);
    answer.timings_ms.total = ms_between(place.began, Clock::now());
    co_await exchange.respond(json_response(200, answer));
}

// Events wait here for the client. Bounded by the run's own output limit.
struct Waiting {
    std::deque<net::EventStream::Event> events;
    bool ended = false;
    asio::steady_timer came;
    explicit Waiting(asio::any_io_executor executor)
        : came(executor, asio::steady_timer::time_point::max()) {}
    void add(std::string name, std::string data) {
        events.push_back({std::move(data), std::move(name), {}});
        came.cancel();
    }
};

asio::awaitable<void> answer_with_events(net::Exchange& exchange, Place place,
                                         sessions::RunRequest request) {
    const auto executor = exchange.executor();
    RunAnswer answer = begin_answer(place);
    sessions::Run run(place.link, place.sandbox);
    exchange.on_gone([&run] { run.cancel(); });
    auto stream = co_await exchange.begin_events();
    Waiting waiting(executor);
    Utf8Stream out, err;
    const auto say = [&](const char* name, std::string text) {
        if (!text.empty()) waiting.add(name, text_event(std::move(text)));
    };
    const auto say_object = [&](const char* name, const json::object& object) {
        std::string data;
        schema::append_json(data, json::value(object));
        waiting.add(name, std::move(data));
    };
    sessions::RunListener listener;
    listener.output = [&](wire::Kind kind, std::string_view piece) {
        if (kind == wire::Kind::Stdout)
            say("stdout", out.add(piece));
        else
            say("stderr", err.add(piece));
    };
    listener.result = [&](json::object bundle) { say_object("result", bundle); };
    listener.error = [&](json::object error) { say_object("error", error); };
    waiting.add("started", "{}");
    std::exception_ptr failed;
    sessions::RunEnd end;
    const auto work = [&]() -> asio::awaitable<void> {
        end = co_await run.run(std::move(request), std::move(listener));
    };
    asio::co_spawn(executor, work, [&](std::exception_ptr error) {
        failed = error;
        waiting.ended = true;
        waiting.came.cancel();
    });
    bool gone = false;
    while (!waiting.ended || !waiting.events.empty()) {
        if (waiting.events.empty()) {
            co_await waiting.came.async_wait(asio::as_tuple(asio::use_awaitable));
            continue;
        }
        auto next = std::move(waiting.events.front());
        waiting.events.pop_front();
        if (gone) continue;
        // The run refers to what lives here: it must end before we do, whatever the client does.
        try {
            co_await stream.send(std::move(next));
        } catch (const std::exception&) {
            gone = true;
            run.cancel();
        }
    }
    if (gone) co_return;
    if (failed) {
        std::string sentence = "the run failed";
        try {
            std::rethrow_exception(failed);
        } catch (const ErrorException& error) { sentence = error.error.message; }
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
    fill(answer, end);
    answer.timings_ms.total = ms_between(place.began, Clock::now());
    net::EventStream::Event last{{}, "ended", {}};
    schema::append_json(last.data, answer);
    co_await stream.send(std::move(last));
    co_await stream.end();
}

asio::awaitable<void> run_in(net::Exchange& exchange, Place place, sessions::RunRequest request) {
    if (wants_events(exchange.request())) {
        co_await answer_with_events(exchange, std::move(place), std::move(request));
    } else {
        co_await answer_once(exchange, std::move(place), std::move(request));
    }
}

asio::awaitable<void> run_in_session(sessions::Sessions& sessions, net::Exchange& exchange) {
    const auto began = Clock::now();
    const std::string body = co_await exchange.read_body(kBodyBytesMax);
    const auto wanted = schema::from_json<RunBody>(body, kBodyBytesMax);
    const auto& request = exchange.request();
    const auto use = co_await sessions.use(Whose::of(caller_of(request).owner),
                                           SessionId(request.parameter("id")));
    Place place{use->link(), use->sandbox(), use->take_lost(), began, Clock::now()};
    sessions::RunRequest run;
    run.language = language_of(wanted.language);
    run.code = wanted.code;
    run.context = wanted.context;
    run.timeout = wanted.timeout.count() > 0 ? wanted.timeout : core::Limits{}.wall_time_max;
    run.environment = wanted.environment;
    co_await run_in(exchange, std::move(place), std::move(run));
}

asio::awaitable<void> run_alone(sessions::Sessions& sessions, net::Exchange& exchange) {
    const auto began = Clock::now();
    const std::string body = co_await exchange.read_body(kBodyBytesMax);
    const auto wanted = schema::from_json<EphemeralBody>(body, kBodyBytesMax);
    sessions::NewSession alone;
    alone.owner = caller_of(exchange.request()).owner;
    alone.template_name = wanted.template_name;
    alone.limits = limits_of(wanted.limits);
    alone.environment = wanted.environment;
    const auto limits = alone.limits;
    const std::shared_ptr<core::Sandbox> sandbox = co_await sessions.ephemeral(std::move(alone));
    const auto link = sessions::GuestLink::start(exchange.executor(), sandbox->take_stream());
    Place place{link, sandbox, {}, began, Clock::now()};
    sessions::RunRequest run;
    run.language = language_of(wanted.language);
    run.code = wanted.code;
    run.directory = "/work";
    run.timeout = wanted.timeout.count() > 0 ? wanted.timeout : limits.wall_time_max;
    run.output_bytes_max = limits.output_bytes_max;
    std::exception_ptr failed;
    try {
        co_await run_in(exchange, std::move(place), std::move(run));
    } catch (...) { failed = std::current_exception(); }
    link->close();
    sandbox->destroy();
    if (failed) std::rethrow_exception(failed);
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

void add_run_routes(Api& api, sessions::Sessions& sessions) {
    api.add({.method = "POST",
             .pattern = "/v1/sessions/{id}/run",
             .id = "run_in_session",
             .tag = kTag,
             .summary = "Run code in a session",
             .description = "Variables of Python stay for the next run of the same context. A "
                            "sleeping session is woken.",
             .path = described<SessionPath>(),
             .bodies = {json_body<RunBody>()},
             .answers = run_answers()},
            [&sessions](net::Exchange& exchange) { return run_in_session(sessions, exchange); });
    api.add({.method = "POST",
             .pattern = "/v1/run",
             .id = "run",
             .tag = kTag,
             .summary = "Run code in a fresh sandbox",
             .description = "Nothing of it stays.",
             .bodies = {json_body<EphemeralBody>()},
             .answers = run_answers()},
            [&sessions](net::Exchange& exchange) { return run_alone(sessions, exchange); });
}

}  // namespace atl::api

#include "api/e2b/interpreter_routes.hpp"

#include "api/e2b/envd_path.hpp"
#include "api/e2b/interpreter_events.hpp"
#include "api/e2b/message.hpp"
#include "api/e2b/sandbox_entry.hpp"
#include "base/as_tuple.hpp"
#include "base/scope.hpp"
#include "base/workers.hpp"
#include "sessions/execution.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/array.hpp>

namespace atl::api::e2b {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::chrono::seconds kKeepalive{5};
// How long text may wait for what belongs to it. An end waits for nothing.
constexpr std::chrono::milliseconds kJoinTime{20};

json::object view_of(const InterpreterContext& context) {
    return {{"id", context.id}, {"language", context.language}, {"cwd", context.directory}};
}

asio::awaitable<Message> read_object(net::Exchange& exchange) {
    const auto body = co_await exchange.read_body(kBodyBytesMax);
    if (body.empty()) co_return Message();
    if (body.size() <= kWholeBytesMax) co_return message_from(body, kBodyBytesMax);
    const auto read = [&body] { return message_from(body, kBodyBytesMax); };
    co_return co_await workers_of(exchange.executor()).run(read);
}

// The lines of one run, on their way to the client.
class Telling {
public:
    Telling(net::Exchange& exchange, sessions::Execution& execution,
            InterpreterContexts::ContextPtr context)
        : exchange_(exchange),
          execution_(execution),
          context_(std::move(context)),
          news_(exchange.executor(), asio::steady_timer::time_point::max()),
          late_(exchange.executor(), core::system_clock()) {}
    Telling(const Telling&) = delete;
    Telling& operator=(const Telling&) = delete;

    asio::awaitable<void> run(guest_client::RunRequest request) {
        const auto gone = exchange_.on_gone([this] { leave(); });
        const auto stopping = exchange_.on_stopping([this] { execution_.cancel(); });
        net::Headers headers;
        headers.set("Content-Type", "application/x-ndjson");
        headers.set("Cache-Control", "no-store");
        co_await exchange_.begin(200, std::move(headers));
        // The run refers to what lives here: the scope waits for its end, whatever the client does.
        const auto work = [this, &request](Scope& scope) -> asio::awaitable<void> {
            scope.spawn(carry_out(std::move(request)));
            co_await tell();
        };
        co_await in_scope(work);
        if (left_) throw net::ClientGone();
        if (failed_) cut_off();
        co_await exchange_.end();
    }

private:
    void leave() {
        left_ = true;
        execution_.cancel();
        news_.cancel();
    }

    asio::awaitable<void> carry_out(guest_client::RunRequest request) {
        guest_client::RunListener listener;
        listener.started = [this] {
            events_.count(++context_->runs);
            news_.cancel();
        };
        listener.output = [this](core::Stream stream, std::string_view piece) {
            events_.output(stream, piece, core::time_now());
            news_.cancel();
        };
        listener.result = [this](const json::object& event) {
            events_.result(event);
            news_.cancel();
        };
        listener.error = [this](const json::object& event) {
            has_error_ = true;
            events_.error(event);
            news_.cancel();
        };
        listener.cost = [this](std::size_t bytes) {
            if (events_.empty()) {
                execution_.took(bytes);  // half a character, of which nobody hears yet
            } else {
                events_.cost(bytes);
            }
        };
        try {
            const auto end = co_await execution_.run(std::move(request), std::move(listener));
            if (end.execution_count > 0) context_->runs = end.execution_count;
            if (end.state_lost) context_->runs = 0;
            tell_how_it_ended(end);
        } catch (const ErrorException& error) {
            // It could not be run; or the sandbox went with it, which is no end to be told.
            failed_ = error.error.code == Code::Unavailable;
            events_.error("ExecutionError", error.error.message, error.error.message);
        } catch (const std::exception&) { failed_ = true; }
        events_.end();
        ended_ = true;
        news_.cancel();
    }

    void tell_how_it_ended(const guest_client::RunEnd& end) {
        if (has_error_) return;
        const auto why = sessions::sentence_of(end, execution_.limits());
        if (!why.empty()) {
            events_.error("ExecutionError", why, why);
        } else if (end.exit_code != 0) {
            const auto status = "exit status " + std::to_string(end.exit_code);
            events_.error("ExitError", status, status);
        }
    }

    // Until the run has ended and all was told. Never throws: who waits for the run must not be
    // lost to it.
    asio::awaitable<void> tell() {
        while (!ended_ || !events_.empty()) {
            if (events_.empty()) {
                if (!co_await wait(kKeepalive) && events_.empty() && !ended_) {
                    co_await send("{\"type\":\"keepalive\"}\n");
                }
                continue;
            }
            if (events_.may_grow() && !ended_ && !left_) co_await wait_for_more();
            auto line = events_.next();
            co_await send(line.text);
            execution_.took(line.cost);
        }
    }

    // False when the time was over before there was anything new.
    asio::awaitable<bool> wait(std::chrono::milliseconds time) {
        bool over = false;
        late_.expires_after(time);
        late_.then([this, &over] {
            over = true;
            news_.cancel();
        });
        co_await news_.async_wait(kAsTuple);
        late_.cancel();
        co_return !over;
    }

    asio::awaitable<void> wait_for_more() {
        bool over = false;
        late_.expires_after(kJoinTime);
        late_.then([this, &over] {
            over = true;
            news_.cancel();
        });
        while (!over && events_.may_grow() && !ended_ && !left_) {
            co_await news_.async_wait(kAsTuple);
        }
        late_.cancel();
    }

    asio::awaitable<void> send(std::string_view line) {
        if (left_ || failed_) co_return;
        try {
            co_await exchange_.write(line);
        } catch (const std::exception&) { leave(); }
    }

    net::Exchange& exchange_;
    sessions::Execution& execution_;
    InterpreterContexts::ContextPtr context_;
    InterpreterEvents events_;
    bool left_ = false;
    bool failed_ = false;
    bool ended_ = false;
    bool has_error_ = false;
    asio::steady_timer news_;
    core::Timer late_;
};

class InterpreterRoutes {
public:
    InterpreterRoutes(sessions::Sessions& sessions, std::shared_ptr<InterpreterContexts> contexts)
        : sessions_(sessions), contexts_(std::move(contexts)) {}

    asio::awaitable<void> execute(net::Exchange& exchange) const {
        const auto wanted = co_await read_object(exchange);
        const auto code = wanted.text_if_any("code");
        if (!code) wanted.refuse("code", "is missing");
        const auto id = wanted.text("context_id");
        const auto language = wanted.text_if_any("language");
        if (!id.empty() && language) wanted.refuse("language", "cannot be given with context_id");
        auto environment = wanted.text_map("env_vars");
        check_environment(environment);
        const auto execution = co_await execution_in(exchange);
        const auto session = session_in(exchange);
        InterpreterContexts::ContextPtr context;
        if (id.empty()) {
            context =
                contexts_->default_of(session, interpreter_language(language.value_or("python")));
        } else {
            context = co_await contexts_->find(session, execution->link(), id);
        }
        auto run =
            execution->request(language_of(context->language), *code, std::chrono::milliseconds{0});
        run.context = guest_client::kernel_for(
            run.language, context->id.starts_with("default") ? "default" : context->id);
        run.directory = context->directory;
        run.fresh_directory = true;
        run.plain_json = true;
        run.charts = true;
        run.environment = std::move(environment);
        Telling telling(exchange, *execution, context);
        co_await telling.run(std::move(run));
        execution->lost_told();
    }

    asio::awaitable<void> list(net::Exchange& exchange) const {
        const auto use = co_await enter(sessions_, exchange);
        const auto found = co_await contexts_->list(session_in(exchange), use.link());
        json::array all;
        for (const auto& context : found) all.push_back(view_of(context));
        co_await exchange.respond(net::Response::json(200, all));
    }

    asio::awaitable<void> create(net::Exchange& exchange) const {
        const auto wanted = co_await read_object(exchange);
        const auto language = interpreter_language(wanted.text("language"));
        const auto directory = envd_path(wanted.text("cwd"), kUser.home, "cwd");
        const auto use = co_await enter(sessions_, exchange);
        const auto made =
            co_await contexts_->make(session_in(exchange), use.link(), language, directory);
        co_await exchange.respond(net::Response::json(200, view_of(*made)));
    }

    asio::awaitable<void> restart(net::Exchange& exchange) const {
        const auto use = co_await enter(sessions_, exchange);
        co_await contexts_->restart(session_in(exchange), use.link(), id_in(exchange));
        co_await exchange.respond(net::Response::json(200, nullptr));
    }

    asio::awaitable<void> remove(net::Exchange& exchange) const {
        const auto use = co_await enter(sessions_, exchange);
        co_await contexts_->remove(session_in(exchange), use.link(), id_in(exchange));
        co_await exchange.respond(net::Response::json(200, nullptr));
    }

private:
    static std::string id_in(const net::Exchange& exchange) {
        return exchange.request().parameter("context");
    }

    asio::awaitable<std::unique_ptr<sessions::Execution>> execution_in(
        net::Exchange& exchange) const {
        try {
            co_return co_await sessions::Execution::in_session(sessions_, whose(exchange),
                                                               session_in(exchange));
        } catch (const ErrorException& error) {
            if (error.error.code == Code::NotFound) throw SandboxGone();
            throw;
        }
    }

    sessions::Sessions& sessions_;
    std::shared_ptr<InterpreterContexts> contexts_;
};

asio::awaitable<void> send_ok(net::Exchange& exchange) {
    co_await exchange.respond(net::Response::json(200, "OK"));
}

}  // namespace

void add_interpreter_routes(Api& api, sessions::Sessions& sessions,
                            std::shared_ptr<InterpreterContexts> contexts) {
    const auto routes = std::make_shared<InterpreterRoutes>(sessions, std::move(contexts));
    const auto add = [&](std::string_view method, std::string_view pattern, net::Handler handler) {
        schema::Route route;
        route.method = method;
        route.pattern = pattern;
        route.id = pattern;
        route.scope = "run";
        route.listed = false;
        api.add(std::move(route), plain_http(sessions, std::move(handler)));
    };
    add("GET", "/e2b/sandboxes/{id}/interpreter/health", send_ok);
    add("POST", "/e2b/sandboxes/{id}/interpreter/execute",
        [routes](net::Exchange& exchange) { return routes->execute(exchange); });
    add("GET", "/e2b/sandboxes/{id}/interpreter/contexts",
        [routes](net::Exchange& exchange) { return routes->list(exchange); });
    add("POST", "/e2b/sandboxes/{id}/interpreter/contexts",
        [routes](net::Exchange& exchange) { return routes->create(exchange); });
    add("POST", "/e2b/sandboxes/{id}/interpreter/contexts/{context}/restart",
        [routes](net::Exchange& exchange) { return routes->restart(exchange); });
    add("DELETE", "/e2b/sandboxes/{id}/interpreter/contexts/{context}",
        [routes](net::Exchange& exchange) { return routes->remove(exchange); });
}

}  // namespace atl::api::e2b

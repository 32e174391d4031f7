#include "api/session_routes.hpp"

#include "api/request_reading.hpp"
#include "api/sandbox_options.hpp"
#include "api/session_types.hpp"

namespace atl::api {

namespace asio = boost::asio;
using schema::described;
using schema::json_answer;
using schema::json_body;

namespace {

constexpr std::string_view kSessionTag = "Sessions";

std::optional<std::chrono::seconds> in_seconds(std::optional<std::chrono::milliseconds> given) {
    if (!given) return std::nullopt;
    return std::chrono::ceil<std::chrono::seconds>(*given);
}

class SessionRoutes {
public:
    explicit SessionRoutes(sessions::Sessions& sessions) : sessions_(sessions) {}

    asio::awaitable<void> create(net::Exchange& exchange) const {
        const auto wanted = co_await read_json_if_any<CreateSession>(exchange);
        sessions::NewSession session;
        session.owner = caller_of(exchange.request()).owner;
        session.name = wanted.name;
        session.metadata = wanted.metadata;
        session.template_name = wanted.template_name;
        check_sandbox_options(wanted.runtime, wanted.network, wanted.datasets, sessions_.options());
        session.data_sets = wanted.datasets;
        session.limits =
            limits_of(wanted.limits, sessions_.options().limits, sessions_.options().ceilings);
        session.environment = wanted.environment;
        session.idle_to_warm = in_seconds(wanted.idle_to_warm);
        session.idle_to_cold = in_seconds(wanted.idle_to_cold);
        session.lifetime = in_seconds(wanted.lifetime);
        const auto record = co_await sessions_.create(std::move(session));
        note_object(exchange, record.id.text());
        auto response = json_response(201, view_of(record));
        response.headers.set("Location", "/v1/sessions/" + record.id.text());
        co_await exchange.respond(std::move(response));
    }

    asio::awaitable<void> list(net::Exchange& exchange) const {
        const auto asked = schema::from_parameters<ListSessions>(exchange.request().target.query);
        core::SessionQuery query{whose(exchange), {}, {}, asked.cursor, asked.limit};
        for (const auto& name : asked.state) {
            const auto state = core::value_named<core::SessionState>(name);
            if (!state) {
                throw ErrorException(
                    {Code::InvalidArgument, "state: there is no state " + schema::quoted(name)});
            }
            query.states.push_back(*state);
        }
        query.metadata = metadata_in(asked.metadata);
        const auto page = co_await sessions_.list(std::move(query));
        SessionList answer;
        for (const auto& record : page.sessions) {
            answer.sessions.push_back(view_of(record, sessions_.usage(record.id)));
        }
        if (!page.next_cursor.empty()) answer.next_cursor = page.next_cursor;
        co_await exchange.respond(json_response(200, std::move(answer)));
    }

    asio::awaitable<void> get(net::Exchange& exchange) const {
        const auto record = co_await sessions_.get(whose(exchange), session_in(exchange));
        const auto view = view_of(record, sessions_.usage(record.id));
        co_await exchange.respond(json_response(200, view));
    }

    asio::awaitable<void> patch(net::Exchange& exchange) const {
        const auto wanted = co_await read_json<PatchSession>(exchange);
        core::SessionPatch patch;
        patch.name = wanted.name;
        patch.metadata = wanted.metadata;
        patch.idle_to_warm = in_seconds(wanted.idle_to_warm);
        patch.idle_to_cold = in_seconds(wanted.idle_to_cold);
        if (wanted.lifetime) patch.expires_at.emplace(core::time_now() + *wanted.lifetime);
        const auto record =
            co_await sessions_.patch(whose(exchange), session_in(exchange), std::move(patch));
        co_await exchange.respond(json_response(200, view_of(record)));
    }

    asio::awaitable<void> remove(net::Exchange& exchange) const {
        co_await sessions_.remove(whose(exchange), session_in(exchange));
        co_await exchange.respond(net::Response::empty());
    }

    asio::awaitable<void> pause(net::Exchange& exchange) const {
        const auto record = co_await sessions_.pause(whose(exchange), session_in(exchange));
        co_await exchange.respond(json_response(200, view_of(record)));
    }
    asio::awaitable<void> resume(net::Exchange& exchange) const {
        const auto use = co_await sessions_.use(whose(exchange), session_in(exchange));
        co_await exchange.respond(json_response(200, view_of(use->record())));
    }
    asio::awaitable<void> evict(net::Exchange& exchange) const {
        const auto record = co_await sessions_.evict(whose(exchange), session_in(exchange));
        co_await exchange.respond(json_response(200, view_of(record)));
    }
    asio::awaitable<void> fork(net::Exchange& exchange) const {
        const auto wanted = co_await read_json_if_any<ForkSession>(exchange);
        sessions::Sessions::Copies copies{wanted.count, wanted.name};
        const auto records =
            co_await sessions_.fork(whose(exchange), session_in(exchange), std::move(copies));
        SessionList answer;
        for (const auto& record : records) answer.sessions.push_back(view_of(record));
        co_await exchange.respond(json_response(201, answer));
    }
    asio::awaitable<void> restart(net::Exchange& exchange) const {
        const auto record = co_await sessions_.restart(whose(exchange), session_in(exchange));
        co_await exchange.respond(json_response(200, view_of(record)));
    }

private:
    sessions::Sessions& sessions_;
};

}  // namespace

void add_session_routes(Api& api, sessions::Sessions& sessions) {
    const SessionRoutes routes(sessions);
    const auto with_id = [&](std::string_view method, std::string_view pattern, std::string_view id,
                             std::string_view summary) {
        return schema::Route{.method = method,
                             .pattern = pattern,
                             .id = id,
                             .tag = kSessionTag,
                             .summary = summary,
                             .path = described<SessionPath>(),
                             .answers = {json_answer<SessionView>(200, "The session.")}};
    };
    api.add({.method = "POST",
             .pattern = "/v1/sessions",
             .id = "create_session",
             .tag = kSessionTag,
             .summary = "Create a session",
             .description = "It is hot when this answers. An empty body is enough.",
             .bodies = {[] {
                 auto body = json_body<CreateSession>();
                 body.required = false;
                 return body;
             }()},
             .answers = {json_answer<SessionView>(201, "The new session.")}},
            [routes](net::Exchange& exchange) { return routes.create(exchange); });
    api.add({.method = "GET",
             .pattern = "/v1/sessions",
             .id = "list_sessions",
             .tag = kSessionTag,
             .summary = "List sessions, the newest first",
             .query = described<ListSessions>(),
             .answers = {json_answer<SessionList>(200, "A page of sessions.")}},
            [routes](net::Exchange& exchange) { return routes.list(exchange); });
    api.add(with_id("GET", "/v1/sessions/{id}", "get_session", "One session"),
            [routes](net::Exchange& exchange) { return routes.get(exchange); });
    auto patch = with_id("PATCH", "/v1/sessions/{id}", "patch_session", "Change a session");
    patch.bodies = {json_body<PatchSession>()};
    api.add(std::move(patch), [routes](net::Exchange& exchange) { return routes.patch(exchange); });
    auto remove = with_id("DELETE", "/v1/sessions/{id}", "delete_session",
                          "End a session and remove its files");
    remove.answers = {schema::empty_answer(204, "It is gone.")};
    api.add(std::move(remove),
            [routes](net::Exchange& exchange) { return routes.remove(exchange); });
    api.add(with_id("POST", "/v1/sessions/{id}/pause", "pause_session",
                    "Freeze it; the next use thaws it"),
            [routes](net::Exchange& exchange) { return routes.pause(exchange); });
    api.add(with_id("POST", "/v1/sessions/{id}/resume", "resume_session", "Wake it"),
            [routes](net::Exchange& exchange) { return routes.resume(exchange); });
    api.add(with_id("POST", "/v1/sessions/{id}/evict", "evict_session",
                    "To disk: files and variables are kept, the sandbox goes"),
            [routes](net::Exchange& exchange) { return routes.evict(exchange); });
    auto fork = with_id("POST", "/v1/sessions/{id}/fork", "fork_session",
                        "Copy its files and Python variables into new sessions");
    fork.description = "They are cold until they are used. The session itself goes on.";
    auto how = json_body<ForkSession>();
    how.required = false;
    fork.bodies = {std::move(how)};
    fork.answers = {json_answer<SessionList>(201, "The new sessions.")};
    api.add(std::move(fork), [routes](net::Exchange& exchange) { return routes.fork(exchange); });
    api.add(with_id("POST", "/v1/sessions/{id}/restart", "restart_session",
                    "A fresh sandbox with the same files; variables are gone"),
            [routes](net::Exchange& exchange) { return routes.restart(exchange); });
}

}  // namespace atl::api

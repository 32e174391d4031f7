#include "api/context_routes.hpp"

#include "api/context_types.hpp"
#include "api/request_reading.hpp"
#include "api/session_types.hpp"
#include "base/encoding.hpp"
#include "net/target.hpp"

namespace atl::api {

namespace asio = boost::asio;
using schema::described;
using schema::json_answer;
using schema::json_body;

namespace {

constexpr std::string_view kContextTag = "Contexts";

class ContextRoutes {
public:
    explicit ContextRoutes(sessions::Sessions& sessions) : sessions_(sessions) {}

    asio::awaitable<void> create(net::Exchange& exchange) const {
        const auto wanted = co_await read_json<CreateContext>(exchange);
        const auto use = co_await in_use(exchange);
        const auto made = co_await guest_client::create_context(
            use.link(), wanted.name,
            std::string(wanted.language == ContextLanguage::Javascript ? guest_client::kJavaScript
                                                                       : guest_client::kPython),
            wanted.cwd);
        auto response = json_response(201, view_of(made));
        response.headers.set("Location", "/v1/sessions/" + use->record().id.text() + "/contexts/" +
                                             percent_encoded(made.name));
        co_await exchange.respond(std::move(response));
    }

    asio::awaitable<void> list(net::Exchange& exchange) const {
        const auto use = co_await in_use(exchange);
        const auto contexts = co_await guest_client::list_contexts(use.link());
        ContextList answer;
        for (const auto& context : contexts) answer.contexts.push_back(view_of(context));
        co_await exchange.respond(json_response(200, answer));
    }

    asio::awaitable<void> get(net::Exchange& exchange) const {
        const std::string name = name_in(exchange);
        const auto use = co_await in_use(exchange);
        const auto context = co_await guest_client::find_context(use.link(), name);
        co_await exchange.respond(json_response(200, view_of(context)));
    }

    asio::awaitable<void> interrupt(net::Exchange& exchange) const {
        const std::string name = name_in(exchange);
        const auto wanted = co_await read_json_if_any<InterruptContext>(exchange);
        const auto use = co_await in_use(exchange);
        InterruptAnswer answer;
        answer.was_running =
            co_await guest_client::interrupt_context(use.link(), name, wanted.grace);
        co_await exchange.respond(json_response(200, answer));
    }

    asio::awaitable<void> restart(net::Exchange& exchange) const {
        const std::string name = name_in(exchange);
        const auto use = co_await in_use(exchange);
        const auto context = co_await guest_client::restart_context(use.link(), name);
        co_await exchange.respond(json_response(200, view_of(context)));
    }

    asio::awaitable<void> remove(net::Exchange& exchange) const {
        const std::string name = name_in(exchange);
        const auto use = co_await in_use(exchange);
        co_await guest_client::delete_context(use.link(), name);
        co_await exchange.respond(net::Response::empty());
    }

    asio::awaitable<void> variables(net::Exchange& exchange) const {
        const std::string name = name_in(exchange);
        const auto asked = schema::from_parameters<ListVariables>(exchange.request().target.query);
        const auto use = co_await in_use(exchange);
        auto page = co_await guest_client::list_variables(use.link(), name, asked.offset,
                                                          asked.limit, asked.patience);
        VariableList answer;
        answer.total = page.total;
        for (auto& one : page.variables) {
            answer.variables.push_back({std::move(one.name), std::move(one.type), one.size_bytes,
                                        std::move(one.preview), std::move(one.shape)});
        }
        const auto next = asked.offset + answer.variables.size();
        if (!answer.variables.empty() && next < page.total) answer.next_offset = next;
        co_await exchange.respond(json_response(200, std::move(answer)));
    }

private:
    asio::awaitable<sessions::Use> in_use(net::Exchange& exchange) const {
        return sessions_.use(whose(exchange), session_in(exchange));
    }
    static std::string name_in(net::Exchange& exchange) {
        return schema::from_parameters<ContextPath>(exchange.request().parameters).context;
    }

    sessions::Sessions& sessions_;
};

}  // namespace

void add_context_routes(Api& api, sessions::Sessions& sessions) {
    const ContextRoutes routes(sessions);
    api.add({.method = "POST",
             .pattern = "/v1/sessions/{id}/contexts",
             .id = "create_context",
             .tag = kContextTag,
             .summary = "Create a context",
             .description = "A run makes the context that it names as well.",
             .path = described<SessionPath>(),
             .bodies = {json_body<CreateContext>()},
             .answers = {json_answer<ContextView>(201, "The new context.")}},
            [routes](net::Exchange& exchange) { return routes.create(exchange); });
    api.add({.method = "GET",
             .pattern = "/v1/sessions/{id}/contexts",
             .id = "list_contexts",
             .tag = kContextTag,
             .summary = "List a session's contexts",
             .path = described<SessionPath>(),
             .answers = {json_answer<ContextList>(200, "All of them.")}},
            [routes](net::Exchange& exchange) { return routes.list(exchange); });
    const auto with_name = [](std::string_view method, std::string_view pattern,
                              std::string_view id, std::string_view summary) {
        return schema::Route{.method = method,
                             .pattern = pattern,
                             .id = id,
                             .tag = kContextTag,
                             .summary = summary,
                             .path = described<ContextPath>(),
                             .answers = {json_answer<ContextView>(200, "The context.")}};
    };
    api.add(with_name("GET", "/v1/sessions/{id}/contexts/{context}", "get_context", "One context"),
            [routes](net::Exchange& exchange) { return routes.get(exchange); });
    auto interrupt = with_name("POST", "/v1/sessions/{id}/contexts/{context}/interrupt",
                               "interrupt_context", "Interrupt what runs in a context");
    interrupt.description = "As Ctrl-C would. The run's own answer says `killed`.";
    auto patience = json_body<InterruptContext>();
    patience.required = false;
    interrupt.bodies = {std::move(patience)};
    interrupt.answers = {json_answer<InterruptAnswer>(200, "It was asked to stop.")};
    api.add(std::move(interrupt),
            [routes](net::Exchange& exchange) { return routes.interrupt(exchange); });
    api.add(with_name("POST", "/v1/sessions/{id}/contexts/{context}/restart", "restart_context",
                      "A fresh kernel in its place; variables are gone"),
            [routes](net::Exchange& exchange) { return routes.restart(exchange); });
    auto remove = with_name("DELETE", "/v1/sessions/{id}/contexts/{context}", "delete_context",
                            "End a context and its variables");
    remove.answers = {schema::empty_answer(204, "It is gone.")};
    api.add(std::move(remove),
            [routes](net::Exchange& exchange) { return routes.remove(exchange); });
    auto variables = with_name("GET", "/v1/sessions/{id}/contexts/{context}/variables",
                               "list_variables", "What stands in a context");
    variables.query = described<ListVariables>();
    variables.answers = {json_answer<VariableList>(200, "A page of variables.")};
    api.add(std::move(variables),
            [routes](net::Exchange& exchange) { return routes.variables(exchange); });
}

}  // namespace atl::api

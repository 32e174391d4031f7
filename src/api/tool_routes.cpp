#include "api/tool_routes.hpp"

#include "api/request_reading.hpp"
#include "api/scopes.hpp"
#include "base/workers.hpp"
#include "schema/describe.hpp"

namespace atl::api {

namespace asio = boost::asio;
namespace json = boost::json;

struct ToolView {
    std::string name;
    std::string description;
    json::object parameters;
};
ATOLL_DESCRIBED(ToolView);
BOOST_DESCRIBE_STRUCT(ToolView, (), (name, description, parameters))
ATOLL_TYPE(ToolView) {
    return response("A tool.", field<&T::name>("POST to /v1/tools/{name}."),
                    field<&T::description>("What it does, for models and people."),
                    field<&T::parameters>("A JSON schema of its arguments."));
}

struct ToolList {
    std::vector<ToolView> tools;
};
ATOLL_DESCRIBED(ToolList);
BOOST_DESCRIBE_STRUCT(ToolList, (), (tools))
ATOLL_TYPE(ToolList) { return response("All tools.", field<&T::tools>("By name.")); }

namespace {

constexpr std::string_view kToolTag = "Tools";

asio::awaitable<void> list_tools(const agent::Tools& tools, net::Exchange& exchange) {
    ToolList answer;
    for (const auto& tool : tools.all()) {
        auto parameters = schema::parse_json(agent::Tools::schema_of(tool, true), kBodyBytesMax);
        answer.tools.push_back({tool.name, tool.description, std::move(parameters.as_object())});
    }
    co_await exchange.respond(json_response(200, answer));
}

asio::awaitable<void> call_tool(const agent::Tools& tools, const agent::Tool& tool,
                                net::Exchange& exchange) {
    const std::string body = co_await exchange.read_body(kBodyBytesMax);
    const auto read = [&body] { return schema::parse_json(body, kBodyBytesMax); };
    json::value arguments;
    if (body.size() <= kWholeBytesMax) {
        arguments = read();
    } else {
        arguments = co_await workers_of(exchange.executor()).run(read);
    }
    std::string session;
    if (const auto* object = arguments.if_object()) {
        const auto* named = object->if_contains("session_id");
        if (named != nullptr && named->is_string()) session = std::string(named->get_string());
    }
    const Caller& caller = caller_of(exchange.request());
    agent::NamedSessionEnvironment environment(tools.sessions(), caller.owner, std::move(session),
                                               first_use_by(caller), notes_session(exchange));
    const auto gone =
        exchange.on_gone([&environment] { environment.cancellation().request("cancelled"); });
    auto result = co_await tool.call(environment, std::move(arguments));
    result.tool = tool.name;
    co_await exchange.respond(json_response(200, std::move(result)));
}

}  // namespace

agent::FirstUse first_use_by(const Caller& caller) {
    return grants(caller.scopes, kMakeSessionScope) ? agent::FirstUse::Makes
                                                    : agent::FirstUse::Refused;
}

void add_tool_routes(Api& api, const agent::Tools& tools) {
    api.add({.method = "GET",
             .pattern = "/v1/tools",
             .id = "list_tools",
             .tag = kToolTag,
             .summary = "What an agent can do here",
             .answers = {schema::json_answer<ToolList>(200, "The tools, with their schemas.")}},
            [&tools](net::Exchange& exchange) { return list_tools(tools, exchange); });
    for (const auto& tool : tools.all()) {
        const agent::Tool* one = &tool;
        schema::Body body;
        body.type = tool.arguments;
        api.add(
            {.method = "POST",
             .pattern = one->route,
             .id = one->route_id,
             .tag = kToolTag,
             .summary = one->name,
             .description = one->description,
             .bodies = {body},
             .answers = {schema::json_answer<agent::ToolResult>(
                 200, "What it did; also when the code failed.")}},
            [&tools, one](net::Exchange& exchange) { return call_tool(tools, *one, exchange); });
    }
}

}  // namespace atl::api

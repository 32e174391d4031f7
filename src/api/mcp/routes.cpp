#include "api/mcp/routes.hpp"

#include "api/base_url.hpp"
#include "api/mcp/messages.hpp"
#include "api/mcp/progress.hpp"
#include "api/mcp/protocol.hpp"
#include "api/mcp/resources.hpp"
#include "api/mcp/tool_calls.hpp"
#include "api/request_reading.hpp"
#include "api/tool_routes.hpp"
#include "base/as_tuple.hpp"
#include "base/scope.hpp"
#include "base/workers.hpp"
#include "net/problem.hpp"
#include "schema/describe.hpp"

#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>

namespace atl::api::mcp {

namespace asio = boost::asio;
namespace json = boost::json;

struct JsonRpcError {
    std::int32_t code = 0;
    std::string message;
    std::optional<json::value> data;
};
ATOLL_DESCRIBED(JsonRpcError);
BOOST_DESCRIBE_STRUCT(JsonRpcError, (), (code, message, data))
ATOLL_TYPE(JsonRpcError) {
    return response("What went wrong.", field<&T::code>("-32602: a parameter is wrong, …"),
                    field<&T::message>("The same in words."), field<&T::data>("More about it."));
}

struct JsonRpcRequest {
    std::string jsonrpc;
    std::optional<json::value> id;
    std::string method;
    std::optional<json::object> params;
};
ATOLL_DESCRIBED(JsonRpcRequest);
BOOST_DESCRIBE_STRUCT(JsonRpcRequest, (), (jsonrpc, id, method, params))
ATOLL_TYPE(JsonRpcRequest) {
    return request("A message of the Model Context Protocol.",
                   field<&T::jsonrpc>("2.0", required, example("2.0")),
                   field<&T::id>("A string or an integer; a notification has none."),
                   field<&T::method>("initialize, ping, tools/list, tools/call, resources/list, …",
                                     required, length(1, 256), example("tools/list")),
                   field<&T::params>("What the method takes."));
}

struct JsonRpcAnswer {
    std::string jsonrpc;
    json::value id;
    std::optional<json::object> result;
    std::optional<JsonRpcError> error;
};
ATOLL_DESCRIBED(JsonRpcAnswer);
BOOST_DESCRIBE_STRUCT(JsonRpcAnswer, (), (jsonrpc, id, result, error))
ATOLL_TYPE(JsonRpcAnswer) {
    return response("The answer to a request: its result, or its error.", field<&T::jsonrpc>("2.0"),
                    field<&T::id>("The request's; null if it could not be read."),
                    field<&T::result>("What the method answers with."),
                    field<&T::error>("Why there is no result."));
}

struct McpQuery {
    std::string session = "mcp";
};
ATOLL_DESCRIBED(McpQuery);
BOOST_DESCRIBE_STRUCT(McpQuery, (), (session))
ATOLL_TYPE(McpQuery) {
    return request("Where the tools work.",
                   field<&T::session>("The session for tools that name none: its id, or a name of "
                                      "your choice, made at its first use.",
                                      length(1, 128), one_line()));
}

struct McpHeaders {
    std::optional<std::string> mcp_session_id;
    std::optional<std::string> mcp_protocol_version;
};
ATOLL_DESCRIBED(McpHeaders);
BOOST_DESCRIBE_STRUCT(McpHeaders, (), (mcp_session_id, mcp_protocol_version))
ATOLL_TYPE(McpHeaders) {
    return request("Which session, and which revision of the protocol.",
                   field<&T::mcp_session_id>("What initialize was answered with.", length(1, 128)),
                   field<&T::mcp_protocol_version>("The revision in use.", length(1, 64),
                                                   example("2025-11-25")));
}

namespace {

constexpr std::string_view kMcpTag = "MCP";
constexpr std::size_t kUriBytesMax = 16 * 1024;
constexpr std::size_t kCursorBytesMax = 16 * 1024;

constexpr const char* kInstructions =
    "Tools run code and handle files in Linux sandboxes without network. session_id names a "
    "sandbox: an id, or any name that you choose, which is made at its first use. Variables and "
    "files below /session and /data stay in it for later calls. Leave session_id out to work in "
    "your own sandbox; code_sandbox without it runs in a fresh one that is gone afterwards. Save "
    "charts in /data/outputs: they come back as images. Files can be read as resources.";

net::Response json_text(int status, std::string text) {
    net::Response response{status, {}, std::move(text)};
    response.headers.set("Content-Type", "application/json");
    return response;
}

net::Response fault_response(const Fault& fault, Era era) {
    return json_text(status_of(fault.code, era), fault_text(fault));
}

bool takes(const net::Request& request, std::string_view type) {
    const auto accepts = request.headers.get_all("Accept");
    if (accepts.empty()) return type == schema::kJson;
    for (const auto accept : accepts) {
        if (accept.find(type) != std::string_view::npos) return true;
        if (type == schema::kJson && accept.find("*/*") != std::string_view::npos) return true;
    }
    return false;
}

constexpr const char* kStopping = "stopping";  // why a call was cancelled (agent/cancellation.hpp)

// A call that ended well all the same stays as it is.
void tell_stopping(json::object& result) {
    if (!result.at("isError").as_bool()) return;
    result.at("content").as_array().push_back(
        json::object{{"type", "text"},
                     {"text",
                      "The server is stopping and has ended this call; try again in a "
                      "moment."}});
}

// Ends the telling also when the call ends by an exception.
class EndsProgress {
public:
    explicit EndsProgress(Progress& progress) : progress_(progress) {}
    EndsProgress(const EndsProgress&) = delete;
    EndsProgress& operator=(const EndsProgress&) = delete;
    ~EndsProgress() { progress_.end(); }

private:
    Progress& progress_;
};

class McpRoutes {
public:
    McpRoutes(const agent::Tools& tools, McpOptions options)
        : tools_(tools),
          about_{std::move(options.version), kInstructions},
          listed_(tool_list(tools)),
          sessions_(std::move(options.limits)) {}

    asio::awaitable<void> post(net::Exchange& exchange) {
        Place place;
        std::optional<Fault> fault;
        try {
            place = place_of(exchange.request());
        } catch (const schema::ValidationError& error) {
            fault = Fault{kInvalidParams, error.error.message};
        }
        if (fault) {
            co_await exchange.respond(fault_response(*fault, Era::Stateless));
            co_return;
        }
        const std::string body = co_await exchange.read_body(kBodyBytesMax);
        Era era = Era::Sessions;
        Message message;
        try {
            const auto read = [&body] { return read_message(body, kBodyBytesMax); };
            if (body.size() <= kWholeBytesMax) {
                message = read();
            } else {
                message = co_await workers_of(exchange.executor()).run(read);
            }
            era = era_of(message, exchange.request().headers);
        } catch (const Refused& refused) { fault = refused.fault; }
        if (fault) {
            co_await exchange.respond(fault_response(*fault, Era::Stateless));
            co_return;
        }
        if (era == Era::Stateless) {
            co_await take(exchange, place, std::move(message), era, nullptr);
        } else if (message.kind == Message::Kind::Request && message.method == "initialize") {
            co_await initialize(exchange, place, std::move(message));
        } else {
            co_await take_in_session(exchange, place, std::move(message));
        }
    }

    asio::awaitable<void> get(net::Exchange& exchange) {
        if (!takes(exchange.request(), schema::kEventStream)) {
            throw net::Problem(Code::InvalidArgument,
                               "this is a stream of events: Accept must name text/event-stream")
                .with_status(406);
        }
        const auto hold = find(exchange);
        if (!hold) {
            co_await refuse_without_session(exchange, nullptr);
            co_return;
        }
        auto& session = **hold;
        // A client that comes back before the end of its old connection was noticed.
        if (const auto end_older = std::exchange(session.end_stream, nullptr)) end_older();
        const auto number = ++session.streams;
        asio::steady_timer over(exchange.executor(), asio::steady_timer::time_point::max());
        bool ended = false;
        const auto end = [&over, &ended] {
            ended = true;
            over.cancel();
        };
        session.end_stream = end;
        struct Forgets {
            McpSessions::McpSession& session;
            std::uint64_t number;
            ~Forgets() {
                if (session.streams == number) session.end_stream = nullptr;
            }
        };
        const Forgets forgets{session, number};
        auto stream = co_await exchange.begin_events();
        const auto gone = exchange.on_gone(end);
        const auto stopping = exchange.on_stopping(end);
        while (!ended && !exchange.stopping()) co_await over.async_wait(kAsTuple);
        if (!stream.client_gone()) co_await stream.end();
    }

    asio::awaitable<void> remove(net::Exchange& exchange) {
        const auto id = exchange.request().headers.get_or(kSessionHeader, {});
        if (!sessions_.end(caller_of(exchange.request()).owner, std::string(id))) {
            co_await refuse_without_session(exchange, nullptr);
            co_return;
        }
        co_await exchange.respond(net::Response::empty());
    }

private:
    [[nodiscard]] static Place place_of(const net::Request& request) {
        const auto query = schema::from_parameters<McpQuery>(request.target.query);
        const Caller& caller = caller_of(request);
        return {caller.owner, query.session, first_use_by(caller), base_url_of(request)};
    }

    // The session that the request names; nothing if there is none.
    [[nodiscard]] std::optional<McpSessions::Hold> find(net::Exchange& exchange) {
        const auto id = exchange.request().headers.get_or(kSessionHeader, {});
        return sessions_.find(caller_of(exchange.request()).owner, std::string(id));
    }

    static asio::awaitable<void> refuse_without_session(net::Exchange& exchange, json::value id) {
        const bool named = exchange.request().headers.contains(kSessionHeader);
        Fault fault{kInvalidRequest,
                    named ? "there is no such MCP session, or it has ended; begin a new one with "
                            "initialize"
                          : "Mcp-Session-Id is missing: begin with initialize",
                    std::nullopt, std::move(id)};
        co_await exchange.respond(json_text(named ? 404 : 400, fault_text(fault)));
    }

    asio::awaitable<void> initialize(net::Exchange& exchange, const Place& place, Message message) {
        std::optional<Fault> fault;
        std::string revision;
        try {
            revision = negotiated(message.params);
        } catch (const Refused& refused) { fault = refused.fault; }
        if (fault) {
            fault->id = message.id;
            co_await exchange.respond(fault_response(*fault, Era::Sessions));
            co_return;
        }
        const auto id = sessions_.begin(place.owner, revision);
        auto response =
            json_text(200, result_text(message.id, initialize_result(about_, revision)));
        response.headers.set(kSessionHeader, id);
        co_await exchange.respond(std::move(response));
    }

    asio::awaitable<void> take_in_session(net::Exchange& exchange, const Place& place,
                                          Message message) {
        const auto hold = find(exchange);
        if (!hold) {
            co_await refuse_without_session(exchange, message.id);
            co_return;
        }
        auto& session = **hold;
        co_await take(exchange, place, std::move(message), Era::Sessions, &session);
    }

    asio::awaitable<void> take(net::Exchange& exchange, const Place& place, Message message,
                               Era era, McpSessions::McpSession* session) {
        if (message.kind != Message::Kind::Request) {
            if (session != nullptr && message.method == "notifications/cancelled") {
                cancel(*session, message.params);
            }
            co_await exchange.respond(net::Response::empty(202));
            co_return;
        }
        if (message.method == "tools/call") {
            co_await call(exchange, place, std::move(message), era, session);
            co_return;
        }
        AnswerBudget::Share share(budget_, place.owner);
        std::optional<Fault> fault;
        std::string text;
        int status = 200;
        try {
            auto result = co_await answer(message, place, era, share);
            const auto print = [&] { return result_text(message.id, std::move(result)); };
            text = co_await workers_of(exchange.executor()).run(print);
        } catch (const Refused& refused) { fault = refused.fault; }
        if (fault) {
            fault->id = message.id;
            text = fault_text(*fault);
            status = status_of(fault->code, era);
        }
        if (status == 200 && !takes(exchange.request(), schema::kJson)) {
            auto stream = co_await exchange.begin_events();
            co_await send_last(stream, std::move(text));
            co_return;
        }
        co_await exchange.respond(json_text(status, std::move(text)));
    }

    // All methods but tools/call. Throws Refused, or ErrorException.
    asio::awaitable<json::object> answer(const Message& message, const Place& place, Era era,
                                         AnswerBudget::Share& share) {
        const auto& params = message.params;
        json::object result;
        Keep keep = Keep::Unsaid;
        if (message.method == "ping") {
            // Nothing but that it was heard.
        } else if (message.method == "tools/list") {
            refuse_cursor(params);
            result = listed_;
            keep = Keep::Minutes;
        } else if (message.method == "resources/templates/list") {
            refuse_cursor(params);
            result = resource_templates();
            keep = Keep::Minutes;
        } else if (message.method == "resources/list") {
            std::string cursor;
            if (params.contains("cursor")) cursor = needed_text(params, "cursor", kCursorBytesMax);
            result = co_await list_resources(tools_.sessions(), place, std::move(cursor));
            keep = Keep::Not;
        } else if (message.method == "resources/read") {
            auto uri = needed_text(params, "uri", kUriBytesMax);
            result = co_await read_resource(tools_.sessions(), place, std::move(uri), share);
            keep = Keep::Not;
        } else if (message.method == "server/discover" && era == Era::Stateless) {
            result = discover_result(about_);
            keep = Keep::Minutes;
        } else {
            throw Refused(kMethodNotFound,
                          "there is no method " + schema::quoted(message.method) + " here");
        }
        stamp(result, era, keep, about_);
        co_return result;
    }

    static void refuse_cursor(const json::object& params) {
        if (params.contains("cursor")) {
            throw Refused(kInvalidParams, "cursor is none of this list, which has one page");
        }
    }

    static void cancel(McpSessions::McpSession& session, const json::object& params) {
        const auto* id = params.if_contains("requestId");
        if (id == nullptr) return;
        const auto call = session.calls.find(key_of(*id));
        // One that is not there has ended meanwhile: no fault of whoever cancels it.
        if (call != session.calls.end()) call->second->request("cancelled");
    }

    asio::awaitable<void> call(net::Exchange& exchange, const Place& place, Message message,
                               Era era, McpSessions::McpSession* session) {
        std::optional<Fault> fault;
        ToolRequest request;
        std::optional<Progress> progress;
        std::optional<CallEnvironment> environment;
        std::optional<McpSessions::Call> under_way;
        const bool by_events = takes(exchange.request(), schema::kEventStream);
        try {
            request = read_call(tools_, place, message.params);
            const bool tells = by_events && !request.progress_token.is_null();
            if (tells) progress.emplace(exchange.executor(), request.progress_token);
            environment.emplace(tools_.sessions(), place, request.session,
                                progress ? &*progress : nullptr, notes_session(exchange));
            if (session != nullptr) {
                under_way.emplace(*session, key_of(message.id), environment->cancellation(),
                                  sessions_.limits());
            }
        } catch (const Refused& refused) { fault = refused.fault; }
        if (fault) {
            fault->id = message.id;
            co_await exchange.respond(fault_response(*fault, era));
            co_return;
        }
        auto& cancellation = environment->cancellation();
        const auto gone = exchange.on_gone([&cancellation] { cancellation.request("cancelled"); });
        // As turns do: what a model has begun may last for hours, and it can begin again.
        const auto stopping =
            exchange.on_stopping([&cancellation] { cancellation.request(kStopping); });
        AnswerBudget::Share share(budget_, place.owner);
        std::string text;
        const auto run = [&]() -> asio::awaitable<void> {
            auto result = co_await carry_out(std::move(request), *environment, place, share);
            if (cancellation.why() == kStopping) tell_stopping(result);
            stamp(result, era, Keep::Unsaid, about_);
            const auto print = [&] { return result_text(message.id, std::move(result)); };
            text = co_await workers_of(exchange.executor()).run(print);
        };
        if (!by_events) {
            co_await run();
            co_await exchange.respond(json_text(200, std::move(text)));
            co_return;
        }
        auto stream = co_await exchange.begin_events();
        const auto run_and_tell = [&](Scope& scope) -> asio::awaitable<void> {
            if (!progress) {
                co_await run();
                co_return;
            }
            scope.spawn(progress->tell(stream));
            const EndsProgress ends(*progress);
            co_await run();
        };
        co_await in_scope(run_and_tell);
        // Whoever cancelled it wants no answer; one who has left gets none.
        if (cancellation.requested() && cancellation.why() != kStopping) {
            if (!stream.client_gone()) co_await stream.end();
            co_return;
        }
        co_await send_last(stream, std::move(text));
    }

    static asio::awaitable<void> send_last(net::EventStream& stream, std::string text) {
        net::EventStream::Event event;
        event.data = std::move(text);
        co_await stream.send(std::move(event));
        co_await stream.end();
    }

    const agent::Tools& tools_;
    const About about_;
    const json::object listed_;
    McpSessions sessions_;
    AnswerBudget budget_;
};

}  // namespace

}  // namespace atl::api::mcp

namespace atl::api {

void add_mcp_routes(Api& api, const agent::Tools& tools, McpOptions options) {
    using schema::described;
    namespace asio = boost::asio;
    const auto routes = std::make_shared<mcp::McpRoutes>(tools, std::move(options));
    using Method = asio::awaitable<void> (mcp::McpRoutes::*)(net::Exchange&);
    const auto add = [&](schema::Route route, Method method) {
        route.headers = described<mcp::McpHeaders>();
        route.scope = "run";
        api.add(std::move(route), [routes, method](net::Exchange& exchange) {
            return ((*routes).*method)(exchange);
        });
    };
    using Answer = mcp::JsonRpcAnswer;
    const std::vector<schema::Event> events{
        schema::event<Answer>("message", "Progress, then the answer.")};
    add({.method = "POST",
         .pattern = "/mcp",
         .id = "mcp_message",
         .tag = mcp::kMcpTag,
         .summary = "One message of the Model Context Protocol",
         .description =
             "Streamable HTTP, revisions up to 2025-11-25 with a session that initialize "
             "begins, and 2026-07-28 without. A call of a tool is answered with events "
             "if Accept names text/event-stream; leaving cancels it. docs/mcp.md.",
         .query = described<mcp::McpQuery>(),
         .bodies = {schema::json_body<mcp::JsonRpcRequest>()},
         .answers = {schema::json_answer<Answer>(200, "The answer to a request."),
                     schema::event_answer("The answer, after its progress.", events),
                     schema::empty_answer(202, "A notification was heard."),
                     schema::json_answer<Answer>(400,
                                                 "It is no message, or belongs to no session."),
                     schema::json_answer<Answer>(404, "No such session, or no such method.")}},
        &mcp::McpRoutes::post);
    add({.method = "GET",
         .pattern = "/mcp",
         .id = "mcp_stream",
         .tag = mcp::kMcpTag,
         .summary = "What the server says by itself",
         .description = "Nothing is said here; the stream ends with the session.",
         .answers = {schema::event_answer("Comments, until the session ends.", events),
                     schema::json_answer<Answer>(400, "No session is named."),
                     schema::json_answer<Answer>(404, "There is no such session.")}},
        &mcp::McpRoutes::get);
    add({.method = "DELETE",
         .pattern = "/mcp",
         .id = "end_mcp_session",
         .tag = mcp::kMcpTag,
         .summary = "End an MCP session",
         .description = "Its calls are cancelled. Sandboxes that it worked in stay.",
         .answers = {schema::empty_answer(204, "It has ended."),
                     schema::json_answer<Answer>(400, "No session is named."),
                     schema::json_answer<Answer>(404, "There is no such session.")}},
        &mcp::McpRoutes::remove);
}

}  // namespace atl::api

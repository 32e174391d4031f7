#include "api/e2b/rpc.hpp"

#include "api/answer_budget.hpp"
#include "api/e2b/sandbox_entry.hpp"
#include "base/utf8.hpp"
#include "base/workers.hpp"
#include "schema/json.hpp"

#include <boost/json/serialize.hpp>
#include <charconv>
#include <memory>

namespace atl::api::e2b {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::string_view kUnaryType = "application/json";
constexpr std::string_view kStreamType = "application/connect+json";
constexpr std::size_t kPieceBytes = 64 * 1024;
constexpr std::uint64_t kStreamBytesMax = 1ull << 40;  // each message has a limit of its own
constexpr std::chrono::milliseconds kKeepaliveDefault{50'000};
constexpr std::chrono::milliseconds kKeepaliveMin{1'000};

constexpr RpcCode kCodes[] = {
    {"invalid_argument", 400},    {"unauthenticated", 401}, {"permission_denied", 403},
    {"not_found", 404},           {"already_exists", 409},  {"resource_exhausted", 429},
    {"failed_precondition", 400}, {"unimplemented", 501},   {"unavailable", 503},
    {"deadline_exceeded", 504},   {"data_loss", 500},       {"internal", 500},
};

// Why a call failed, kept until it can be told: nothing may be awaited in a catch.
struct Failure {
    bool gone = false;
    std::optional<RpcCode> code;
    std::string why;

    void keep(const RpcError& error) {
        code = rpc_code_named(error.name);
        why = as_utf8(error.error.message);
    }
    void keep(const ErrorException& error) {
        code = rpc_code_of(error.error.code);
        why = as_utf8(error.error.message);  // it may quote a name of any bytes
    }
    [[nodiscard]] explicit operator bool() const { return gone || code; }
};

// What the client could not tell apart: a link that was lost, and a sandbox that has ended.
asio::awaitable<void> look_closer(sessions::Sessions& sessions, net::Exchange& exchange,
                                  Failure& failure) {
    if (!failure.code || failure.code->name != "unavailable") co_return;
    failure.gone = !co_await is_there(sessions, exchange);
}

bool has_type(const net::Request& request, std::string_view wanted) {
    const auto given = request.headers.get_or("Content-Type", {});
    return net::same_ignoring_case(net::trimmed(given.substr(0, given.find(';'))), wanted);
}

void check_head(const net::Request& request, std::string_view type, std::string_view coding) {
    if (!has_type(request, type)) {
        throw RpcError("invalid_argument", Code::InvalidArgument,
                       "this call takes " + std::string(type) + ", and no other content type");
    }
    const auto given = request.headers.get_or(coding, "identity");
    if (!given.empty() && !net::same_ignoring_case(net::trimmed(given), "identity")) {
        throw RpcError("unimplemented", Code::Unsupported,
                       "compressed messages are not supported; send identity");
    }
}

asio::awaitable<Message> read_message(net::Exchange& exchange, std::string text) {
    if (text.empty()) co_return Message();
    if (text.size() <= kWholeBytesMax) co_return message_from(text, kMessageBytesMax);
    const auto read = [&text] { return message_from(text, kMessageBytesMax); };
    co_return co_await workers_of(exchange.executor()).run(read);
}

asio::awaitable<std::string> text_of(net::Exchange& exchange, json::object message) {
    // Its parts were limited by whoever made it; a directory may still have thousands of entries.
    const json::value value(std::move(message));
    const auto print = [&value] { return json::serialize(value); };
    if (schema::is_small(value, kWholeBytesMax)) co_return print();
    co_return co_await workers_of(exchange.executor()).run(print);
}

asio::awaitable<void> run_unary(sessions::Sessions& sessions, UnaryHandler handler,
                                std::shared_ptr<AnswerBudget> budget, net::Exchange& exchange) {
    Failure failure;
    // Until the client has read it: a list of a folder may have megabytes, and many may wait.
    AnswerBudget::Share share(*budget, caller_of(exchange.request()).owner);
    std::string text;
    try {
        check_head(exchange.request(), kUnaryType, "Content-Encoding");
        auto body = co_await exchange.read_body(kMessageBytesMax);
        auto message = co_await read_message(exchange, std::move(body));
        auto answer = co_await handler(exchange, std::move(message));
        text = co_await text_of(exchange, std::move(answer));
        if (!share.take(text.size())) {
            throw ErrorException({Code::Exhausted,
                                  "answers that nobody has read yet take up all the memory that "
                                  "there is for them; read them, or try again later"});
        }
    } catch (const SandboxGone&) { failure.gone = true; } catch (const RpcError& error) {
        failure.keep(error);
    } catch (const ErrorException& error) { failure.keep(error); }
    co_await look_closer(sessions, exchange, failure);
    if (failure.gone) {
        co_await exchange.respond(gone_response(exchange));
    } else if (failure) {
        const json::object body{{"code", failure.code->name}, {"message", failure.why}};
        co_await exchange.respond(net::Response::json(failure.code->status, body));
    } else {
        net::Response response{200, {}, {}};
        response.headers.set("Content-Type", kUnaryType);
        response.body = std::move(text);
        co_await exchange.respond(std::move(response));
    }
}

using Work = std::function<asio::awaitable<void>(net::Exchange&, MessageStream&)>;

asio::awaitable<void> run_stream(sessions::Sessions& sessions, Work work, net::Exchange& exchange) {
    Failure failure;
    MessageStream stream(exchange);
    try {
        check_head(exchange.request(), kStreamType, "Connect-Content-Encoding");
        exchange.limit_body(kStreamBytesMax);
        co_await work(exchange, stream);
        co_await stream.end();
    } catch (const SandboxGone&) { failure.gone = true; } catch (const RpcError& error) {
        failure.keep(error);
    } catch (const ErrorException& error) { failure.keep(error); }
    co_await look_closer(sessions, exchange, failure);
    if (failure.gone) {
        if (exchange.begun()) cut_off();
        co_await exchange.respond(gone_response(exchange));
    } else if (failure) {
        co_await stream.fail(*failure.code, failure.why);
    }
}

asio::awaitable<void> run_server_stream(StreamHandler handler, net::Exchange& exchange,
                                        MessageStream& stream) {
    MessageReader reader(exchange);
    auto message = co_await reader.next();
    if (!message) throw RpcError("invalid_argument", Code::InvalidArgument, "there is no message");
    const auto second = co_await reader.next();
    if (second) {
        throw RpcError("invalid_argument", Code::InvalidArgument, "this call takes one message");
    }
    co_await handler(exchange, std::move(*message), stream);
}

asio::awaitable<void> run_client_stream(InputHandler handler, net::Exchange& exchange,
                                        MessageStream& stream) {
    MessageReader reader(exchange);
    auto answer = co_await handler(exchange, reader);
    co_await stream.send(std::move(answer));
}

std::optional<std::uint64_t> number_in(const net::Request& request, std::string_view name) {
    const auto text = request.headers.get(name);
    if (!text) return std::nullopt;
    const auto digits = net::trimmed(*text);
    std::uint64_t number = 0;
    const auto [end, failed] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (failed != std::errc() || end != digits.data() + digits.size() || digits.size() > 10) {
        throw ErrorException(
            {Code::InvalidArgument, std::string(name) + ": must be a number of up to ten digits"});
    }
    return number;
}

}  // namespace

RpcCode rpc_code_named(std::string_view name) noexcept {
    for (const auto& code : kCodes) {
        if (code.name == name) return code;
    }
    return {"unknown", 500};
}

RpcCode rpc_code_of(Code code) noexcept {
    switch (code) {
        // Not resource_exhausted for a message that is too large: nobody should send it again.
        case Code::TooLarge:
        case Code::InvalidArgument: return rpc_code_named("invalid_argument");
        case Code::Unauthenticated: return rpc_code_named("unauthenticated");
        case Code::Forbidden: return rpc_code_named("permission_denied");
        case Code::NotFound: return rpc_code_named("not_found");
        case Code::Conflict: return rpc_code_named("failed_precondition");
        case Code::Exhausted:
        case Code::DiskFull:
        case Code::RateLimited: return rpc_code_named("resource_exhausted");
        case Code::Unsupported: return rpc_code_named("unimplemented");
        case Code::Unavailable: return rpc_code_named("unavailable");
        case Code::Timeout: return rpc_code_named("deadline_exceeded");
        case Code::Internal: break;
    }
    return rpc_code_named("internal");
}

schema::Route rpc_route(std::string_view pattern, std::string_view scope) {
    schema::Route route;
    route.method = "POST";
    route.pattern = pattern;
    route.id = pattern;
    route.scope = scope;
    route.listed = false;
    return route;
}

net::Handler unary(sessions::Sessions& sessions, UnaryHandler handler) {
    const auto budget = std::make_shared<AnswerBudget>();
    return [&sessions, handler = std::move(handler), budget](net::Exchange& exchange) {
        return run_unary(sessions, handler, budget, exchange);
    };
}

net::Handler server_stream(sessions::Sessions& sessions, StreamHandler handler) {
    const Work work = [handler = std::move(handler)](net::Exchange& exchange,
                                                     MessageStream& stream) {
        return run_server_stream(handler, exchange, stream);
    };
    return
        [&sessions, work](net::Exchange& exchange) { return run_stream(sessions, work, exchange); };
}

net::Handler client_stream(sessions::Sessions& sessions, InputHandler handler) {
    const Work work = [handler = std::move(handler)](net::Exchange& exchange,
                                                     MessageStream& stream) {
        return run_client_stream(handler, exchange, stream);
    };
    return
        [&sessions, work](net::Exchange& exchange) { return run_stream(sessions, work, exchange); };
}

asio::awaitable<void> MessageStream::write(std::string frame) {
    if (!exchange_.begun()) {
        net::Headers headers;
        headers.set("Content-Type", kStreamType);
        co_await exchange_.begin(200, std::move(headers));
    }
    co_await exchange_.write(frame);
}

asio::awaitable<void> MessageStream::send(json::object message) {
    const auto text = co_await text_of(exchange_, std::move(message));
    co_await write(connect::frame_of(text));
}

asio::awaitable<void> MessageStream::end() {
    co_await write(connect::frame_of("{}", connect::kEndOfStream));
    co_await exchange_.end();
}

asio::awaitable<void> MessageStream::fail(RpcCode code, std::string_view why) {
    const json::object last{{"error", {{"code", code.name}, {"message", why}}}};
    co_await write(connect::frame_of(json::serialize(last), connect::kEndOfStream));
    co_await exchange_.end();
}

asio::awaitable<std::optional<Message>> MessageReader::next() {
    while (!ended_) {
        auto frame = decoder_.next().value();
        if (frame && frame->end_of_stream) {
            ended_ = true;
        } else if (frame) {
            co_return co_await read_message(exchange_, std::move(frame->payload));
        } else {
            const auto bytes = co_await exchange_.read_some(kPieceBytes);
            if (bytes.empty()) {
                ended_ = true;
                decoder_.finish().value();
            }
            decoder_.add(bytes);
        }
    }
    co_return std::nullopt;
}

std::chrono::milliseconds timeout_of(const net::Request& request) {
    return std::chrono::milliseconds(number_in(request, "Connect-Timeout-Ms").value_or(0));
}

std::chrono::milliseconds keepalive_of(const net::Request& request) {
    const auto seconds = number_in(request, "Keepalive-Ping-Interval");
    if (!seconds) return kKeepaliveDefault;
    return std::clamp<std::chrono::milliseconds>(
        std::chrono::seconds(std::min<std::uint64_t>(*seconds, 3600)), kKeepaliveMin,
        kKeepaliveDefault);
}

}  // namespace atl::api::e2b

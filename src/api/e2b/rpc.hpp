#pragma once
// Calls of the Connect protocol in JSON: a message in and a message out, or streams of them.
//
//     api.add(rpc_route("/e2b/…/process.Process/List", "run"),
//             unary(sessions, [](net::Exchange&, Message) -> awaitable<json::object> { … }));
//
// A handler throws ErrorException, or RpcError to name the protocol's code itself. Before the
// answer of a stream has begun, and within it, a failure is the stream's end frame; when the
// sandbox has gone the connection is cut instead, so that the client asks what became of it.
// Trusts    nothing in a request: messages have a limit; large ones are read on a worker.
#include "api/api.hpp"
#include "api/connect/frames.hpp"
#include "api/e2b/message.hpp"
#include "core/clock.hpp"
#include "net/exchange.hpp"
#include "sessions/sessions.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace atl::api::e2b {

inline constexpr std::size_t kMessageBytesMax = 8u << 20;

struct RpcError : ErrorException {
    RpcError(std::string_view protocols_code, Code code, std::string message)
        : ErrorException(Error{code, std::move(message)}), name(protocols_code) {}
    std::string_view name;
};

// "not_found", and the status of a unary call that fails so.
struct RpcCode {
    std::string_view name;
    int status;
};
[[nodiscard]] RpcCode rpc_code_of(Code code) noexcept;
[[nodiscard]] RpcCode rpc_code_named(std::string_view name) noexcept;

[[nodiscard]] schema::Route rpc_route(std::string_view pattern, std::string_view scope);

using UnaryHandler =
    std::function<boost::asio::awaitable<boost::json::object>(net::Exchange&, Message)>;
[[nodiscard]] net::Handler unary(sessions::Sessions& sessions, UnaryHandler handler);

// The messages of a streaming answer.
class MessageStream {
public:
    explicit MessageStream(net::Exchange& exchange) : exchange_(exchange) {}
    MessageStream(const MessageStream&) = delete;
    MessageStream& operator=(const MessageStream&) = delete;

    // Returns when the bytes are with the kernel, so a slow reader slows the caller.
    boost::asio::awaitable<void> send(boost::json::object message);
    boost::asio::awaitable<void> end();
    boost::asio::awaitable<void> fail(RpcCode code, std::string_view why);

private:
    boost::asio::awaitable<void> write(std::string frame);
    net::Exchange& exchange_;
};

// One message in, any number out.
using StreamHandler =
    std::function<boost::asio::awaitable<void>(net::Exchange&, Message, MessageStream&)>;
[[nodiscard]] net::Handler server_stream(sessions::Sessions& sessions, StreamHandler handler);

// The messages of a streaming request, as they come.
class MessageReader {
public:
    explicit MessageReader(net::Exchange& exchange)
        : exchange_(exchange), decoder_(kMessageBytesMax) {}
    // Nothing at the end.
    boost::asio::awaitable<std::optional<Message>> next();

private:
    net::Exchange& exchange_;
    connect::FrameDecoder decoder_;
    bool ended_ = false;
};

// Any number in, one out.
using InputHandler =
    std::function<boost::asio::awaitable<boost::json::object>(net::Exchange&, MessageReader&)>;
[[nodiscard]] net::Handler client_stream(sessions::Sessions& sessions, InputHandler handler);

// The deadline that the client has set for a call; 0: none. InvalidArgument.
[[nodiscard]] std::chrono::milliseconds timeout_of(const net::Request& request);
// How often a stream that has nothing to say must say so.
[[nodiscard]] std::chrono::milliseconds keepalive_of(const net::Request& request);

}  // namespace atl::api::e2b

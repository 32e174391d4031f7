#pragma once
// One request and its answer, as a handler sees them. Lives exactly as long as the handler runs.
//
// Owns      nothing: it is a view of the connection, which the server owns.
// Threads   the server's one. One coroutine reads and one writes at a time; they may be two.
// Trusts    nothing from the client. Every read has a limit, every wait an end.
// If the client goes, reads and writes throw ClientGone, and on_gone is called at once. If a
// handler throws after it has begun its answer, the connection is cut, so that the client sees an
// unfinished body and never a success.
#include "net/byte_stream.hpp"
#include "net/callbacks.hpp"
#include "net/message.hpp"
#include "net/websocket.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace atl::net {

class Connection;

// Server-sent events. Comments go out by themselves while the handler has nothing to say.
class EventStream {
public:
    explicit EventStream(Connection& connection) noexcept : connection_(&connection) {}

    struct Event {
        std::string data;   // any text; line breaks are kept
        std::string event;  // empty: "message", as browsers call it
        std::string id;     // empty: none
    };
    // Returns when the bytes are with the kernel, so a slow reader slows the handler.
    boost::asio::awaitable<void> send(Event event);
    boost::asio::awaitable<void> end();
    [[nodiscard]] bool client_gone() const noexcept;

private:
    Connection* connection_;
};

struct EventOptions {
    std::chrono::milliseconds heartbeat{15000};
    std::optional<std::chrono::milliseconds> retry;  // how soon a browser shall come back
    Headers headers;
};

struct FileOptions {
    int status = 200;
    Headers headers;           // Content-Type, ETag, Last-Modified, …: ETag is used for If-Range
    std::uint64_t offset = 0;  // where in the descriptor the content begins
    bool ranges = true;
};

class Exchange {
public:
    explicit Exchange(Connection& connection) noexcept : connection_(connection) {}
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    [[nodiscard]] const Request& request() const noexcept;
    [[nodiscard]] Request& request() noexcept;
    [[nodiscard]] boost::asio::any_io_executor executor() const;

    // The request's body. A length over the limit is refused before a byte is read. ErrorException
    // TooLarge, InvalidArgument (broken framing) or Timeout (too slow).
    boost::asio::awaitable<std::string> read_body(std::size_t bytes_max);
    boost::asio::awaitable<std::string> read_some(std::size_t bytes_max);   // empty at the end
    boost::asio::awaitable<std::size_t> read_into(std::span<char> buffer);  // 0 at the end
    // For streams: replaces ServerOptions::body_bytes_max for this request.
    void limit_body(std::uint64_t bytes_max) noexcept;
    [[nodiscard]] std::optional<std::uint64_t> content_length() const noexcept;

    // The whole answer. Text is compressed if the client takes it and it is worth while. What is
    // large is made, compressed and let go of on a worker's thread, a piece at a time.
    boost::asio::awaitable<void> respond(Response response);

    // An answer in pieces; chunked when no length is given.
    boost::asio::awaitable<void> begin(int status, Headers headers,
                                       std::optional<std::uint64_t> length = std::nullopt);
    boost::asio::awaitable<void> write(std::string_view piece);  // the bytes outlive the call
    boost::asio::awaitable<void> end();
    // The same for much text whose pieces the handler has to wait for: each is made, and compressed
    // as in respond(), on a worker's thread. What `make` returns is of no account.
    boost::asio::awaitable<void> begin_large(int status, Headers headers);
    boost::asio::awaitable<void> write_large(Produce make);

    // A file, or the range of it that the request asks for: 200, 206, 304 or 416. Borrows the
    // descriptor. A file that shrinks on the way cuts the connection.
    boost::asio::awaitable<void> send_file(int fd, std::uint64_t size, FileOptions options);

    boost::asio::awaitable<EventStream> begin_events(EventOptions options = {});
    // What a returning client saw last; empty when it is new.
    [[nodiscard]] std::string_view last_event_id() const noexcept;

    // Throws Problem (400, 426) when the request asks for no WebSocket.
    [[nodiscard]] bool wants_websocket() const noexcept;
    boost::asio::awaitable<WebSocket> accept_websocket(WebSocketOptions options = {});

    // Sends the 101 and hands over the raw connection; for proxies. Belongs to the exchange.
    boost::asio::awaitable<ByteStream*> upgrade(Headers headers);

    // Whether the client has hung up; true as soon as it has closed its sending side.
    [[nodiscard]] bool client_gone();
    // Whether nothing can pass any more in either direction; a client that has closed its sending
    // side may still be listening.
    [[nodiscard]] bool connection_broken();
    // Called once, on the server's thread, when the client hangs up or the server ends the exchange
    // by force; in the next loop iteration if that was earlier. Not called after the guard has
    // gone, which goes before the handler returns.
    [[nodiscard]] Callbacks::Guard on_gone(std::function<void()> callback);
    // Returns when the client hangs up. For `work() || exchange.until_gone()`.
    boost::asio::awaitable<void> until_gone();
    // Called when the server begins to stop, so that an endless stream can end in good order.
    [[nodiscard]] Callbacks::Guard on_stopping(std::function<void()> callback);
    [[nodiscard]] bool stopping() const noexcept;

    [[nodiscard]] bool begun() const noexcept;  // some of the answer is under way

private:
    Connection& connection_;
};

using Handler = std::function<boost::asio::awaitable<void>(Exchange&)>;

}  // namespace atl::net

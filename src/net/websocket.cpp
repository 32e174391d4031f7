#include "net/websocket.hpp"

#include "base/as_tuple.hpp"
#include "base/utf8.hpp"
#include "net/attempt_stream.hpp"
#include "net/connection.hpp"
#include "net/core.hpp"
#include "net/problem.hpp"

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <deque>

namespace atl::net {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using boost::system::error_code;

namespace {

constexpr auto kGoodbyeTime = std::chrono::seconds(5);

// A Connection as AttemptStream wants it.
class ConnectionLink {
public:
    explicit ConnectionLink(Connection& connection) : connection_(&connection) {}
    [[nodiscard]] asio::any_io_executor executor() const { return connection_->core().executor; }
    [[nodiscard]] auto& descriptor() const { return connection_->transport().descriptor(); }

    [[nodiscard]] Transport::Io try_read(char* into, std::size_t bytes_max) const {
        return connection_->try_read_raw(into, bytes_max);
    }
    [[nodiscard]] Transport::Io try_write(const iovec* pieces, int count) const {
        if (connection_->write_failed()) return {Transport::State::Failed, 0};
        const auto done = connection_->transport().try_write(pieces, count);
        if (done.state == Transport::State::Done) {
            connection_->write_progressed(done.bytes);
        } else {
            connection_->expect_write_progress();
        }
        return done;
    }
    // The connection lingers by itself.
    void said_goodbye() const { connection_->transport().shutdown_write(); }
    void drop() const { connection_->lost(); }

private:
    Connection* connection_;
};

std::string choose_subprotocol(const Headers& offered, const std::vector<std::string>& ours) {
    for (const auto& name : ours) {
        if (is_token(name) && offered.has_token("Sec-WebSocket-Protocol", name)) return name;
    }
    return {};
}

void check_handshake(const Request& request) {
    const auto refuse = [](std::string sentence, int status) {
        throw Problem(Code::InvalidArgument, std::move(sentence))
            .with_status(status)
            .with_header("Upgrade", "websocket")
            .with_header("Sec-WebSocket-Version", "13");
    };
    if (request.method != "GET" || request.version < 11 ||
        !request.headers.has_token("Connection", "upgrade") ||
        !request.headers.has_token("Upgrade", "websocket")) {
        refuse("this address accepts only WebSocket connections", 426);
    }
    if (request.headers.get_or("Sec-WebSocket-Version", {}) != "13") {
        refuse("the WebSocket version must be 13", 426);
    }
    const auto keys = request.headers.get_all("Sec-WebSocket-Key");
    if (keys.size() != 1 || keys[0].size() != 24 || keys[0].substr(22) != "==") {
        refuse("the Sec-WebSocket-Key cannot be read", 400);
    }
}

}  // namespace

struct WebSocket::Impl {
    Impl(Connection& of, const WebSocketOptions& options)
        : connection(of),
          stream(ConnectionLink(of)),
          queue_changed(of.core().executor, asio::steady_timer::time_point::max()) {
        stream.read_message_max(options.message_bytes_max);
        websocket::stream_base::timeout timeout{};
        timeout.handshake_timeout = kGoodbyeTime;
        timeout.idle_timeout = options.idle_timeout;
        timeout.keep_alive_pings = true;
        stream.set_option(timeout);
        connection.on_shown_out([this] { return last_word(); });
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() { connection.on_shown_out(nullptr); }

    // The close frame for a client that may not be here any more. Behind Beast's back, which would
    // wait for what is being written and then for the client; so never within a message.
    [[nodiscard]] std::string last_word() const {
        constexpr std::uint16_t kPolicyViolation = 1008;
        constexpr std::string_view kReason = "the key or token is no longer valid";
        if (!open || !queue.empty()) return {};
        std::string frame{'\x88', static_cast<char>(2 + kReason.size()),
                          static_cast<char>(kPolicyViolation >> 8),
                          static_cast<char>(kPolicyViolation & 0xff)};
        return frame.append(kReason);
    }

    // A writer's position in the queue, until it is done or was cancelled while waiting.
    class Ticket {
    public:
        explicit Ticket(Impl& impl) : impl_(impl), number_(impl.next_ticket++) {
            impl_.queue.push_back(number_);
        }
        Ticket(const Ticket&) = delete;
        Ticket& operator=(const Ticket&) = delete;
        ~Ticket() {
            std::erase(impl_.queue, number_);
            impl_.queue_changed.cancel();
        }
        [[nodiscard]] bool first() const noexcept { return impl_.queue.front() == number_; }

    private:
        Impl& impl_;
        std::uint64_t number_;
    };

    asio::awaitable<void> write(std::string data, bool binary) {
        const Ticket ticket(*this);
        while (!ticket.first()) co_await queue_changed.async_wait(kAsTuple);
        if (!open) throw ClientGone();
        stream.binary(binary);
        const auto buffer = asio::buffer(data);
        auto [failed, bytes] = co_await stream.async_write(buffer, kAsTuple);
        if (failed) {
            open = false;
            throw ClientGone();
        }
    }

    Connection& connection;
    websocket::stream<AttemptStream<ConnectionLink>, false> stream;
    asio::steady_timer queue_changed;
    std::deque<std::uint64_t> queue;
    std::uint64_t next_ticket = 0;
    std::string subprotocol;
    bool open = true;
    std::uint16_t close_code = 0;
};

WebSocket::WebSocket(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
WebSocket::WebSocket(WebSocket&&) noexcept = default;
WebSocket& WebSocket::operator=(WebSocket&&) noexcept = default;
WebSocket::~WebSocket() = default;

asio::awaitable<std::optional<Message>> WebSocket::read() {
    Impl& impl = *impl_;
    if (!impl.open) co_return std::nullopt;
    Message message;
    auto buffer = asio::dynamic_buffer(message.data);
    auto [failed, bytes] = co_await impl.stream.async_read(buffer, kAsTuple);
    if (!failed) {
        message.binary = impl.stream.got_binary();
        co_return message;
    }
    impl.open = false;
    impl.close_code = 1006;
    if (failed == websocket::error::closed) {
        impl.close_code = static_cast<std::uint16_t>(impl.stream.reason().code);
        impl.connection.complete();
        co_return std::nullopt;
    }
    if (failed == websocket::error::message_too_big ||
        failed == websocket::error::buffer_overflow) {
        impl.connection.complete();  // Beast has said 1009
        throw ErrorException({Code::TooLarge, "the WebSocket message is too large"});
    }
    if (failed == websocket::condition::protocol_violation) {
        impl.connection.complete();  // Beast has said 1002 or 1007
        throw ErrorException({Code::InvalidArgument,
                              "the WebSocket client broke the protocol: " + failed.message()});
    }
    co_return std::nullopt;
}

asio::awaitable<void> WebSocket::write_text(std::string text) {
    return impl_->write(std::move(text), false);
}

asio::awaitable<void> WebSocket::write_binary(std::string bytes) {
    return impl_->write(std::move(bytes), true);
}

asio::awaitable<void> WebSocket::close(std::uint16_t code, std::string reason) {
    Impl& impl = *impl_;
    if (!impl.open) co_return;
    impl.open = false;
    websocket::close_reason why(static_cast<websocket::close_code>(code));
    constexpr std::size_t kReasonBytesMax = 123;
    reason.resize(std::min(reason.size(), kReasonBytesMax));
    while (!is_utf8(reason)) reason.pop_back();
    why.reason = reason.c_str();
    auto [failed] = co_await impl.stream.async_close(why, kAsTuple);
    if (!failed) {
        impl.close_code = static_cast<std::uint16_t>(impl.stream.reason().code);
        impl.connection.complete();
    }
}

void WebSocket::abort() noexcept {
    impl_->open = false;
    impl_->connection.lost();
}

const std::string& WebSocket::subprotocol() const noexcept { return impl_->subprotocol; }
bool WebSocket::open() const noexcept { return impl_->open; }
std::uint16_t WebSocket::close_code() const noexcept { return impl_->close_code; }

asio::awaitable<WebSocket> Exchange::accept_websocket(WebSocketOptions options) {
    const Request& asked = connection_.request;
    check_handshake(asked);
    if (connection_.content_length() != 0u) {
        throw ErrorException({Code::InvalidArgument, "a WebSocket request with a body"});
    }
    auto impl = std::make_unique<WebSocket::Impl>(connection_, options);
    impl->subprotocol = choose_subprotocol(asked.headers, options.subprotocols);

    Headers extra;
    connection_.decorate(101, extra);
    extra.set("X-Request-Id", asked.id);
    if (!impl->subprotocol.empty()) extra.set("Sec-WebSocket-Protocol", impl->subprotocol);
    for (const auto& [name, value] : extra) {
        if (!is_token(name) || !is_field_value(value)) {
            throw ErrorException({Code::Internal, "an answer's header cannot be sent"});
        }
    }
    impl->stream.set_option(
        websocket::stream_base::decorator([&extra](websocket::response_type& response) {
            for (const auto& [name, value] : extra) response.insert(name, value);
            response.set(http::field::server, "atoll");  // else Beast names itself
        }));

    http::request<http::empty_body> handshake(http::verb::get, "/", 11);
    handshake.set(http::field::host, "atoll");
    handshake.set(http::field::connection, "upgrade");
    handshake.set(http::field::upgrade, "websocket");
    handshake.set(http::field::sec_websocket_version, "13");
    handshake.set(http::field::sec_websocket_key,
                  boost::beast::string_view(asked.headers.get_or("Sec-WebSocket-Key", {})));
    connection_.take_over(101);
    auto [failed] = co_await impl->stream.async_accept(handshake, kAsTuple);
    if (failed) throw ClientGone();
    impl->stream.set_option(websocket::stream_base::decorator([](websocket::response_type&) {}));
    co_return WebSocket(std::move(impl));
}

}  // namespace atl::net

#include "net/exchange.hpp"

#include "net/connection.hpp"
#include "net/core.hpp"
#include "net/problem.hpp"

#include <algorithm>

namespace atl::net {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kLastEventIdBytesMax = 256;

void refuse_breaks(std::string_view text, const char* what) {
    if (text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos) {
        throw ErrorException({Code::InvalidArgument, std::string(what) + " has a line break"});
    }
}

std::string event_text(const EventStream::Event& event) {
    refuse_breaks(event.event, "an event's name");
    refuse_breaks(event.id, "an event's id");
    std::string text;
    text.reserve(event.data.size() + 64);
    if (!event.event.empty()) text.append("event: ").append(event.event).append("\n");
    if (!event.id.empty()) text.append("id: ").append(event.id).append("\n");
    const std::string_view data = event.data;
    // Each is looked for once: most data is one long line, which find_first_of reads slowly.
    auto next_return = data.find('\r');
    auto next_feed = data.find('\n');
    std::size_t at = 0;
    for (;;) {
        // Readers take a lone CR as the end of a line, so it is written as one.
        const auto end = std::min(next_return, next_feed);
        text.append("data: ").append(data.substr(at, end - at)).append("\n");
        if (end == std::string_view::npos) break;
        const bool pair = next_return == end && next_feed == end + 1;
        at = end + (pair ? 2 : 1);
        if (next_return == end) next_return = data.find('\r', at);
        if (next_feed < at) next_feed = data.find('\n', at);
    }
    text.append("\n");
    return text;
}

}  // namespace

asio::awaitable<void> EventStream::send(Event event) {
    if (connection_->client_gone()) throw ClientGone();
    const auto text = event_text(event);
    co_await connection_->write(text);
}

asio::awaitable<void> EventStream::end() { return connection_->end(); }
bool EventStream::client_gone() const noexcept { return connection_->client_gone(); }

const Request& Exchange::request() const noexcept { return connection_.request; }
Request& Exchange::request() noexcept { return connection_.request; }
asio::any_io_executor Exchange::executor() const { return connection_.core().executor; }

asio::awaitable<std::string> Exchange::read_body(std::size_t bytes_max) {
    return connection_.read_body(bytes_max);
}

asio::awaitable<std::string> Exchange::read_some(std::size_t bytes_max) {
    std::string piece(bytes_max, '\0');
    const auto bytes = co_await connection_.read_into(piece);
    piece.resize(bytes);
    co_return piece;
}

asio::awaitable<std::size_t> Exchange::read_into(std::span<char> buffer) {
    return connection_.read_into(buffer);
}

void Exchange::limit_body(std::uint64_t bytes_max) noexcept { connection_.body_limit = bytes_max; }

std::optional<std::uint64_t> Exchange::content_length() const noexcept {
    return connection_.content_length();
}

asio::awaitable<void> Exchange::respond(Response response) {
    return connection_.respond(std::move(response));
}

asio::awaitable<void> Exchange::begin(int status, Headers headers,
                                      std::optional<std::uint64_t> length) {
    return connection_.begin(status, std::move(headers), length);
}

asio::awaitable<void> Exchange::write(std::string_view piece) { return connection_.write(piece); }
asio::awaitable<void> Exchange::end() { return connection_.end(); }

asio::awaitable<void> Exchange::begin_large(int status, Headers headers) {
    return connection_.begin_large(status, std::move(headers));
}

asio::awaitable<void> Exchange::write_large(Produce make) {
    return connection_.write_large(std::move(make));
}

asio::awaitable<void> Exchange::send_file(int fd, std::uint64_t size, FileOptions options) {
    return connection_.send_file(fd, size, std::move(options));
}

asio::awaitable<EventStream> Exchange::begin_events(EventOptions options) {
    co_await connection_.begin_events(std::move(options));
    co_return EventStream(connection_);
}

std::string_view Exchange::last_event_id() const noexcept {
    const auto id = connection_.request.headers.get_or("Last-Event-ID", {});
    return id.size() <= kLastEventIdBytesMax ? id : std::string_view();
}

bool Exchange::wants_websocket() const noexcept {
    const auto& request = connection_.request;
    return request.headers.has_token("Connection", "upgrade") &&
           request.headers.has_token("Upgrade", "websocket");
}

asio::awaitable<ByteStream*> Exchange::upgrade(Headers headers) {
    return connection_.upgrade(std::move(headers));
}

bool Exchange::client_gone() { return connection_.client_gone(); }
bool Exchange::connection_broken() { return connection_.connection_broken(); }
Callbacks::Guard Exchange::on_gone(std::function<void()> callback) {
    return connection_.on_gone(std::move(callback));
}
asio::awaitable<void> Exchange::until_gone() { return connection_.until_gone(); }

Callbacks::Guard Exchange::on_stopping(std::function<void()> callback) {
    return connection_.on_stopping(std::move(callback));
}

bool Exchange::stopping() const noexcept { return connection_.core().stopping; }
bool Exchange::begun() const noexcept { return connection_.begun(); }

}  // namespace atl::net

#include "net/websocket_client.hpp"

#include "net/attempt_stream.hpp"
#include "net/curl_handle.hpp"
#include "net/headers.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <chrono>
#include <deque>
#include <utility>

namespace atl::net {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using boost::system::error_code;

namespace {

constexpr std::size_t kRefusalBytesMax = 1u << 20;
constexpr std::size_t kMessageBytesMax = 4u << 20;
constexpr std::size_t kWriteBytes = 64 * 1024;  // masked and written at a time
// Beast keeps no more than 1536 bytes of what follows the head of an answer.
constexpr std::size_t kHandshakePieceBytes = 1024;
constexpr std::chrono::seconds kAnswerTime{60};      // includes waking a sleeping session
constexpr std::chrono::milliseconds kLookTime{200};  // for an interrupt

std::string part_of(CURLU* url, CURLUPart part) {
    char* text = nullptr;
    if (curl_url_get(url, part, &text, 0) != CURLUE_OK) return {};
    std::string copy(text);
    curl_free(text);
    return copy;
}

// "host:port" and the path in front of ours, if the address has one.
struct Where {
    std::string host, prefix;
};
Where where(const std::string& url) {
    if (url.starts_with(kUnixScheme)) return {"localhost", ""};
    const std::unique_ptr<CURLU, FreeUrl> parsed(curl_url());
    if (!parsed || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) {
        return {"localhost", ""};
    }
    Where place{part_of(parsed.get(), CURLUPART_HOST), part_of(parsed.get(), CURLUPART_PATH)};
    const std::string port = part_of(parsed.get(), CURLUPART_PORT);
    if (!port.empty()) place.host += ":" + port;
    if (place.prefix == "/") place.prefix.clear();
    return place;
}

// A connection that curl has opened: it knows unix sockets, TLS with this system's certificates,
// and proxies.
struct CurlConnection {
    explicit CurlConnection(asio::io_context& loop) : handle(curl_easy_init()), descriptor(loop) {}
    CurlConnection(const CurlConnection&) = delete;
    CurlConnection& operator=(const CurlConnection&) = delete;
    ~CurlConnection() {
        if (descriptor.is_open()) descriptor.release();  // curl closes it
    }

    Result<void> open(const std::string& url) {
        if (!handle) return Error{Code::Internal, "curl could not be started"};
        if (const auto aimed = aim(handle.get(), url, ""); !aimed) return aimed.error();
        curl_easy_setopt(handle.get(), CURLOPT_CONNECT_ONLY, 1L);
        curl_easy_setopt(handle.get(), CURLOPT_HTTP_VERSION,
                         static_cast<long>(CURL_HTTP_VERSION_1_1));
        curl_easy_setopt(handle.get(), CURLOPT_HTTPPROXYTUNNEL, 1L);
        curl_easy_setopt(handle.get(), CURLOPT_TCP_KEEPALIVE, 1L);
        char why[CURL_ERROR_SIZE] = "";
        curl_easy_setopt(handle.get(), CURLOPT_ERRORBUFFER, why);
        const CURLcode code = curl_easy_perform(handle.get());
        curl_easy_setopt(handle.get(), CURLOPT_ERRORBUFFER, nullptr);
        if (code != CURLE_OK) return curl_error(code, why, url);
        curl_socket_t connected = CURL_SOCKET_BAD;
        curl_easy_getinfo(handle.get(), CURLINFO_ACTIVESOCKET, &connected);
        descriptor.assign(connected);
        return {};
    }

    CurlHandle handle;
    asio::posix::stream_descriptor descriptor;
    bool handshake = true;
    bool waits_to_write = false;
    CURLcode failed = CURLE_OK;
};

class CurlLink {
public:
    explicit CurlLink(CurlConnection& connection) : connection_(&connection) {}
    [[nodiscard]] asio::any_io_executor executor() const {
        return connection_->descriptor.get_executor();
    }
    [[nodiscard]] auto& descriptor() const { return connection_->descriptor; }

    [[nodiscard]] Transport::Io try_read(char* into, std::size_t bytes_max) const {
        if (connection_->handshake) bytes_max = std::min(bytes_max, kHandshakePieceBytes);
        std::size_t got = 0;
        const CURLcode code = curl_easy_recv(connection_->handle.get(), into, bytes_max, &got);
        if (code == CURLE_AGAIN) return {Transport::State::WantRead, 0};
        if (code != CURLE_OK) return failed(code);
        return {got == 0 ? Transport::State::End : Transport::State::Done, got};
    }

    [[nodiscard]] Transport::Io try_write(const iovec* pieces, int count) const {
        std::size_t sent = 0;
        for (int i = 0; i < count; ++i) {
            std::size_t put = 0;
            const CURLcode code = curl_easy_send(connection_->handle.get(), pieces[i].iov_base,
                                                 pieces[i].iov_len, &put);
            if (code != CURLE_OK && code != CURLE_AGAIN) return failed(code);
            sent += put;
            if (put < pieces[i].iov_len) break;
        }
        connection_->waits_to_write = sent == 0;
        return {sent == 0 ? Transport::State::WantWrite : Transport::State::Done, sent};
    }
    void said_goodbye() const {}
    void drop() const {}

private:
    [[nodiscard]] Transport::Io failed(CURLcode code) const {
        connection_->failed = code;
        return {Transport::State::Failed, 0};
    }

    CurlConnection* connection_;
};

}  // namespace

struct WebSocketClient::Impl {
    Impl(std::string address, std::string secret)
        : url(std::move(address)),
          key(std::move(secret)),
          connection(loop),
          stream(CurlLink(connection)) {
        while (!url.empty() && url.back() == '/') url.pop_back();
        stream.read_message_max(kMessageBytesMax);
        stream.auto_fragment(false);
        stream.write_buffer_bytes(kWriteBytes);
    }

    // Whatever can be done without waiting.
    void turn() {
        loop.restart();
        loop.poll();
    }

    void write_next() {
        if (writing || queue.empty() || failure) return;
        writing = true;
        stream.binary(queue.front().binary);
        stream.async_write(asio::buffer(queue.front().data),
                           [this](error_code failed, std::size_t) {
                               writing = false;
                               queued_bytes -= queue.front().data.size();
                               queue.pop_front();
                               if (!failed) return write_next();
                               // Nobody reads the rest. A goodbye is told by the read.
                               queue.clear();
                               queued_bytes = 0;
                               if (connection.failed != CURLE_OK) ended(failed);
                           });
    }

    void read_next() {
        if (reading || arrived || gone || failure) return;
        reading = true;
        stream.async_read(incoming, [this](error_code failed, std::size_t) {
            reading = false;
            if (failed) return ended(failed);
            arrived =
                Message{boost::beast::buffers_to_string(incoming.data()), stream.got_binary()};
            incoming.clear();
        });
    }

    void ended(error_code why) {
        if (why == websocket::error::closed || why == asio::error::eof) {
            gone = true;
        } else if (connection.failed != CURLE_OK) {
            failure = curl_error(connection.failed, "", url);
        } else if (!failure) {
            failure =
                Error{Code::Internal, "the server at " + url +
                                          " violated the WebSocket protocol: " + why.message()};
        }
    }

    void send(std::string_view data, bool binary) {
        queue.push_back({std::string(data), binary});
        queued_bytes += data.size();
    }

    std::string url, key;
    asio::io_context loop{1};
    CurlConnection connection;
    websocket::stream<AttemptStream<CurlLink>, false> stream;
    std::deque<Message> queue;  // the first one is being written
    std::size_t queued_bytes = 0;
    boost::beast::flat_buffer incoming;
    std::optional<Message> arrived;
    std::optional<Error> failure;
    bool writing = false;
    bool reading = false;
    bool gone = false;
};

WebSocketClient::WebSocketClient(std::string url, std::string key)
    : impl_(std::make_unique<Impl>(std::move(url), std::move(key))) {}
WebSocketClient::~WebSocketClient() = default;
WebSocketClient::WebSocketClient(WebSocketClient&&) noexcept = default;
WebSocketClient& WebSocketClient::operator=(WebSocketClient&&) noexcept = default;

Result<ClientAnswer> WebSocketClient::open(const std::string& path) {
    Impl& impl = *impl_;
    if (!impl.key.empty() && !is_field_value(impl.key)) {
        return Error{Code::InvalidArgument, "the key contains invalid characters"};
    }
    if (const auto connected = impl.connection.open(impl.url); !connected) {
        return connected.error();
    }
    impl.stream.set_option(
        websocket::stream_base::decorator([&impl](websocket::request_type& request) {
            if (impl.key.empty()) return;
            request.set(http::field::authorization, "Bearer " + impl.key);
        }));
    const Where place = where(impl.url);
    websocket::response_type response;
    std::optional<error_code> done;
    impl.stream.async_handshake(response, place.host, place.prefix + path,
                                [&done](error_code failed) { done = failed; });
    const auto until = std::chrono::steady_clock::now() + kAnswerTime;
    while (!done) {
        if (Client::interrupt().load()) return Error{Code::Conflict, "interrupted"};
        if (std::chrono::steady_clock::now() > until) {
            return Error{Code::Timeout, "no server answers at " + impl.url + " in time"};
        }
        impl.loop.restart();
        impl.loop.run_one_for(kLookTime);
    }
    impl.connection.handshake = false;
    if (impl.connection.failed != CURLE_OK) {
        return curl_error(impl.connection.failed, "", impl.url);
    }
    if (*done && *done != websocket::error::upgrade_declined) {
        const bool is_http = done->category() == error_code(websocket::error::closed).category();
        return Error{Code::Internal,
                     is_http ? "the server at " + impl.url + " does not support WebSocket"
                             : "there is no HTTP server at " + impl.url};
    }
    ClientAnswer answer;
    answer.status = static_cast<int>(response.result_int());
    for (const auto& field : response) answer.headers.add(field.name_string(), field.value());
    answer.body = response.body().substr(0, kRefusalBytesMax);
    return answer;
}

int WebSocketClient::descriptor() const noexcept {
    return impl_->connection.descriptor.native_handle();
}
void WebSocketClient::send_text(std::string_view text) { impl_->send(text, false); }
void WebSocketClient::send_binary(std::string_view bytes) { impl_->send(bytes, true); }
bool WebSocketClient::closed() const noexcept { return impl_->gone; }

std::size_t WebSocketClient::pending() const noexcept {
    // A pong that the connection has not taken yet is in no queue of ours.
    return impl_->queued_bytes + (impl_->connection.waits_to_write ? 1 : 0);
}

Result<void> WebSocketClient::flush() {
    impl_->write_next();
    impl_->turn();
    if (impl_->failure) return *impl_->failure;
    return {};
}

Result<std::optional<WebSocketClient::Message>> WebSocketClient::next() {
    impl_->read_next();
    impl_->turn();
    if (impl_->failure) return *impl_->failure;
    return std::exchange(impl_->arrived, std::nullopt);
}

}  // namespace atl::net

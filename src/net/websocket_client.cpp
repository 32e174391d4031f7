#include "net/websocket_client.hpp"

#include "net/curl_handle.hpp"
#include "net/headers.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <openssl/evp.h>
#include <poll.h>
#include <sys/random.h>

namespace atl::net {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kHeadBytesMax = 64 * 1024;
constexpr std::size_t kRefusalBytesMax = 1u << 20;
constexpr std::size_t kMessageBytesMax = 4u << 20;
constexpr std::size_t kPieceBytes = 64 * 1024;
constexpr std::chrono::seconds kAnswerTime{60};  // a sleeping session is woken meanwhile
constexpr int kLookMs = 200;                     // for an interrupt
constexpr int kSwitching = 101;

// RFC 6455, section 5.2
enum Opcode : std::uint8_t { More = 0, Text = 1, Binary = 2, Close = 8, Ping = 9, Pong = 10 };
constexpr std::uint8_t kLast = 0x80, kReserved = 0x70, kOpcode = 0x0F, kMasked = 0x80;
constexpr std::size_t kControlBytesMax = 125;
constexpr std::uint8_t kTwoBytes = 126, kEightBytes = 127;

void random_bytes(unsigned char* into, std::size_t size) {
    if (::getrandom(into, size, 0) != static_cast<ssize_t>(size)) std::abort();
}

std::string base64(const unsigned char* bytes, std::size_t size) {
    std::string text((size + 2) / 3 * 4 + 1, '\0');
    const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes,
                                       static_cast<int>(size));
    text.resize(static_cast<std::size_t>(length));
    return text;
}

// What a server that understood answers to a key (RFC 6455, section 4.2.2).
std::string accept_of(const std::string& key) {
    const std::string text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) != 1) {
        return {};
    }
    return base64(digest.data(), size);
}

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

}  // namespace

struct WebSocketClient::Impl {
    Impl(std::string address, std::string secret)
        : url(std::move(address)), key(std::move(secret)), handle(curl_easy_init()) {
        while (!url.empty() && url.back() == '/') url.pop_back();
    }

    Result<void> connect() {
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
        socket = connected;
        return {};
    }

    // What has come, appended; false when there is nothing now.
    Result<bool> receive() {
        char piece[kPieceBytes];
        std::size_t got = 0;
        const CURLcode code = curl_easy_recv(handle.get(), piece, sizeof piece, &got);
        if (code == CURLE_AGAIN) return false;
        if (code != CURLE_OK) return curl_error(code, "", url);
        if (got == 0) {
            gone = true;
            return false;
        }
        in.append(piece, got);
        return true;
    }

    Result<void> flush() {
        while (sent < out.size()) {
            std::size_t put = 0;
            const CURLcode code =
                curl_easy_send(handle.get(), out.data() + sent, out.size() - sent, &put);
            if (code == CURLE_AGAIN) break;
            if (code != CURLE_OK) return curl_error(code, "", url);
            sent += put;
        }
        if (sent == out.size()) {
            out.clear();
            sent = 0;
        } else if (sent > kMessageBytesMax) {
            out.erase(0, sent);
            sent = 0;
        }
        return {};
    }

    Result<void> wait(short events, Clock::time_point until) const {
        for (;;) {
            if (Client::interrupt().load()) return Error{Code::Conflict, "interrupted"};
            if (Clock::now() > until) {
                return Error{Code::Timeout, "no server answers at " + url + " in time"};
            }
            pollfd one{socket, events, 0};
            if (::poll(&one, 1, kLookMs) > 0) return {};
        }
    }

    // Reads until `enough`, or the end of the connection.
    template <class Enough>
    Result<void> read_until(Enough enough, Clock::time_point until) {
        while (!enough() && !gone) {
            const auto came = receive();
            if (!came) return came.error();
            if (*came || gone) continue;
            if (const auto waited = wait(POLLIN, until); !waited) return waited;
        }
        return {};
    }

    void frame(std::uint8_t opcode, std::string_view data) {
        const auto put = [this](std::uint8_t byte) { out.push_back(static_cast<char>(byte)); };
        put(kLast | opcode);
        if (data.size() < kTwoBytes) {
            put(kMasked | static_cast<std::uint8_t>(data.size()));
        } else {
            const bool small = data.size() <= 0xFFFF;
            put(kMasked | (small ? kTwoBytes : kEightBytes));
            for (int shift = small ? 8 : 56; shift >= 0; shift -= 8) {
                put(static_cast<std::uint8_t>(static_cast<std::uint64_t>(data.size()) >> shift));
            }
        }
        std::array<unsigned char, 4> mask{};
        random_bytes(mask.data(), mask.size());
        for (const unsigned char byte : mask) put(byte);
        for (std::size_t i = 0; i < data.size(); ++i) {
            put(static_cast<std::uint8_t>(data[i]) ^ mask[i % mask.size()]);
        }
    }

    struct Frame {
        std::uint8_t first = 0;
        std::string data;
    };
    // A whole one out of what has come; nothing: more must come first.
    Result<std::optional<Frame>> take_frame() {
        const auto byte = [this](std::size_t at) { return static_cast<std::uint8_t>(in[at]); };
        const auto broken = [this](const char* what) {
            return Error{Code::Internal,
                         "the server at " + url + " violated the WebSocket protocol: " + what};
        };
        if (in.size() < 2) return std::optional<Frame>();
        if ((byte(0) & kReserved) != 0) return broken("a reserved bit");
        if ((byte(1) & kMasked) != 0) return broken("a masked message");
        std::uint64_t size = byte(1);
        std::size_t at = 2;
        if (size >= kTwoBytes) {
            const std::size_t digits = size == kTwoBytes ? 2 : 8;
            if (in.size() < at + digits) return std::optional<Frame>();
            size = 0;
            for (std::size_t i = 0; i < digits; ++i) size = size << 8 | byte(at + i);
            at += digits;
        }
        if (size > kMessageBytesMax) return broken("a message that is too large");
        if (in.size() < at + size) return std::optional<Frame>();
        Frame frame{byte(0), in.substr(at, static_cast<std::size_t>(size))};
        in.erase(0, at + static_cast<std::size_t>(size));
        const bool control = (frame.first & 0x8) != 0;
        if (control && (frame.data.size() > kControlBytesMax || (frame.first & kLast) == 0)) {
            return broken("a control message that is too large");
        }
        return std::optional<Frame>(std::move(frame));
    }

    std::string url, key;
    CurlHandle handle;
    int socket = -1;
    std::string in, out;
    std::size_t sent = 0;  // of `out`
    std::string message;   // of which the last piece has not come yet
    bool message_binary = false;
    bool message_begun = false;
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
    if (const auto connected = impl.connect(); !connected) return connected.error();
    std::array<unsigned char, 16> nonce{};
    random_bytes(nonce.data(), nonce.size());
    const std::string challenge = base64(nonce.data(), nonce.size());
    const Where place = where(impl.url);
    impl.out = "GET " + place.prefix + path + " HTTP/1.1\r\nHost: " + place.host +
               "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
               "Sec-WebSocket-Key: " +
               challenge + "\r\n";
    if (!impl.key.empty()) impl.out += "Authorization: Bearer " + impl.key + "\r\n";
    impl.out += "\r\n";
    const auto until = Clock::now() + kAnswerTime;
    while (pending() > 0) {
        if (const auto wrote = impl.flush(); !wrote) return wrote.error();
        if (pending() == 0) break;
        if (const auto waited = impl.wait(POLLOUT, until); !waited) return waited.error();
    }

    std::size_t end = std::string::npos;
    const auto whole_head = [&] {
        end = impl.in.find("\r\n\r\n");
        return end != std::string::npos || impl.in.size() > kHeadBytesMax;
    };
    if (const auto read = impl.read_until(whole_head, until); !read) return read.error();
    if (end == std::string::npos || !impl.in.starts_with("HTTP/1.1 ")) {
        return Error{Code::Internal, "there is no HTTP server at " + impl.url};
    }
    ClientAnswer answer;
    answer.status = std::atoi(impl.in.c_str() + sizeof("HTTP/1.1 ") - 1);
    std::string head = impl.in.substr(0, end + 2);
    impl.in.erase(0, end + 4);
    for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
        const std::size_t stop = head.find("\r\n", at);
        const std::string_view line = std::string_view(head).substr(at, stop - at);
        at = stop + 2;
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        answer.headers.add(line.substr(0, colon), trimmed(line.substr(colon + 1)));
    }
    if (answer.status != kSwitching) {
        const std::string length(answer.headers.get_or("Content-Length", "0"));
        const auto size =
            std::min<std::size_t>(std::strtoul(length.c_str(), nullptr, 10), kRefusalBytesMax);
        const auto whole_body = [&] { return impl.in.size() >= size; };
        if (const auto read = impl.read_until(whole_body, until); !read) return read.error();
        answer.body = impl.in.substr(0, size);
        return answer;
    }
    if (answer.headers.get_or("Sec-WebSocket-Accept", {}) != accept_of(challenge)) {
        return Error{Code::Internal, "the server at " + impl.url + " does not support WebSocket"};
    }
    return answer;
}

int WebSocketClient::descriptor() const noexcept { return impl_->socket; }
void WebSocketClient::send_text(std::string_view text) { impl_->frame(Text, text); }
void WebSocketClient::send_binary(std::string_view bytes) { impl_->frame(Binary, bytes); }
std::size_t WebSocketClient::pending() const noexcept { return impl_->out.size() - impl_->sent; }
Result<void> WebSocketClient::flush() { return impl_->flush(); }
bool WebSocketClient::closed() const noexcept { return impl_->gone; }

Result<std::optional<WebSocketClient::Message>> WebSocketClient::next() {
    Impl& impl = *impl_;
    for (;;) {
        auto frame = impl.take_frame();
        if (!frame) return frame.error();
        if (!*frame) {
            if (impl.gone) return std::optional<Message>();
            const auto came = impl.receive();
            if (!came) return came.error();
            if (!*came) return std::optional<Message>();
            continue;
        }
        const std::uint8_t opcode = (*frame)->first & kOpcode;
        std::string& data = (*frame)->data;
        if (opcode == Ping) {
            impl.frame(Pong, data);
        } else if (opcode == Close) {
            impl.frame(Close, data);
            static_cast<void>(impl.flush());  // a courtesy; it has gone otherwise
            impl.gone = true;
        } else if (opcode == Text || opcode == Binary || opcode == More) {
            if ((opcode == More) != impl.message_begun ||
                impl.message.size() + data.size() > kMessageBytesMax) {
                return Error{Code::Internal, "the server sent a message that cannot be understood"};
            }
            if (opcode != More) impl.message_binary = opcode == Binary;
            impl.message += data;
            impl.message_begun = ((*frame)->first & kLast) == 0;
            if (impl.message_begun) continue;
            Message message{std::move(impl.message), impl.message_binary};
            impl.message.clear();
            return std::optional<Message>(std::move(message));
        }
    }
}

}  // namespace atl::net

#pragma once
// The client's end of one WebSocket, for the command line: a loop that polls several descriptors
// calls it when its own is ready. The server itself never uses it. Beast speaks the protocol, on a
// connection that curl has opened: curl knows TLS, proxies and unix sockets.
//
//     net::WebSocketClient socket(url, key);
//     auto answer = socket.open("/v1/sessions/s-…/terminal");    // waits; 101: it is open
//     poll: descriptor() to read, and to write while pending() > 0
//     flush(), then next() until it has nothing; then poll again
//
// Owns      its connection. Threads: whoever made it.
// Trusts    the server as far as its user does: messages are at most 4 MiB, the answer to the
//           handshake comes within 60 s, broken framing is an Error.
// On failure an Error, after which nothing but destroying it makes sense.
#include "base/result.hpp"
#include "net/client.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace atl::net {

class WebSocketClient {
public:
    struct Message {
        std::string data;
        bool binary = false;
    };

    // As those of Client.
    WebSocketClient(std::string url, std::string key);
    ~WebSocketClient();
    WebSocketClient(WebSocketClient&&) noexcept;
    WebSocketClient& operator=(WebSocketClient&&) noexcept;

    // A status that is not 101 is a refusal, with its body.
    [[nodiscard]] Result<ClientAnswer> open(const std::string& path);

    [[nodiscard]] int descriptor() const noexcept;
    // Queued until flush() has written it.
    void send_text(std::string_view text);
    void send_binary(std::string_view bytes);
    [[nodiscard]] std::size_t pending() const noexcept;
    // As much as the connection takes now.
    [[nodiscard]] Result<void> flush();
    // The next message that has come; nothing: poll, or it is closed.
    [[nodiscard]] Result<std::optional<Message>> next();
    [[nodiscard]] bool closed() const noexcept;  // the server has said goodbye, or gone

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace atl::net

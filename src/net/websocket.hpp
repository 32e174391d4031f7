#pragma once
// The server's end of one WebSocket. Made by Exchange::accept_websocket; used and destroyed within
// the handler that made it.
//
// One coroutine reads; any number may write, whole messages in the order they began. Somebody must
// be reading for pings to be answered and a lost client to be noticed. A read that is cancelled
// (as by `||`) ends the socket: let one coroutine do all the reading instead. A handler that
// returns without close() drops the client without a goodbye. Trusts nothing: unmasked frames, bad
// UTF-8 in text, messages over the limit and broken framing close the socket with the code that RFC
// 6455 gives for them.
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::net {

struct WebSocketOptions {
    std::vector<std::string> subprotocols;  // what we speak, the best first; may be empty
    std::size_t message_bytes_max = 1u << 20;
    // A ping goes out after half of this silence; after all of it the socket is dropped.
    std::chrono::seconds idle_timeout{60};
};

struct Message {
    std::string data;
    bool binary = false;
};

class WebSocket {
public:
    struct Impl;
    explicit WebSocket(std::unique_ptr<Impl> impl) noexcept;
    WebSocket(WebSocket&&) noexcept;
    WebSocket& operator=(WebSocket&&) noexcept;
    ~WebSocket();

    // The next message; nothing once the client has closed or gone. Throws ErrorException TooLarge
    // or InvalidArgument when the client broke the rules; the socket is closed then.
    boost::asio::awaitable<std::optional<Message>> read();
    boost::asio::awaitable<void> write_text(std::string text);
    boost::asio::awaitable<void> write_binary(std::string bytes);
    // Says goodbye and waits for the answer, within limits. Never throws; a second one does
    // nothing.
    boost::asio::awaitable<void> close(std::uint16_t code = 1000, std::string reason = {});
    // At once and without goodbye, from anywhere; a pending read ends with nothing.
    void abort() noexcept;

    [[nodiscard]] const std::string& subprotocol() const noexcept;  // empty: none agreed
    [[nodiscard]] bool open() const noexcept;
    [[nodiscard]] std::uint16_t close_code()
        const noexcept;  // the client's; 0 before, 1006 if lost

private:
    std::unique_ptr<Impl> impl_;
};

}  // namespace atl::net

// A WebSocket client made of raw frames, so that it can break the rules.
#include "net/problem.hpp"
#include "net/test_support.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>

namespace atl::net::test {

namespace asio = boost::asio;

namespace {

constexpr const char* kHandshake =
    "GET /ws HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

std::string frame(int opcode, std::string payload, bool fin = true, bool masked = true) {
    std::string out;
    out.push_back(static_cast<char>((fin ? 0x80 : 0) | opcode));
    const char mask_bit = masked ? static_cast<char>(0x80) : 0;
    if (payload.size() < 126) {
        out.push_back(static_cast<char>(mask_bit | static_cast<char>(payload.size())));
    } else if (payload.size() < 65536) {
        out.push_back(static_cast<char>(mask_bit | 126));
        out.push_back(static_cast<char>(payload.size() >> 8));
        out.push_back(static_cast<char>(payload.size() & 0xff));
    } else {
        out.push_back(static_cast<char>(mask_bit | 127));
        for (int shift = 56; shift >= 0; shift -= 8) {
            out.push_back(static_cast<char>((payload.size() >> shift) & 0xff));
        }
    }
    if (masked) {
        const std::string mask = "\x12\x34\x56\x78";
        out += mask;
        for (std::size_t i = 0; i < payload.size(); ++i) {
            payload[i] = static_cast<char>(payload[i] ^ mask[i % 4]);
        }
    }
    return out + payload;
}

struct Frame {
    int opcode = -1;  // -1: the connection ended
    bool fin = false;
    std::string payload;
    [[nodiscard]] int close_code() const {
        if (opcode != 8 || payload.size() < 2) return 0;
        return static_cast<unsigned char>(payload[0]) * 256 +
               static_cast<unsigned char>(payload[1]);
    }
};

Frame read_frame(Client& client) {
    Frame got;
    const auto start = client.exactly(2);
    if (start.size() < 2) return got;
    std::size_t length = start[1] & 0x7f;
    EXPECT_EQ(start[1] & 0x80, 0) << "a server must not mask";
    if (length >= 126) {
        const auto more = client.exactly(length == 126 ? 2 : 8);
        length = 0;
        for (const char c : more) length = length * 256 + static_cast<unsigned char>(c);
    }
    got.fin = (start[0] & 0x80) != 0;
    got.opcode = start[0] & 0x0f;
    got.payload = client.exactly(length);
    return got;
}

std::string read_message(Client& client) {
    std::string whole;
    for (;;) {
        const auto got = read_frame(client);
        if (got.opcode < 0) return "ended";
        whole += got.payload;
        if (got.fin) return whole;
    }
}

struct Outcome {
    std::atomic<int> ended = 0;
    std::atomic<int> refused = 0;
    std::atomic<int> code = 0;
};

Router echo_router(Outcome& outcome, WebSocketOptions options) {
    Router router;
    router.add("GET", "/ws", [&outcome, options](Exchange& e) -> asio::awaitable<void> {
        auto socket = co_await e.accept_websocket(options);
        try {
            for (;;) {
                auto message = co_await socket.read();
                if (!message) break;
                if (message->data == "bye") {
                    co_await socket.close(4000, "as you wish");
                    break;
                }
                if (message->binary) {
                    co_await socket.write_binary(std::move(message->data));
                } else {
                    co_await socket.write_text(std::move(message->data));
                }
            }
        } catch (const ErrorException&) { ++outcome.refused; }
        outcome.code = socket.close_code();
        ++outcome.ended;
    });
    return router;
}

}  // namespace

TEST(WebSocket, TalksAndAgreesOnASubprotocol) {
    Outcome outcome;
    WebSocketOptions options;
    options.subprotocols = {"v2.atoll", "v1.atoll"};
    options.message_bytes_max = 200000;
    TestServer server(echo_router(outcome, options));
    auto client = server.connect();
    // The first message right behind the handshake, before the answer.
    client.send(std::string(kHandshake) + "Sec-WebSocket-Protocol: other, v1.atoll\r\n\r\n" +
                frame(1, "early"));
    const auto head = client.until("\r\n\r\n");
    EXPECT_EQ(head.rfind("HTTP/1.1 101", 0), 0u);
    EXPECT_NE(head.find("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), std::string::npos);
    EXPECT_NE(head.find("Sec-WebSocket-Protocol: v1.atoll"), std::string::npos);
    EXPECT_NE(head.find("X-Request-Id"), std::string::npos);
    EXPECT_EQ(head.find("Beast"), std::string::npos);
    EXPECT_EQ(read_message(client), "early");
    client.send(frame(1, "he", false) + frame(9, "ping") + frame(0, "llo"));
    std::string text;
    bool pong = false;
    while (text.empty() || !pong) {
        const auto got = read_frame(client);
        ASSERT_GE(got.opcode, 0);
        if (got.opcode == 10) pong = got.payload == "ping";
        if (got.opcode == 1) text = got.payload;
    }
    EXPECT_EQ(text, "hello");
    const std::string big(150000, 'b');
    client.send(frame(2, big));
    EXPECT_EQ(read_message(client), big);
    client.send(frame(1, "bye"));
    const auto goodbye = read_frame(client);
    EXPECT_EQ(goodbye.close_code(), 4000);
    EXPECT_EQ(goodbye.payload.substr(2), "as you wish");
    client.send(frame(8, "\x0f\xa0"));
    EXPECT_TRUE(client.closed());
    EXPECT_TRUE(server.eventually([&] { return outcome.ended == 1; }));
}

// Goal: whoever is not welcome any more hears why, is gone, and the handler ends as if they had
// left.
TEST(WebSocket, ShowsOutWhoIsNotWelcomeAnyMore) {
    Outcome outcome;
    std::atomic<bool> welcome = true;
    std::atomic<int> asked = 0, refused = 0;
    ServerOptions options;
    options.still_welcome = [&](const Request& request) {
        EXPECT_EQ(request.route, "/ws");
        ++asked;
        if (!welcome) ++refused;
        return welcome.load();
    };
    TestServer server(echo_router(outcome, {}), std::move(options));
    auto client = server.connect();
    client.send(std::string(kHandshake) + "\r\n");
    client.until("\r\n\r\n");
    EXPECT_TRUE(server.eventually([&] { return asked > 1; }, 5s));
    client.send(frame(1, "still here"));
    EXPECT_EQ(read_message(client), "still here");
    welcome = false;
    EXPECT_EQ(read_frame(client).close_code(), 1008);
    EXPECT_TRUE(client.closed());
    EXPECT_TRUE(server.eventually([&] { return outcome.ended == 1; }));
    EXPECT_EQ(refused, 1);
}

TEST(WebSocket, ClosesOnWhoBreaksTheRules) {
    struct Row {
        const char* name;
        std::string bytes;
        int code;
    };
    const Row rows[] = {
        {"unmasked", frame(1, "hi", true, false), 1002},
        {"too large", frame(2, std::string(5001, 'x')), 1009},
        {"too large in pieces",
         frame(2, std::string(3000, 'x'), false) + frame(0, std::string(3000, 'x')), 1009},
        {"claims to be huge",
         std::string("\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff"
                     "abcd",
                     14),
         1009},
        {"bad UTF-8", frame(1, "\xc0\xaf"), 1007},
        {"unknown opcode", frame(3, "x"), 1002},
        {"reserved bit",
         "\xc1\x80"
         "abcd",
         1002},
        {"fragmented ping", frame(9, "x", false), 1002},
        {"long ping", frame(9, std::string(126, 'x')), 1002},
        {"continues nothing", frame(0, "x"), 1002},
    };
    Outcome outcome;
    WebSocketOptions options;
    options.message_bytes_max = 5000;
    TestServer server(echo_router(outcome, options));
    int expected = 0;
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        auto client = server.connect();
        client.send(std::string(kHandshake) + "\r\n");
        client.until("\r\n\r\n");
        client.send(row.bytes);
        EXPECT_EQ(read_frame(client).close_code(), row.code);
        EXPECT_TRUE(client.closed());
        ++expected;
        EXPECT_TRUE(server.eventually([&] { return outcome.refused == expected; }));
    }
}

TEST(WebSocket, SaysWhatAHandshakeLacks) {
    Outcome outcome;
    TestServer server(echo_router(outcome, {}));
    auto plain = server.connect();
    const auto answer = plain.get("/ws");
    EXPECT_EQ(answer.status, 426);
    EXPECT_EQ(answer.header("Upgrade"), "websocket");
    EXPECT_EQ(plain
                  .get("/ws",
                       "Connection: upgrade\r\nUpgrade: websocket\r\n"
                       "Sec-WebSocket-Version: 8\r\n")
                  .status,
              426);
    EXPECT_EQ(plain
                  .get("/ws",
                       "Connection: upgrade\r\nUpgrade: websocket\r\n"
                       "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n")
                  .status,
              400);
}

TEST(WebSocket, NoticesAClientThatGoesOrFallsSilent) {
    Outcome outcome;
    WebSocketOptions options;
    options.idle_timeout = std::chrono::seconds(1);
    TestServer server(echo_router(outcome, options));
    auto gone = server.connect();
    gone.send(std::string(kHandshake) + "\r\n");
    gone.until("\r\n\r\n");
    gone.close();
    EXPECT_TRUE(server.eventually([&] { return outcome.ended == 1; }));
    EXPECT_EQ(outcome.code, 1006);
    auto silent = server.connect();
    silent.send(std::string(kHandshake) + "\r\n");
    silent.until("\r\n\r\n");
    EXPECT_EQ(read_frame(silent).opcode, 9);  // asked whether it is there
    EXPECT_TRUE(server.eventually([&] { return outcome.ended == 2; }, 4s));
}

TEST(WebSocket, WritesFromSeveralCoroutinesWhole) {
    Router router;
    router.add("GET", "/ws", [](Exchange& e) -> asio::awaitable<void> {
        using namespace asio::experimental::awaitable_operators;
        auto socket = co_await e.accept_websocket();
        const auto writer = [&socket](char c) -> asio::awaitable<void> {
            for (int i = 0; i < 20; ++i) {
                std::string text(50000, c);
                co_await socket.write_text(std::move(text));
            }
        };
        auto all = writer('a') && writer('b') && writer('c');
        co_await std::move(all);
        co_await socket.close();
    });
    TestServer server(std::move(router));
    auto client = server.connect();
    client.send(std::string(kHandshake) + "\r\n");
    client.until("\r\n\r\n");
    for (int i = 0; i < 60; ++i) {
        const auto message = read_message(client);
        ASSERT_EQ(message, std::string(50000, message.empty() ? '?' : message[0]));
    }
}

// A client that takes no bytes must not hold a handler for ever.
TEST(WebSocket, GivesUpOnAClientThatDoesNotRead) {
    std::atomic<bool> gave_up = false;
    Router router;
    router.add("GET", "/ws", [&](Exchange& e) -> asio::awaitable<void> {
        auto socket = co_await e.accept_websocket();
        try {
            for (;;) {
                std::string text(100000, 'x');
                co_await socket.write_text(std::move(text));
            }
        } catch (const ClientGone&) { gave_up = true; }
    });
    ServerOptions options;
    options.write_stall_timeout = 300ms;
    TestServer server(std::move(router), std::move(options));
    auto client = server.connect();
    client.send(std::string(kHandshake) + "\r\n");
    EXPECT_TRUE(server.eventually([&] { return gave_up.load(); }));
}

}  // namespace atl::net::test

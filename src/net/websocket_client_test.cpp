// Goal: the client talks to our own server in both directions at once, and a server that breaks
// the rules gets an Error with words, never a hang or a crash.
#include "net/websocket_client.hpp"
#include "net/problem.hpp"
#include "net/test_support.hpp"

#include <boost/asio/awaitable.hpp>
#include <openssl/evp.h>
#include <vector>

namespace atl::net::test {

namespace {

using Got = std::vector<WebSocketClient::Message>;

// As the command line does it, until `count` messages have come or the other side has gone.
Result<Got> talk(WebSocketClient& socket, std::size_t count) {
    Got got;
    while (got.size() < count && !socket.closed()) {
        if (const auto wrote = socket.flush(); !wrote) return wrote.error();
        auto message = socket.next();
        if (!message) return message.error();
        if (*message) {
            got.push_back(std::move(**message));
            continue;
        }
        if (socket.closed()) break;
        pollfd ready{socket.descriptor(), POLLIN, 0};
        if (socket.pending() > 0) ready.events |= POLLOUT;
        if (::poll(&ready, 1, 10'000) != 1) return Error{Code::Timeout, "nothing came"};
    }
    return got;
}

// A server of one connection that answers with bytes of our choice.
class Scripted {
public:
    explicit Scripted(std::function<void(Client&)> script)
        : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof at;
        EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
        EXPECT_EQ(::listen(listener_.get(), 1), 0);
        EXPECT_EQ(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&at), &size), 0);
        url_ = "http://127.0.0.1:" + std::to_string(ntohs(at.sin_port));
        thread_ = std::thread([this, script = std::move(script)] {
            Client client(UniqueFd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)));
            script(client);
        });
    }
    Scripted(const Scripted&) = delete;
    Scripted& operator=(const Scripted&) = delete;
    ~Scripted() { thread_.join(); }
    [[nodiscard]] const std::string& url() const noexcept { return url_; }

private:
    UniqueFd listener_;
    std::string url_;
    std::thread thread_;
};

// The answer to a handshake (RFC 6455, section 4.2.2), with what follows it in the same bytes.
void accept_client(Client& client, const std::string& then, const std::string& headers = {}) {
    const std::string head = client.until("\r\n\r\n");
    constexpr std::string_view kField = "Sec-WebSocket-Key: ";
    const auto at = head.find(kField);
    ASSERT_NE(at, std::string::npos) << head;
    const std::string text = head.substr(at + kField.size(), 24) +  // 16 bytes in base64
                             "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    unsigned char digest[20];
    ASSERT_EQ(EVP_Digest(text.data(), text.size(), digest, nullptr, EVP_sha1(), nullptr), 1);
    unsigned char accept[29];
    EVP_EncodeBlock(accept, digest, sizeof digest);
    client.send(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
        headers + "Sec-WebSocket-Accept: " + reinterpret_cast<const char*>(accept) + "\r\n\r\n" +
        then);
}

Router answering_router(std::size_t message_bytes_max) {
    Router router;
    router.add("GET", "/front/ws", [=](Exchange& exchange) -> boost::asio::awaitable<void> {
        WebSocketOptions options;
        options.message_bytes_max = message_bytes_max;
        const std::string key(exchange.request().headers.get_or("Authorization", "none"));
        auto socket = co_await exchange.accept_websocket(options);
        std::string greeting = key;
        co_await socket.write_text(std::move(greeting));
        for (;;) {
            auto message = co_await socket.read();
            if (!message) co_return;
            if (message->data == "bye") break;
            if (message->binary) {
                co_await socket.write_binary(std::move(message->data));
            } else {
                co_await socket.write_text(std::move(message->data));
            }
        }
        co_await socket.close(1000, "as you wish");
    });
    return router;
}

constexpr int kSwitchingProtocols = 101;

}  // namespace

TEST(WebSocketClient, TalksBothWaysAtOnce) {
    TestServer server(answering_router(4u << 20));
    const std::string url = "http://127.0.0.1:" + std::to_string(server.port()) + "/front/";
    WebSocketClient socket(url, "secret");
    const auto answer = socket.open("/ws");
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, kSwitchingProtocols);
    EXPECT_TRUE(answer->headers.contains("X-Request-Id"));

    // More than the kernel holds, so that both sides wait for each other to read.
    const std::string large(3u << 20, 'x');
    const std::string piece("\xff\x00piece", 7);
    for (int i = 0; i < 4; ++i) {
        socket.send_binary(large);
        socket.send_binary(piece);
    }
    socket.send_text("words");
    socket.send_text("");
    EXPECT_GT(socket.pending(), 4 * large.size());
    auto got = talk(socket, 11);
    ASSERT_TRUE(got) << got.error().message;
    ASSERT_EQ(got->size(), 11u);
    EXPECT_EQ(got->at(0).data, "Bearer secret");
    EXPECT_FALSE(got->at(0).binary);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_TRUE(got->at(1 + 2 * i).data == large && got->at(1 + 2 * i).binary);
        EXPECT_TRUE(got->at(2 + 2 * i).data == piece && got->at(2 + 2 * i).binary);
    }
    EXPECT_TRUE(got->at(9).data == "words" && !got->at(9).binary);
    EXPECT_EQ(got->at(10).data, "");
    EXPECT_EQ(socket.pending(), 0u);

    socket.send_text("bye");
    got = talk(socket, 1);
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_TRUE(got->empty() && socket.closed());
}

TEST(WebSocketClient, AnswersPingsAndTakesWhatFollowsTheHead) {
    // A long head, and frames in the same bytes: neither may cost the other.
    std::string pong, closing;
    const std::string padding = "X-Padding: " + std::string(3000, 'p') + "\r\n";
    Got messages;
    {
        Scripted server([&](Client& client) {
            accept_client(client,
                          "\x89\x02hi"
                          "\x01\x03spl"
                          "\x80\x02it"
                          "\x82\x7e\x10\x01" +
                              std::string(4097, 'm'),
                          padding);
            pong = client.exactly(8);
            client.send("\x88\x02\x03\xe8");
            closing = client.exactly(8);
        });
        WebSocketClient socket(server.url(), "");
        const auto answer = socket.open("/");
        ASSERT_TRUE(answer) << answer.error().message;
        EXPECT_EQ(answer->headers.get_or("X-Padding", {}).size(), 3000u);
        auto got = talk(socket, 100);
        ASSERT_TRUE(got) << got.error().message;
        messages = std::move(*got);
        EXPECT_TRUE(socket.closed());
    }
    ASSERT_EQ(messages.size(), 2u);
    EXPECT_EQ(messages[0].data, "split");
    EXPECT_EQ(messages[1].data, std::string(4097, 'm'));
    EXPECT_EQ(pong.substr(0, 2), "\x8a\x82");  // masked, as a client must
    EXPECT_EQ(closing.substr(0, 2), "\x88\x82");
}

TEST(WebSocketClient, SaysWhatAServerBroke) {
    const struct {
        const char* name;
        std::string frames;
    } rows[] = {
        {"a reserved bit", "\xc1\x01x"},
        {"a masked message", std::string("\x81\x81\0\0\0\0x", 7)},
        {"too large at once", std::string("\x82\x7f\0\0\0\0\x7f\0\0\0", 10)},
        {"too large in pieces", "\x02\x7e\xff\xff" + std::string(0xffff, 'x')},
        {"a large control frame", std::string("\x89\x7e\x01\x00", 4) + std::string(256, 'x')},
        {"a control frame in pieces", "\x09\x01x"},
        {"a continuation of nothing", "\x80\x01x"},
        {"a message within a message", "\x01\x01x\x81\x01y"},
        {"an unknown kind", "\x83\x01x"},
        {"text that is not UTF-8", "\x81\x01\xff"},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        Scripted server([&](Client& client) {
            accept_client(client, row.frames);
            if (row.name == std::string_view("too large in pieces")) {
                std::string more = row.frames;
                more[0] = '\0';
                for (int i = 0; i < 65 && client.send(more); ++i) {}
            }
            client.closed();
        });
        WebSocketClient socket(server.url(), "");
        ASSERT_TRUE(socket.open("/"));
        const auto got = talk(socket, 1);
        ASSERT_FALSE(got);
        EXPECT_NE(got.error().message.find("violated the WebSocket protocol"), std::string::npos)
            << got.error().message;
    }
}

TEST(WebSocketClient, SaysWhyItCouldNotOpen) {
    const struct {
        const char* name;
        std::string answer;
        const char* complaint;
    } rows[] = {
        {"not HTTP", "SSH-2.0-none\r\n\r\n", "no HTTP server"},
        {"nothing", "", "no HTTP server"},
        {"a head without an end", "HTTP/1.1 200 OK\r\nX: " + std::string(200'000, 'x'),
         "no HTTP server"},
        {"the wrong key",
         "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
         "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
         "does not support WebSocket"},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        Scripted server([&](Client& client) {
            client.until("\r\n\r\n");
            client.send(row.answer);
            client.shutdown_write();
        });
        WebSocketClient socket(server.url(), "");
        const auto answer = socket.open("/");
        ASSERT_FALSE(answer);
        EXPECT_NE(answer.error().message.find(row.complaint), std::string::npos)
            << answer.error().message;
    }
    WebSocketClient bad_key("http://127.0.0.1:1", "a\r\nb");
    EXPECT_EQ(bad_key.open("/").error().code, Code::InvalidArgument);
    WebSocketClient nobody("http://127.0.0.1:1", "");
    EXPECT_EQ(nobody.open("/").error().code, Code::Unavailable);
}

TEST(WebSocketClient, ARefusalIsAnAnswer) {
    TestServer server(answering_router(1000));
    WebSocketClient socket("http://127.0.0.1:" + std::to_string(server.port()), "");
    const auto answer = socket.open("/elsewhere");
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, 404);
    EXPECT_NE(answer->body.find("not_found"), std::string::npos) << answer->body;
}

TEST(WebSocketClient, NoticesAServerThatGoes) {
    Scripted server([&](Client& client) {
        accept_client(client,
                      "\x81\x02on"
                      "\x81\x05part");
    });
    WebSocketClient socket(server.url(), "");
    ASSERT_TRUE(socket.open("/"));
    const auto got = talk(socket, 100);
    ASSERT_TRUE(got) << got.error().message;
    ASSERT_EQ(got->size(), 1u);
    EXPECT_TRUE(socket.closed());
}

}  // namespace atl::net::test

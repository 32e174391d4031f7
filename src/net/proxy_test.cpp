// The proxy between a raw client and an inner server made of raw bytes, either of them hostile.
#include "net/proxy.hpp"

#include "base/as_tuple.hpp"
#include "net/test_support.hpp"

#include <atomic>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace atl::net::test {

namespace asio = boost::asio;

namespace {

class SocketStream final : public ByteStream {
public:
    SocketStream(const asio::any_io_executor& executor, int fd)
        : socket_(executor, asio::local::stream_protocol(), fd) {}
    asio::awaitable<std::size_t> read_some(std::span<char> into) override {
        const auto buffer = asio::buffer(into.data(), into.size());
        auto [error, bytes] = co_await socket_.async_read_some(buffer, kAsTuple);
        if (error == asio::error::eof) co_return 0;
        if (error) throw boost::system::system_error(error);
        co_return bytes;
    }
    asio::awaitable<void> write_all(std::string_view bytes) override {
        const auto buffer = asio::buffer(bytes.data(), bytes.size());
        co_await asio::async_write(socket_, buffer, asio::use_awaitable);
    }
    void shutdown_write() override {
        boost::system::error_code ignored;
        socket_.shutdown(asio::socket_base::shutdown_send, ignored);
    }
    void close() override {
        boost::system::error_code ignored;
        socket_.close(ignored);
    }

private:
    asio::local::stream_protocol::socket socket_;
};

// A proxy whose inner server is `serve`, run once a request on a thread of its own.
class ProxyServer {
public:
    using Inner = std::function<void(Client&)>;
    explicit ProxyServer(Inner serve) : serve_(std::move(serve)), server_(router()) {}
    ProxyServer(const ProxyServer&) = delete;
    ProxyServer& operator=(const ProxyServer&) = delete;
    ~ProxyServer() {
        server_.stop(200ms);
        for (auto& thread : threads_) thread.join();
    }
    Client connect() { return server_.connect(); }
    TestServer& server() { return server_; }

private:
    Router router() {
        Router made;
        const Handler handler = [this](Exchange& e) -> asio::awaitable<void> {
            int ends[2];
            EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
            threads_.emplace_back([this, fd = ends[1]] {
                Client inner((UniqueFd(fd)));
                serve_(inner);
            });
            auto stream = std::make_unique<SocketStream>(e.executor(), ends[0]);
            ProxyOptions options;
            options.target = "/" + e.request().parameter("path") + "?x=1";
            options.host = "localhost:8080";
            options.prefix = "/p";
            options.header_bytes_max = 4096;
            options.headers_max = 20;
            options.request_bytes_max = 4u << 20;
            options.answer_timeout = 700ms;
            options.added_response_headers = {{"Content-Security-Policy", "sandbox"}};
            co_await proxy(e, std::move(stream), std::move(options));
        };
        for (const char* method : {"GET", "POST", "HEAD"})
            made.add(method, "/p/{path...}", handler);
        return made;
    }

    Inner serve_;
    std::vector<std::thread> threads_;
    TestServer server_;
};

}  // namespace

TEST(Proxy, PassesARequestOnWithoutOurSecrets) {
    std::string seen;
    ProxyServer proxied([&](Client& inner) {
        seen = inner.until("\r\n\r\n");
        inner.send(
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Guest: yes\r\nConnection: X-Hop\r\nX-Hop: "
            "1\r\n"
            "Strict-Transport-Security: max-age=9\r\nContent-Security-Policy: none\r\n\r\nhello");
    });
    auto client = proxied.connect();
    const auto answer =
        client.get("/p/a/b",
                   "Authorization: Bearer secret\r\nCookie: s=1\r\nX-Forwarded-For: 6.6.6.6\r\n"
                   "Connection: X-Mine\r\nX-Mine: 1\r\nAccept: text/html\r\nTE: trailers\r\n");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "hello");
    EXPECT_EQ(answer.header("X-Guest"), "yes");
    EXPECT_EQ(answer.header("X-Hop"), "");
    EXPECT_EQ(answer.header("Strict-Transport-Security"), "");
    EXPECT_EQ(answer.header("Content-Security-Policy"), "sandbox");
    EXPECT_EQ(seen.rfind("GET /a/b?x=1 HTTP/1.1\r\nHost: localhost:8080\r\n", 0), 0u) << seen;
    for (const char* text :
         {"Accept: text/html", "X-Forwarded-For: 127.0.0.1", "X-Forwarded-Host: test",
          "X-Forwarded-Proto: http", "X-Forwarded-Prefix: /p", "Connection: close"}) {
        EXPECT_NE(seen.find(text), std::string::npos) << text;
    }
    for (const char* text :
         {"secret", "Cookie", "6.6.6.6", "X-Mine", "trailers", "Host: test\r\n\r\n"}) {
        EXPECT_EQ(seen.find(text), std::string::npos) << text;
    }
    EXPECT_EQ(client.get("/p/again").status, 200);  // the client's connection goes on
}

TEST(Proxy, PassesEveryFramingBack) {
    struct Row {
        const char* name;
        std::string answer;
        std::string body;
    };
    const std::string big(300000, 'b');
    const Row rows[] = {
        {"length", "HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + big, big},
        {"chunks",
         "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n493E0\r\n" + big +
             "\r\n0\r\nT: 1\r\n\r\n",
         "abc" + big},
        {"until the end", "HTTP/1.1 200 OK\r\n\r\n" + big, big},
        {"interim first",
         "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
         "HTTP/1.0 200 OK\r\n\r\nlast",
         "last"},
        {"nothing", "HTTP/1.1 204 No Content\r\n\r\n", ""},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        ProxyServer proxied([&](Client& inner) {
            inner.until("\r\n\r\n");
            inner.send(row.answer);
        });
        auto client = proxied.connect();
        const auto answer = client.get("/p/x");
        EXPECT_TRUE(answer.complete);
        EXPECT_TRUE(answer.body == row.body);
    }
}

TEST(Proxy, StreamsUploadsAndEarlyAnswers) {
    ProxyServer counts([](Client& inner) {
        const auto head = inner.until("\r\n\r\n");
        std::string body;
        if (head.find("chunked") != std::string::npos) {
            body = inner.until("0\r\n\r\n");
        } else {
            body = inner.exactly(3000000);
        }
        inner.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + std::to_string(body.size()));
    });
    auto client = counts.connect();
    client.send("POST /p/up HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n" +
                std::string(3000000, 'x'));
    EXPECT_EQ(client.answer().body, "3000000");
    auto chunked = counts.connect();
    chunked.send(
        "POST /p/up HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3\r\nabc\r\n0\r\n\r\n");
    EXPECT_EQ(chunked.answer().body, "13");  // framed anew: "3\r\nabc\r\n0\r\n\r\n"
    auto large = counts.connect();
    large.send("POST /p/up HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n");
    EXPECT_EQ(large.answer().status, 413);

    ProxyServer early([](Client& inner) {
        inner.until("\r\n\r\n");
        inner.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
    });
    auto refused = early.connect();
    refused.send("POST /p/up HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\nsome");
    const auto answer = refused.answer();
    EXPECT_EQ(answer.status, 403);
    EXPECT_EQ(answer.body, "no");
    EXPECT_TRUE(refused.closed());
}

TEST(Proxy, TurnsBadAnswersIntoSentences) {
    struct Row {
        const char* name;
        std::string answer;
        int status;
    };
    std::string many = "HTTP/1.1 200 OK\r\n";
    for (int i = 0; i < 30; ++i) many += "A: 1\r\n";
    const Row rows[] = {
        {"nothing", "", 502},
        {"no HTTP", "SSH-2.0-OpenSSH\r\n", 502},
        {"half a head", "HTTP/1.1 200 OK\r\nX: ", 502},
        {"a huge head", "HTTP/1.1 200 OK\r\nX: " + std::string(10000, 'x'), 502},
        {"too many", many + "\r\n", 502},
        {"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 502},
        {"split", "HTTP/1.1 200 OK\r\nX: a\n b\r\n\r\n", 502},
        {"out of range", "HTTP/1.1 999 Odd\r\n\r\n", 502},
        {"unasked upgrade", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", 502},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        ProxyServer proxied([&](Client& inner) {
            inner.until("\r\n\r\n");
            inner.send(row.answer);
        });
        auto client = proxied.connect();
        const auto answer = client.get("/p/x");
        EXPECT_EQ(answer.status, row.status);
        EXPECT_NE(answer.body.find("the server in the sandbox"), std::string::npos) << answer.body;
    }
    ProxyServer endless([](Client& inner) {
        inner.until("\r\n\r\n");
        while (inner.send("HTTP/1.1 100 Continue\r\n\r\n")) {}
    });
    EXPECT_EQ(endless.connect().get("/p/x").status, 502);
    ProxyServer silent([](Client& inner) { inner.rest(); });
    EXPECT_EQ(silent.connect().get("/p/x").status, 504);
}

TEST(Proxy, NeverCompletesWhatTheGuestDidNot) {
    for (const std::string answer : {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
                                     "HTTP/1.1 200 OK\r\n"
                                     "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
                                     "HTTP/1.1 200 OK\r\n"
                                     "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n"}) {
        ProxyServer proxied([&](Client& inner) {
            inner.until("\r\n\r\n");
            inner.send(answer);
        });
        const auto got = proxied.connect().get("/p/x");
        EXPECT_EQ(got.status, 200);
        EXPECT_FALSE(got.complete);
    }
}

TEST(Proxy, TunnelsUpgradesBothWays) {
    ProxyServer proxied([](Client& inner) {
        const auto head = inner.until("\r\n\r\n");
        EXPECT_NE(head.find("Upgrade: websocket"), std::string::npos);
        EXPECT_NE(head.find("Connection: Upgrade"), std::string::npos);
        EXPECT_NE(head.find("Sec-WebSocket-Key: k"), std::string::npos);
        inner.send(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Accept: a\r\n\r\nfirst");
        for (;;) {
            const auto piece = inner.exactly(4);
            if (piece.empty()) break;
            inner.send("<" + piece + ">");
        }
        inner.send("bye");
    });
    auto client = proxied.connect();
    client.send(
        "GET /p/ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Key: k\r\nSec-WebSocket-Version: 13\r\n\r\nping");
    const auto head = client.until("\r\n\r\n");
    EXPECT_EQ(head.rfind("HTTP/1.1 101", 0), 0u);
    EXPECT_NE(head.find("Sec-WebSocket-Accept: a"), std::string::npos);
    EXPECT_EQ(client.until(">"), "first<ping>");
    client.send("pong");
    EXPECT_EQ(client.until(">"), "<pong>");
    client.shutdown_write();
    EXPECT_EQ(client.rest(), "bye");
    EXPECT_TRUE(proxied.server().eventually(
        [&] { return proxied.server().server().counts().exchanges == 0; }));
}

TEST(Proxy, LetsGoOfTheGuestWhenTheClientGoes) {
    std::atomic<bool> ended = false;
    ProxyServer proxied([&](Client& inner) {
        inner.until("\r\n\r\n");
        inner.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n");
        ended = inner.closed();
    });
    auto client = proxied.connect();
    client.send("GET /p/events HTTP/1.1\r\nHost: a\r\n\r\n");
    client.until("data: 1");
    EXPECT_FALSE(ended);
    client.close();
    EXPECT_TRUE(proxied.server().eventually([&] { return ended.load(); }));
    EXPECT_TRUE(proxied.server().eventually(
        [&] { return proxied.server().server().counts().exchanges == 0; }));
}

TEST(Proxy, AnswersHead) {
    ProxyServer proxied([](Client& inner) {
        EXPECT_EQ(inner.until("\r\n\r\n").rfind("HEAD ", 0), 0u);
        inner.send("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n");
    });
    auto client = proxied.connect();
    client.send("HEAD /p/x HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto answer = client.answer(true);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.header("Content-Length"), "1234");
}

}  // namespace atl::net::test

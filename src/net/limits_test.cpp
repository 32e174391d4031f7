// Clients that mean harm: slow, endless, malformed, too many. Others must be served meanwhile.
#include "net/problem.hpp"
#include "net/test_support.hpp"

#include <random>

namespace atl::net::test {

namespace asio = boost::asio;

namespace {

asio::awaitable<void> say(Exchange& exchange, std::string text) {
    auto response = Response::text(200, std::move(text));
    co_await exchange.respond(std::move(response));
}

Router sample_router() {
    Router router;
    router.add("GET", "/hello", [](Exchange& e) { return say(e, "hello"); });
    router.add("GET", "/big", [](Exchange& e) { return say(e, std::string(1u << 20, 'x')); });
    router.add("POST", "/count", [](Exchange& e) -> asio::awaitable<void> {
        std::size_t sum = 0;
        for (;;) {
            const auto piece = co_await e.read_some(3000);
            if (piece.empty()) break;
            sum += piece.size();
        }
        co_await say(e, std::to_string(sum));
    });
    return router;
}

ServerOptions impatient() {
    ServerOptions options;
    options.header_timeout = 300ms;
    options.idle_timeout = 400ms;
    options.body_stall_timeout = 300ms;
    options.write_stall_timeout = 300ms;
    options.header_bytes_max = 4096;
    options.headers_max = 20;
    return options;
}

}  // namespace

TEST(Limits, SlowHeadsAreGivenUp) {
    TestServer server(sample_router(), impatient());
    auto silent = server.connect();
    auto slow = server.connect();
    const std::string head = "GET /hello HTTP/1.1\r\nHost: a\r\nX-Slow: ";
    const auto began = std::chrono::steady_clock::now();
    for (const char c : head) {
        if (!slow.send(std::string(1, c))) break;
        std::this_thread::sleep_for(15ms);
        if (std::chrono::steady_clock::now() - began > 450ms) break;
    }
    EXPECT_EQ(slow.answer().status, 408);
    EXPECT_TRUE(silent.closed());
    auto idle = server.connect();
    EXPECT_EQ(idle.get("/hello").status, 200);
    const auto quiet = std::chrono::steady_clock::now();
    EXPECT_TRUE(idle.closed(2s));
    EXPECT_GE(std::chrono::steady_clock::now() - quiet, 350ms);
    EXPECT_TRUE(server.eventually([&] { return server.server().counts().connections == 0; }));
}

TEST(Limits, SlowBodiesAreGivenUp) {
    auto options = impatient();
    options.body_bytes_per_second_min = 10000;
    options.body_rate_grace = 400ms;
    TestServer server(sample_router(), std::move(options));
    auto stalled = server.connect();
    stalled.send("POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
    EXPECT_EQ(stalled.answer().status, 408);
    auto dripping = server.connect();
    dripping.send("POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n");
    for (int i = 0; i < 10; ++i) {
        dripping.send("x");
        std::this_thread::sleep_for(100ms);
    }
    EXPECT_EQ(dripping.answer().status, 408);
}

TEST(Limits, AClientThatNeverReadsIsDropped) {
    TestServer server(sample_router(), impatient());
    auto client = server.connect();
    std::string many;
    for (int i = 0; i < 100; ++i) many += "GET /big HTTP/1.1\r\nHost: a\r\n\r\n";
    client.send(many);
    EXPECT_EQ(server.connect().get("/hello").status, 200);
    EXPECT_TRUE(server.eventually([&] { return server.server().counts().connections == 0; }));
}

TEST(Limits, HeadsHaveASize) {
    TestServer server(sample_router(), impatient());
    const std::string start = "GET /hello HTTP/1.1\r\nHost: a\r\n";
    auto large = server.connect();
    large.send(start + "X: " + std::string(5000, 'x'));
    EXPECT_EQ(large.answer().status, 431);
    auto pieces = server.connect();
    pieces.send(start);
    for (int i = 0; i < 200 && pieces.send("X: " + std::string(40, 'x') + "\r\n"); ++i) {}
    EXPECT_EQ(pieces.answer().status, 431);
    auto many = server.connect();
    std::string fields;
    for (int i = 0; i < 30; ++i) fields += "A" + std::to_string(i) + ": 1\r\n";
    EXPECT_EQ(many.get("/hello", fields).status, 431);
    auto line = server.connect();
    line.send("GET /" + std::string(5000, 'a'));
    EXPECT_EQ(line.answer().status, 431);
    auto enough = server.connect();
    EXPECT_EQ(enough.get("/hello", "X: " + std::string(3900, 'x') + "\r\n").status, 200);
}

TEST(Limits, TooManyConnectionsAreToldSo) {
    auto options = impatient();
    options.idle_timeout = 10s;
    options.connections_max = 8;
    options.connections_per_address_max = 4;
    options.makes_room_after = 1min;
    TestServer server(sample_router(), std::move(options));
    std::vector<Client> held;
    for (int i = 0; i < 4; ++i) {
        held.push_back(server.connect());
        EXPECT_EQ(held.back().get("/hello").status, 200);
    }
    auto extra = server.connect();
    const auto refused = extra.get("/hello");
    EXPECT_EQ(refused.status, 503);
    EXPECT_TRUE(refused.complete);
    EXPECT_EQ(refused.header("Retry-After"), "1");
    EXPECT_EQ(server.counts().connections_refused, 1u);
    held.pop_back();
    ASSERT_TRUE(server.eventually([&] { return server.server().counts().connections == 3; }));
    EXPECT_EQ(server.connect().get("/hello").status, 200);
    EXPECT_EQ(held[0].get("/hello").status, 200);
}

TEST(Limits, ABodyIsNotMadeOfChunkExtensions) {
    TestServer server(sample_router(), impatient());
    const std::string post =
        "POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    const std::string chunk = "1;" + std::string(1000, 'x') + "\r\ny\r\n";
    auto few = server.connect();
    few.send(post + chunk + chunk + "0\r\n\r\n");
    EXPECT_EQ(few.answer().body, "2");
    auto many = server.connect();
    many.send(post);
    for (int i = 0; i < 200 && many.send(chunk); ++i) {}
    EXPECT_EQ(many.answer().status, 400);
}

// One-byte chunks with extensions are a hundred times the work of what they decode to. All of it
// counts against the turn of their connection, so that others get theirs.
TEST(Limits, WhatChunksCostIsChargedAndNotWhatTheyHold) {
    TestServer server(sample_router(), impatient());
    auto many = server.connect();
    many.send("POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "1;" + std::string(100, 'x') + "\r\ny\r\n";
    constexpr std::size_t kChunks = 300;
    std::size_t sent = 0;
    const auto send_half = [&] {
        for (std::size_t i = 0; i < kChunks / 2; ++i) {
            ASSERT_TRUE(many.send(chunk));
            sent += chunk.size();
        }
    };
    send_half();
    // All that has come is charged, and in the middle of it somebody else is served.
    EXPECT_TRUE(server.eventually([&] { return server.server().counts().bytes_charged >= sent; }));
    EXPECT_EQ(server.connect().get("/hello").status, 200);
    send_half();
    many.send("0\r\n\r\n");
    EXPECT_EQ(many.answer().body, std::to_string(kChunks));
    const auto charged = server.counts().bytes_charged;
    EXPECT_GE(charged, sent);
    EXPECT_GT(charged, 100 * kChunks);
}

TEST(Limits, AmbiguousRequestsEndTheConnection) {
    const std::string post = "POST /count HTTP/1.1\r\nHost: a\r\n";
    const std::string smuggled = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";
    const std::string rows[] = {
        post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled,
        post + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + smuggled,
        post + "Content-Length: 0\r\nContent-Length: 44\r\n\r\n" + smuggled,
        post + "Transfer-Encoding: xchunked\r\n\r\n" + smuggled,
        post + "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n" + smuggled,
        post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + smuggled,
        post + "X: y\nContent-Length: 44\r\n\r\n" + smuggled,
        post + "Transfer-Encoding: chunked\r\n\r\n0\r\n\n" + smuggled,
        post + "Transfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n0\r\n\r\n" + smuggled,
        post + "Content-Length: -1\r\n\r\n" + smuggled,
        "GET http://other/hello HTTP/1.1\r\nHost: a\r\n\r\n" + smuggled,
        "GET /hello HTTP/1.1\r\nHost: a b\r\n\r\n" + smuggled,
        "GET /hello HTTP/1.1\r\nHost: a/../b\r\n\r\n" + smuggled,
        "GET /hello HTTP/1.1\r\nHost: [::1].evil.example\r\n\r\n" + smuggled,
        "GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n" + smuggled,
        "GET hello HTTP/1.1\r\nHost: a\r\n\r\n" + smuggled,
        "GET * HTTP/1.1\r\nHost: a\r\n\r\n" + smuggled,
        "CONNECT other:443 HTTP/1.1\r\nHost: other:443\r\n\r\n" + smuggled,
        "\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\n" + smuggled,
        "GET /hello HTTP/1.1 \r\nHost: a\r\n\r\n" + smuggled,
        "GET  /hello HTTP/1.1\r\nHost: a\r\n\r\n" + smuggled,
        "GET /hello\r\n\r\n" + smuggled,
    };
    TestServer server(sample_router(), impatient());
    for (const auto& row : rows) {
        SCOPED_TRACE(row);
        auto client = server.connect();
        client.send(row);
        const auto answer = client.answer();
        EXPECT_GE(answer.status, 400);
        EXPECT_EQ(answer.header("Connection"), "close");
        EXPECT_EQ(client.rest(), "");  // the request behind it was not served
    }
}

// Goal: whatever comes, the server answers or closes, and lives. Method: requests mangled at random
// on real connections, several at once, the server checked between.
TEST(Limits, NonsenseDoesNoHarm) {
    TestServer server(sample_router(), impatient());
    std::mt19937 random(11);
    const std::string seeds[] = {
        "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
        "POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
        "chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        "GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    };
    for (int round = 0; round < 60; ++round) {
        std::vector<Client> clients;
        for (int i = 0; i < 10; ++i) {
            std::string text = seeds[random() % 4] + seeds[random() % 4];
            for (unsigned k = 0; k < 1 + random() % 6; ++k) {
                const auto at = random() % text.size();
                switch (random() % 4) {
                    case 0: text[at] = static_cast<char>(random()); break;
                    case 1: text.insert(at, 1, static_cast<char>(random())); break;
                    case 2: text.erase(at, 1 + random() % 5); break;
                    default: text.insert(at, text.substr(random() % text.size(), 20)); break;
                }
            }
            clients.push_back(server.connect());
            clients.back().send(text);
            if (random() % 2 == 0) clients.back().shutdown_write();
            if (random() % 5 == 0) clients.back().close();
        }
        ASSERT_EQ(server.connect().get("/hello").body, "hello");
    }
    EXPECT_TRUE(server.eventually([&] { return server.server().counts().connections == 0; }));
    EXPECT_EQ(server.counts().exchanges, 0u);
}

}  // namespace atl::net::test

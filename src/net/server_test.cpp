// Whole requests over real sockets: answers, errors, bodies, files, events, hang-ups, stopping.
#include "base/as_tuple.hpp"
#include "net/problem.hpp"
#include "net/test_support.hpp"

#include <atomic>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <zstd.h>

namespace atl::net::test {

namespace asio = boost::asio;

namespace {

asio::awaitable<void> pause(std::chrono::milliseconds time) {
    asio::steady_timer timer(co_await asio::this_coro::executor, time);
    co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<void> say(Exchange& exchange, std::string text) {
    auto response = Response::text(200, std::move(text));
    co_await exchange.respond(std::move(response));
}

// What the tests below talk to.
Router sample_router() {
    Router router;
    router.add("GET", "/hello", [](Exchange& e) { return say(e, "hello"); });
    router.add("GET", "/echo/{id}",
               [](Exchange& e) { return say(e, e.request().parameter("id")); });
    router.add("GET", "/text/{size}", [](Exchange& e) -> asio::awaitable<void> {
        std::string text;
        const auto size = std::stoul(e.request().parameter("size"));
        while (text.size() < size) text += "the same line again\n";
        auto response = Response::text(200, std::move(text));
        response.headers.set("ETag", "\"t\"");
        co_await e.respond(std::move(response));
    });
    router.add("POST", "/body", [](Exchange& e) -> asio::awaitable<void> {
        auto body = co_await e.read_body(1000);
        co_await say(e, std::to_string(body.size()) + ":" + body.substr(0, 20));
    });
    router.add("POST", "/unread", [](Exchange& e) { return say(e, "did not look"); });
    router.add("POST", "/count", [](Exchange& e) -> asio::awaitable<void> {
        std::size_t sum = 0;
        for (;;) {
            const auto piece = co_await e.read_some(3000);
            if (piece.empty()) break;
            sum += piece.size();
        }
        co_await say(e, std::to_string(sum));
    });
    router.add("GET", "/stream", [](Exchange& e) -> asio::awaitable<void> {
        Headers headers{{"Content-Type", "text/plain"}};
        co_await e.begin(200, std::move(headers));
        co_await e.write("one ");
        co_await pause(5ms);
        co_await e.write("two");
        co_await e.end();
    });
    router.add("GET", "/fail/{how}", [](Exchange& e) -> asio::awaitable<void> {
        const auto& how = e.request().parameter("how");
        if (how == "error") throw ErrorException({Code::Conflict, "it is running already"});
        if (how == "rate") {
            throw Problem(Code::RateLimited, "slowly").with_retry_after(std::chrono::seconds(3));
        }
        if (how == "bug") throw std::runtime_error("secret detail");
        if (how == "odd") throw 42;
        if (how == "silent") co_return;
        if (how == "header") {
            Response response{200, {{"X-A", "b\r\nSet-Cookie: c=d"}}, "x"};
            co_await e.respond(std::move(response));
        }
        if (how == "late") {
            co_await e.begin(200, Headers());
            co_await e.write("some");
            throw ErrorException({Code::Internal, "too late"});
        }
        if (how == "short") {
            co_await e.begin(200, Headers(), 10);
            co_await e.write("some");
            co_await e.end();
        }
    });
    return router;
}

}  // namespace

TEST(Server, AnswersAndKeepsTheConnection) {
    TestServer server(sample_router());
    auto client = server.connect();
    for (int i = 0; i < 3; ++i) {
        const auto answer = client.get("/hello");
        EXPECT_EQ(answer.status, 200);
        EXPECT_EQ(answer.body, "hello");
        EXPECT_EQ(answer.header("Content-Length"), "5");
        EXPECT_EQ(answer.header("X-Request-Id").size(), 16u);
        EXPECT_NE(answer.header("Date").find(" GMT"), std::string::npos);
    }
    EXPECT_EQ(client.get("/echo/a%2Fb%20c").body, "a/b c");
    EXPECT_EQ(client.get("/hello", "X-Request-Id: abc-1\r\n").header("X-Request-Id"), "abc-1");
    EXPECT_NE(client.get("/hello", "X-Request-Id: a b\r\n").header("X-Request-Id"), "a b");
    EXPECT_EQ(server.counts().connections, 1u);
    EXPECT_EQ(server.counts().requests_total, 6u);
}

TEST(Server, AnswersPipelinedRequestsInOrder) {
    TestServer server(sample_router());
    auto client = server.connect();
    std::string all;
    for (int i = 0; i < 500; ++i) {
        all += "GET /echo/" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\n\r\n";
        all += "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
    }
    std::thread writer([&] { client.send(all); });
    for (int i = 0; i < 500; ++i) {
        ASSERT_EQ(client.answer().body, std::to_string(i));
        ASSERT_EQ(client.answer().body, "3:abc");
    }
    writer.join();
}

TEST(Server, ClosesWhenAskedAndSpeaksHttp10) {
    TestServer server(sample_router());
    auto client = server.connect();
    const auto answer = client.get("/hello", "Connection: close\r\n");
    EXPECT_EQ(answer.header("Connection"), "close");
    EXPECT_TRUE(client.closed(1s));
    auto old = server.connect();
    old.send("GET /stream HTTP/1.0\r\n\r\n");
    const auto streamed = old.answer();
    EXPECT_EQ(streamed.header("Transfer-Encoding"), "");
    EXPECT_EQ(streamed.body, "one two");
    EXPECT_TRUE(streamed.complete);
    auto kept = server.connect();
    for (int i = 0; i < 2; ++i) {
        kept.send("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        EXPECT_EQ(kept.answer().header("Connection"), "keep-alive");
    }
}

TEST(Server, RoutesMethods) {
    TestServer server(sample_router());
    auto client = server.connect();
    client.send("HEAD /hello HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto head = client.answer(true);
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.header("Content-Length"), "5");
    client.send("HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.answer(true).status, 200);
    client.send("DELETE /hello HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto wrong = client.answer();
    EXPECT_EQ(wrong.status, 405);
    EXPECT_EQ(wrong.header("Allow"), "GET, HEAD, OPTIONS");
    client.send("OPTIONS /body HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto options = client.answer();
    EXPECT_EQ(options.status, 204);
    EXPECT_EQ(options.header("Allow"), "POST, OPTIONS");
    client.send("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.answer().status, 204);
    EXPECT_EQ(client.get("/nowhere").status, 404);
    EXPECT_EQ(client.get("/hello").status, 200);
}

TEST(Server, TurnsFailuresIntoProblems) {
    struct Row {
        const char* how;
        int status;
        const char* says;
    };
    const Row rows[] = {
        {"error", 409, R"("code":"conflict","detail":"it is running already")"},
        {"rate", 429, R"("code":"rate_limited","detail":"slowly")"},
        {"bug", 500, R"("code":"internal","detail":"the server failed on this request")"},
        {"odd", 500, R"("code":"internal")"},
        {"silent", 500, R"("code":"internal")"},
        {"header", 500, R"("code":"internal")"},
    };
    TestServer server(sample_router());
    auto client = server.connect();
    for (const auto& row : rows) {
        SCOPED_TRACE(row.how);
        const auto answer = client.get(std::string("/fail/") + row.how);
        EXPECT_EQ(answer.status, row.status);
        EXPECT_EQ(answer.header("Content-Type"), "application/problem+json");
        EXPECT_NE(answer.body.find(row.says), std::string::npos) << answer.body;
        EXPECT_NE(answer.body.find(answer.header("X-Request-Id")), std::string::npos);
        EXPECT_EQ(answer.body.find("secret"), std::string::npos);
        EXPECT_EQ(answer.header("Set-Cookie"), "");
        EXPECT_EQ(answer.header("Retry-After"), row.status == 429 ? "3" : "");
    }
    EXPECT_EQ(client.get("/hello").status, 200);
}

TEST(Server, NeverLetsAFailedAnswerLookComplete) {
    TestServer server(sample_router());
    for (const char* how : {"late", "short"}) {
        auto client = server.connect();
        const auto answer = client.get(std::string("/fail/") + how);
        EXPECT_EQ(answer.status, 200);
        EXPECT_FALSE(answer.complete);
        auto old = server.connect();  // no length at all: only a reset tells
        old.send("GET /fail/late HTTP/1.0\r\n\r\n");
        EXPECT_FALSE(old.answer().complete);
        EXPECT_TRUE(old.was_reset());
    }
}

TEST(Server, ReadsBodies) {
    TestServer server(sample_router());
    auto client = server.connect();
    const auto post = [&](const std::string& path, const std::string& rest) {
        client.send("POST " + path + " HTTP/1.1\r\nHost: a\r\n" + rest);
        return client.answer();
    };
    EXPECT_EQ(post("/body", "Content-Length: 5\r\n\r\nhello").body, "5:hello");
    EXPECT_EQ(post("/body", "\r\n").body, "0:");
    EXPECT_EQ(post("/body", "Content-Length: 0\r\n\r\n").body, "0:");
    EXPECT_EQ(
        post("/body", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n").body,
        "5:abcde");
    std::string chunks;
    for (int i = 0; i < 3000; ++i) chunks += "5\r\nabcde\r\n";
    EXPECT_EQ(post("/count", "Transfer-Encoding: chunked\r\n\r\n" + chunks + "0\r\n\r\n").body,
              "15000");
    EXPECT_EQ(post("/count", "Content-Length: 100000\r\n\r\n" + std::string(100000, 'x')).body,
              "100000");
    // Small and unread: dropped, and the connection goes on. The last byte of it is no request.
    EXPECT_EQ(post("/unread", "Content-Length: 4\r\n\r\nGET ").body, "did not look");
    EXPECT_EQ(client.get("/hello").body, "hello");
    EXPECT_EQ(server.counts().connections_total, 1u);
}

TEST(Server, AsksForABodyThatWaits) {
    TestServer server(sample_router());
    auto client = server.connect();
    client.send(
        "POST /body HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
    EXPECT_EQ(client.answer().status, 100);
    client.send("abc");
    EXPECT_EQ(client.answer().body, "3:abc");
    client.send(
        "POST /body HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5000\r\n\r\n");
    const auto refused = client.answer();
    EXPECT_EQ(refused.status, 413);  // before a byte of it was sent
    EXPECT_EQ(refused.header("Connection"), "close");
    auto other = server.connect();
    other.send("POST /body HTTP/1.1\r\nHost: a\r\nExpect: magic\r\nContent-Length: 3\r\n\r\n");
    EXPECT_EQ(other.answer().status, 417);
}

TEST(Server, RefusesBodiesOverTheLimit) {
    ServerOptions options;
    options.body_bytes_max = 50000;
    TestServer server(sample_router(), std::move(options));
    auto declared = server.connect();
    // The client is still sending when the answer comes, and reads it all the same.
    declared.send("POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n");
    std::thread writer([&] { declared.send(std::string(3000000, 'x')); });
    EXPECT_EQ(declared.answer().status, 413);
    writer.join();
    auto chunked = server.connect();
    chunked.send("POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nC351\r\n" +
                 std::string(50001, 'x') + "\r\n0\r\n\r\n");
    EXPECT_EQ(chunked.answer().status, 413);
    auto broken = server.connect();
    broken.send("POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n");
    EXPECT_EQ(broken.answer().status, 400);
    EXPECT_TRUE(broken.closed());
    auto ended = server.connect();
    ended.send("POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
    ended.shutdown_write();
    EXPECT_EQ(ended.answer().status, 400);
}

TEST(Server, CompressesTextForWhoTakesIt) {
    TestServer server(sample_router());
    auto client = server.connect();
    const auto plain = client.get("/text/5000");
    EXPECT_EQ(plain.header("Content-Encoding"), "");
    EXPECT_EQ(plain.header("Vary"), "Accept-Encoding");
    EXPECT_EQ(plain.header("ETag"), "\"t\"");
    const auto zstd = client.get("/text/5000", "Accept-Encoding: gzip, zstd\r\n");
    EXPECT_EQ(zstd.header("Content-Encoding"), "zstd");
    EXPECT_EQ(zstd.header("ETag"), "W/\"t\"");
    std::string back(plain.body.size() + 1, '\0');
    back.resize(ZSTD_decompress(back.data(), back.size(), zstd.body.data(), zstd.body.size()));
    EXPECT_EQ(back, plain.body);
    EXPECT_EQ(client.get("/text/5000", "Accept-Encoding: gzip\r\n").header("Content-Encoding"),
              "gzip");
    EXPECT_EQ(client.get("/text/500", "Accept-Encoding: gzip\r\n").header("Content-Encoding"), "");
    EXPECT_EQ(client.get("/text/3000000", "Accept-Encoding: gzip\r\n").header("Content-Encoding"),
              "gzip");
    client.send("HEAD /text/5000 HTTP/1.1\r\nHost: a\r\nAccept-Encoding: zstd\r\n\r\n");
    EXPECT_EQ(client.answer(true).header("Content-Length"), std::to_string(zstd.body.size()));
}

TEST(Server, StreamsInChunks) {
    TestServer server(sample_router());
    auto client = server.connect();
    const auto answer = client.get("/stream");
    EXPECT_EQ(answer.header("Transfer-Encoding"), "chunked");
    EXPECT_EQ(answer.body, "one two");
    EXPECT_TRUE(answer.complete);
    EXPECT_EQ(client.get("/hello").status, 200);
}

TEST(Server, SendsFilesAndRanges) {
    const UniqueFd file(::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    ASSERT_TRUE(file);
    std::string content(3u << 20, '\0');
    for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 31 / 7);
    ASSERT_EQ(::write(file.get(), content.data(), content.size()),
              static_cast<ssize_t>(content.size()));
    Router router;
    router.add("GET", "/file", [&](Exchange& e) -> asio::awaitable<void> {
        FileOptions options;
        options.headers = {{"Content-Type", "application/octet-stream"}, {"ETag", "\"v1\""}};
        co_await e.send_file(file.get(), content.size(), std::move(options));
    });
    router.add("GET", "/shrunk", [&](Exchange& e) -> asio::awaitable<void> {
        FileOptions options;
        co_await e.send_file(file.get(), content.size() + 1, std::move(options));
    });
    TestServer server(std::move(router));
    auto client = server.connect();
    const auto whole = client.get("/file");
    EXPECT_EQ(whole.status, 200);
    EXPECT_EQ(whole.header("Accept-Ranges"), "bytes");
    EXPECT_TRUE(whole.body == content);
    const auto part = client.get("/file", "Range: bytes=1000-1000999\r\n");
    EXPECT_EQ(part.status, 206);
    EXPECT_EQ(part.header("Content-Range"), "bytes 1000-1000999/3145728");
    EXPECT_TRUE(part.body == content.substr(1000, 1000000));
    const auto small = client.get("/file", "Range: bytes=-100\r\nIf-Range: \"v1\"\r\n");
    EXPECT_EQ(small.status, 206);
    EXPECT_TRUE(small.body == content.substr(content.size() - 100));
    EXPECT_EQ(client.get("/file", "Range: bytes=0-1\r\nIf-Range: \"v0\"\r\n").status, 200);
    const auto beyond = client.get("/file", "Range: bytes=3145728-\r\n");
    EXPECT_EQ(beyond.status, 416);
    EXPECT_EQ(beyond.header("Content-Range"), "bytes */3145728");
    EXPECT_EQ(client.get("/file", "If-None-Match: \"v1\"\r\n").status, 304);
    client.send("HEAD /file HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.answer(true).header("Content-Length"), "3145728");
    EXPECT_FALSE(client.get("/shrunk").complete);
}

TEST(Server, StreamsEvents) {
    Router router;
    router.add("GET", "/events", [](Exchange& e) -> asio::awaitable<void> {
        EventOptions options;
        options.heartbeat = 50ms;
        options.retry = 1000ms;
        const std::string seen(e.last_event_id());
        auto events = co_await e.begin_events(std::move(options));
        EventStream::Event first{"after " + seen + "\nsecond line\r\nthird", "tick", "7"};
        co_await events.send(std::move(first));
        co_await pause(300ms);
        EventStream::Event last{"{}", "", ""};
        co_await events.send(std::move(last));
        co_await events.end();
    });
    router.add("GET", "/bad", [](Exchange& e) -> asio::awaitable<void> {
        auto events = co_await e.begin_events();
        EventStream::Event forged{"x", "a\ndata: forged", ""};
        co_await events.send(std::move(forged));
    });
    ServerOptions options;
    options.header_timeout = 200ms;  // the sweep follows the shortest of the timeouts
    TestServer server(std::move(router), std::move(options));
    auto client = server.connect();
    const auto answer = client.get("/events", "Last-Event-ID: 6\r\n");
    EXPECT_EQ(answer.header("Content-Type"), "text/event-stream");
    EXPECT_EQ(answer.header("Cache-Control"), "no-store");
    EXPECT_TRUE(answer.complete);
    const std::string start =
        "retry: 1000\n\nevent: tick\nid: 7\n"
        "data: after 6\ndata: second line\ndata: third\n\n:\n\n:\n\n";
    EXPECT_EQ(answer.body.substr(0, start.size()), start);
    EXPECT_EQ(answer.body.substr(answer.body.size() - 10), "data: {}\n\n");
    auto forged = server.connect().get("/bad");
    EXPECT_FALSE(forged.complete);
    EXPECT_EQ(forged.body.find("forged"), std::string::npos);
}

TEST(Server, NoticesAClientThatGoes) {
    std::atomic<int> told = 0;
    std::atomic<int> cancelled = 0;
    std::atomic<int> waiting = 0;
    Router router;
    router.add("GET", "/callback", [&](Exchange& e) -> asio::awaitable<void> {
        asio::steady_timer work(e.executor(), 30s);
        const auto gone = e.on_gone([&] {
            ++told;
            work.cancel();
        });
        ++waiting;
        co_await work.async_wait(kAsTuple);
        EXPECT_TRUE(e.client_gone());
    });
    router.add("GET", "/race", [&](Exchange& e) -> asio::awaitable<void> {
        using namespace asio::experimental::awaitable_operators;
        ++waiting;
        auto either = pause(30s) || e.until_gone();
        const auto which = co_await std::move(either);
        if (which.index() == 1) ++cancelled;
    });
    router.add("GET", "/quick", [](Exchange& e) -> asio::awaitable<void> {
        const auto gone = e.on_gone([] { ADD_FAILURE() << "told after the end"; });
        co_await say(e, "quick");
    });
    TestServer server(std::move(router));
    auto one = server.connect();
    one.send("GET /callback HTTP/1.1\r\nHost: a\r\n\r\n");
    auto two = server.connect();
    two.send("GET /race HTTP/1.1\r\nHost: a\r\n\r\n");
    auto three = server.connect();  // with another request behind, unread
    three.send("GET /race HTTP/1.1\r\nHost: a\r\n\r\nGET /race HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(server.eventually([&] { return waiting == 3; }));
    EXPECT_EQ(told, 0);
    one.close();
    two.close();
    three.close();
    EXPECT_TRUE(server.eventually([&] { return told == 1 && cancelled == 2; }, 2s));
    auto four = server.connect();
    EXPECT_EQ(four.get("/quick").body, "quick");
    four.close();
    EXPECT_TRUE(server.eventually([&] { return server.server().counts().connections == 0; }));
}

TEST(Server, AdmitsDecoratesObservesAndLogs) {
    ServerOptions options;
    options.admit = [](Request& request) {
        if (request.host() != "test") throw ErrorException({Code::Forbidden, "another host"});
        request.context = std::string("who");
    };
    options.decorate = [](const Request&, int, Headers& headers) {
        headers.set("X-Content-Type-Options", "nosniff");
    };
    struct Seen {
        std::string route;
        int status;
        std::uint64_t bytes_in;
        bool complete;
    };
    std::vector<Seen> seen;
    options.observer = [&](const Finished& f) {
        seen.push_back({std::string(f.route), f.status, f.bytes_in, f.complete});
        EXPECT_GT(f.duration.count(), 0);
    };
    Router router = sample_router();
    router.add("GET", "/who",
               [](Exchange& e) { return say(e, std::any_cast<std::string>(e.request().context)); });
    TestServer server(std::move(router), std::move(options));
    auto client = server.connect();
    EXPECT_EQ(client.get("/who").body, "who");
    client.send("POST /body HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n\r\nabc");
    EXPECT_EQ(client.answer().header("X-Content-Type-Options"), "nosniff");
    const auto missing = client.get("/no");
    EXPECT_EQ(missing.header("X-Content-Type-Options"), "nosniff");
    client.send("GET /hello HTTP/1.1\r\nHost: evil\r\n\r\n");
    EXPECT_EQ(client.answer().status, 403);
    client.send("GARBAGE\r\n\r\n");
    EXPECT_EQ(client.answer().status, 400);
    const auto rows = server.run([&] { return seen; });
    ASSERT_EQ(rows.size(), 5u);
    EXPECT_EQ(rows[0].route, "/who");
    EXPECT_EQ(rows[1].bytes_in, 3u);
    EXPECT_EQ(rows[2].route, "");
    EXPECT_EQ(rows[2].status, 404);
    EXPECT_EQ(rows[3].status, 403);
    EXPECT_EQ(rows[4].status, 400);
    EXPECT_TRUE(rows[4].complete);
}

TEST(Server, ListensOnUnixSocketsAndIpv6) {
    const std::string path = "/tmp/atoll-net-test-" + std::to_string(::getpid()) + ".sock";
    const auto options = [&] {
        ServerOptions made;
        made.listen = {"127.0.0.1:0", "[::1]:0", "unix:" + path};
        return made;
    };
    const auto connect = [&] {
        UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_un to{};
        to.sun_family = AF_UNIX;
        path.copy(to.sun_path, sizeof to.sun_path - 1);
        EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
        return Client(std::move(fd));
    };
    {
        Router router;
        router.add("GET", "/peer", [](Exchange& e) {
            const auto& peer = e.request().peer;
            return say(e, peer.address + " " + std::to_string(peer.uid.value_or(77)));
        });
        TestServer server(std::move(router), options());
        EXPECT_EQ(connect().get("/peer").body, "unix " + std::to_string(::getuid()));
        EXPECT_EQ(server.connect().get("/peer").body, "127.0.0.1 77");
        EXPECT_EQ(server.server().addresses()[1].rfind("[::1]:", 0), 0u);
        struct stat found {};
        ASSERT_EQ(::stat(path.c_str(), &found), 0);
        EXPECT_EQ(found.st_mode & 0777, 0600u);
        // Somebody listens there: not taken from them.
        EXPECT_THROW(TestServer(Router(), options()), ErrorException);
    }
    EXPECT_NE(::access(path.c_str(), F_OK), 0);
    EXPECT_THROW(
        {
            ServerOptions wrong;
            wrong.listen = {"localhost:80"};
            TestServer(Router(), std::move(wrong));
        },
        ErrorException);
}

TEST(Server, StopsInGoodOrder) {
    std::atomic<int> started = 0;
    std::atomic<bool> stuck_ended = false;
    Router router;
    router.add("GET", "/slow", [&](Exchange& e) -> asio::awaitable<void> {
        ++started;
        co_await pause(300ms);
        co_await say(e, "done");
    });
    router.add("GET", "/events", [&](Exchange& e) -> asio::awaitable<void> {
        auto events = co_await e.begin_events();
        asio::steady_timer over(e.executor(), 30s);
        const auto stopping = e.on_stopping([&] { over.cancel(); });
        ++started;
        co_await over.async_wait(kAsTuple);
        co_await events.end();
    });
    router.add("GET", "/stuck", [&](Exchange& e) -> asio::awaitable<void> {
        asio::steady_timer over(e.executor(), 60s);
        const auto gone = e.on_gone([&] { over.cancel(); });
        ++started;
        co_await over.async_wait(kAsTuple);
        // It was told, and has something to do still: nobody cancels it in the middle.
        co_await pause(200ms);
        stuck_ended = true;
    });
    router.add("GET", "/hello", [](Exchange& e) { return say(e, "hello"); });
    TestServer server(std::move(router));
    auto idle = server.connect();
    EXPECT_EQ(idle.get("/hello").status, 200);
    auto slow = server.connect();
    slow.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
    auto events = server.connect();
    events.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
    auto stuck = server.connect();
    stuck.send("GET /stuck HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(server.eventually([&] { return started == 3; }));
    const auto began = std::chrono::steady_clock::now();
    server.stop(1s);
    const auto took = std::chrono::steady_clock::now() - began;
    EXPECT_GE(took, 900ms);
    EXPECT_TRUE(stuck_ended);
    const auto finished = slow.answer();
    EXPECT_EQ(finished.body, "done");
    EXPECT_EQ(finished.header("Connection"), "close");
    EXPECT_TRUE(events.answer().complete);
    EXPECT_TRUE(idle.closed());
    EXPECT_EQ(stuck.answer().status, 0);
    EXPECT_EQ(server.counts().connections, 0u);
    EXPECT_EQ(server.counts().exchanges, 0u);
}

// Whatever waits for something else than its client is named, and not cancelled.
TEST(Server, SaysWhichHandlersDoNotEnd) {
    std::optional<asio::steady_timer> hung;
    std::atomic<bool> ended = false;
    Router router;
    router.add("GET", "/hung", [&](Exchange& e) -> asio::awaitable<void> {
        hung.emplace(e.executor(), asio::steady_timer::time_point::max());
        co_await hung->async_wait(kAsTuple);
        ended = true;
    });
    TestServer server(std::move(router));
    auto client = server.connect();
    client.send("GET /hung HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n\r\n");
    ASSERT_TRUE(server.eventually([&] { return hung.has_value(); }));
    std::promise<bool> first, second;
    const auto stop = [&]() -> asio::awaitable<void> {
        auto& http = server.server();
        http.begin_stop();
        http.cut_off();
        const bool at_once = co_await http.idle_by(std::chrono::steady_clock::now() + 50ms);
        first.set_value(at_once);
        EXPECT_FALSE(ended);
        EXPECT_EQ(http.under_way(), std::vector<std::string>{"mine GET /hung"});
        hung->cancel();  // whoever owns what it waits for
        const bool later = co_await http.idle_by(std::chrono::steady_clock::now() + 20s);
        EXPECT_TRUE(http.under_way().empty());
        second.set_value(later);
    };
    asio::co_spawn(server.context(), stop, [](const std::exception_ptr&) {});
    EXPECT_FALSE(first.get_future().get());
    EXPECT_TRUE(second.get_future().get());
    EXPECT_TRUE(ended);
}

// A client sends many requests that fail, reads nothing, and ends its side: a handler's callback
// must not be called once its frame is gone, though its answer still waits for room.
TEST(Server, CallsNobodyBackAfterItsHandlerFailed) {
    std::atomic<int> handled = 0;
    Router router;
    router.add("GET", "/fails", [&](Exchange& e) -> asio::awaitable<void> {
        auto alive = std::make_unique<std::string>(32, 'x');
        const auto gone = e.on_gone([&alive] { alive->assign(64, 'y'); });
        const auto stopping = e.on_stopping([&alive] { alive->assign(64, 'z'); });
        ++handled;
        co_await pause(1ms);
        throw ErrorException({Code::InvalidArgument, std::string(60'000, 'n')});
    });
    TestServer server(std::move(router));
    auto client = server.connect();
    const int small = 4096;
    ::setsockopt(client.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    std::string many;
    for (int i = 0; i < 400; ++i) many += "GET /fails HTTP/1.1\r\nHost: a\r\n\r\n";
    client.send(many);
    // It has stopped when an answer finds no room.
    int seen = -1;
    ASSERT_TRUE(
        server.eventually([&] { return handled > 0 && std::exchange(seen, handled) == handled; }));
    client.shutdown_write();
    EXPECT_TRUE(server.eventually([&] { return server.server().counts().exchanges <= 1; }));
    client.close();
    EXPECT_TRUE(server.eventually([&] { return server.server().counts().connections == 0; }));
}

// A sweep that is due just then must not begin the next one, or the loop would never end.
TEST(Server, StopsWhileASweepIsDue) {
    for (int i = 0; i < 80; ++i) {
        ServerOptions options;
        options.header_timeout = 80ms;  // a sweep every 10 ms
        const test::TestServer server(Router(), std::move(options));
        std::this_thread::sleep_for(9500us + i * 10us);
    }
}

}  // namespace atl::net::test

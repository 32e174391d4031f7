#include "net/fetch.hpp"

#include "net/test_support.hpp"

#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace atl::net {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

// A server on a thread of its own, and what it saw.
class Fetch : public testing::Test {
protected:
    Fetch() : server_(routes()), fetcher_(context_.get_executor(), AddressPolicy::operators()) {}

    Router routes() {
        Router router;
        router.add("GET", "/plain", [this](Exchange& exchange) -> asio::awaitable<void> {
            note(exchange);
            auto answer = Response::text(200, "hello");
            answer.headers.set("X-Seen", exchange.request().headers.get_or("X-Asked", "nothing"));
            co_await exchange.respond(std::move(answer));
        });
        router.add("POST", "/echo", [this](Exchange& exchange) -> asio::awaitable<void> {
            note(exchange);
            auto body = co_await exchange.read_body(8u << 20);
            auto answer = Response::text(201, std::move(body));
            co_await exchange.respond(std::move(answer));
        });
        router.add("GET", "/elsewhere", [](Exchange& exchange) -> asio::awaitable<void> {
            auto answer = Response::text(302, "");
            answer.headers.set("Location", "/plain");
            co_await exchange.respond(std::move(answer));
        });
        router.add("GET", "/flood", [this](Exchange& exchange) -> asio::awaitable<void> {
            Headers headers;
            co_await exchange.begin(200, std::move(headers), std::nullopt);
            const std::string piece(64u << 10, 'x');
            for (int i = 0; i < 1024; ++i) {  // 64 MiB
                co_await exchange.write(piece);
                sent_ += piece.size();
            }
            co_await exchange.end();
        });
        router.add("GET", "/slow", [this](Exchange& exchange) -> asio::awaitable<void> {
            Headers headers;
            co_await exchange.begin(200, std::move(headers), std::nullopt);
            co_await exchange.write("first");
            co_await exchange.until_gone();
            gone_ = true;
        });
        router.add("GET", "/silent", [this](Exchange& exchange) -> asio::awaitable<void> {
            co_await exchange.until_gone();
            gone_ = true;
        });
        return router;
    }

    void note(Exchange& exchange) {
        const std::lock_guard guard(lock_);
        peers_.push_back(exchange.request().peer.address + ":" +
                         std::to_string(exchange.request().peer.port));
    }

    FetchRequest get(const std::string& path) {
        FetchRequest request;
        request.url = "http://127.0.0.1:" + std::to_string(server_.port()) + path;
        return request;
    }

    // Runs the coroutine here until it is done.
    template <class Work>
    void run(Work work) {
        std::exception_ptr failed;
        asio::co_spawn(context_, work(), [&](std::exception_ptr error) { failed = error; });
        context_.restart();
        context_.run_for(20s);
        ASSERT_TRUE(context_.stopped()) << "it hangs";
        if (failed) std::rethrow_exception(failed);
    }

    Error failure_of(FetchRequest request) {
        Error error{Code::Internal, "it did not fail"};
        run([&]() -> asio::awaitable<void> {
            try {
                auto answer = co_await fetcher_.send(std::move(request));
                co_await answer.read_all(256u << 20);
            } catch (const ErrorException& failed) { error = failed.error; }
        });
        return error;
    }

    bool soon(const std::atomic<bool>& flag) {
        for (int i = 0; i < 1000 && !flag; ++i) std::this_thread::sleep_for(10ms);
        return flag;
    }

    std::mutex lock_;
    std::vector<std::string> peers_;
    std::atomic<std::size_t> sent_{0};
    std::atomic<bool> gone_{false};
    asio::io_context context_{1};
    test::TestServer server_;
    Fetcher fetcher_;
};

}  // namespace

TEST_F(Fetch, AsksAndHears) {
    run([&]() -> asio::awaitable<void> {
        auto request = get("/plain");
        request.headers.set("X-Asked", "something");
        auto answer = co_await fetcher_.send(std::move(request));
        EXPECT_EQ(answer.status(), 200);
        EXPECT_EQ(answer.headers().get("x-seen"), "something");
        EXPECT_TRUE(answer.end_is_marked());
        const auto body = co_await answer.read_all(100);
        EXPECT_EQ(body, "hello");
        EXPECT_EQ(fetcher_.under_way(), 0u);
    });
}

TEST_F(Fetch, SendsBodiesAndKeepsConnections) {
    run([&]() -> asio::awaitable<void> {
        for (const std::size_t bytes : {std::size_t(0), std::size_t(10), std::size_t(3u << 20)}) {
            auto request = get("/echo");
            request.method = "POST";
            request.body = std::string(bytes, 'b');
            auto answer = co_await fetcher_.send(std::move(request));
            EXPECT_EQ(answer.status(), 201);
            const auto body = co_await answer.read_all(8u << 20);
            EXPECT_EQ(body.size(), bytes);
        }
    });
    const std::lock_guard guard(lock_);
    EXPECT_EQ(peers_.size(), 3u);
    EXPECT_EQ(peers_.front(), peers_.back());
}

TEST_F(Fetch, ARedirectIsAnAnswer) {
    run([&]() -> asio::awaitable<void> {
        auto answer_request = get("/elsewhere");
        auto answer = co_await fetcher_.send(std::move(answer_request));
        EXPECT_EQ(answer.status(), 302);
    });
}

TEST_F(Fetch, TheSenderWaitsForWhoDoesNotRead) {
    run([&]() -> asio::awaitable<void> {
        auto answer_request = get("/flood");
        auto answer = co_await fetcher_.send(std::move(answer_request));
        asio::steady_timer timer(context_, 700ms);
        co_await timer.async_wait(asio::use_awaitable);
        const std::size_t before = sent_;
        EXPECT_LT(before, 32u << 20);  // what the kernel's buffers hold, and ours
        std::size_t bytes = 0;
        std::string piece;
        for (;;) {
            const bool more = co_await answer.read(piece);
            if (!more) break;
            EXPECT_LE(piece.size(), 256u << 10);
            bytes += piece.size();
        }
        EXPECT_EQ(bytes, 64u << 20);
    });
}

TEST_F(Fetch, LimitsHold) {
    auto request = get("/flood");
    request.body_bytes_max = 1u << 20;
    EXPECT_EQ(failure_of(std::move(request)).code, Code::TooLarge);
    request = get("/plain");
    request.head_bytes_max = 20;
    EXPECT_EQ(failure_of(std::move(request)).code, Code::TooLarge);
}

TEST_F(Fetch, WaitsHaveEnds) {
    auto request = get("/silent");
    request.timeouts.first_byte = 200ms;
    EXPECT_EQ(failure_of(std::move(request)).code, Code::Timeout);
    EXPECT_TRUE(soon(gone_));
    request = get("/slow");
    request.timeouts.idle = 200ms;
    EXPECT_EQ(failure_of(std::move(request)).code, Code::Timeout);
    request = get("/slow");
    request.timeouts.total = 200ms;
    EXPECT_EQ(failure_of(std::move(request)).code, Code::Timeout);
    EXPECT_EQ(fetcher_.under_way(), 0u);
}

TEST_F(Fetch, CancellingEndsTheConnection) {
    for (const char* path : {"/silent", "/slow"}) {
        gone_ = false;
        asio::cancellation_signal signal;
        bool cancelled = false;
        const auto work = [&]() -> asio::awaitable<void> {
            auto answer_request = get(path);
            auto answer = co_await fetcher_.send(std::move(answer_request));
            co_await answer.read_all(100);
        };
        const auto done = [&](const std::exception_ptr& error) {
            try {
                if (error) std::rethrow_exception(error);
            } catch (const boost::system::system_error& e) {
                cancelled = e.code() == asio::error::operation_aborted;
            }
        };
        asio::co_spawn(context_, work, asio::bind_cancellation_slot(signal.slot(), done));
        asio::steady_timer timer(context_, 300ms);
        timer.async_wait([&](auto) { signal.emit(asio::cancellation_type::terminal); });
        context_.restart();
        context_.run_for(20s);
        EXPECT_TRUE(cancelled) << path;
        EXPECT_TRUE(soon(gone_)) << path;
        EXPECT_EQ(fetcher_.under_way(), 0u);
    }
}

TEST_F(Fetch, StrangersAreRefusedBeforeAnythingIsDialled) {
    Fetcher strict(context_.get_executor(), AddressPolicy::strangers());
    const auto port = std::to_string(server_.port());
    for (const std::string host : {"127.0.0.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]"}) {
        Error error;
        run([&]() -> asio::awaitable<void> {
            FetchRequest request;
            request.url = "http://" + host + ":" + port + "/plain";
            try {
                auto answer = co_await strict.send(std::move(request));
            } catch (const ErrorException& failed) { error = failed.error; }
        });
        EXPECT_EQ(error.code, Code::Forbidden) << host << error.message;
    }
    EXPECT_TRUE(peers_.empty());
}

TEST_F(Fetch, WhatIsNoUrl) {
    for (const std::string url :
         {"", "x", "/path", "ftp://127.0.0.1/", "file:///etc/passwd", "http://", "http://a b/",
          "http://127.0.0.1:1/\r\nX: y", "http://127.0.0.1:99999/"}) {
        FetchRequest request;
        request.url = url;
        EXPECT_EQ(failure_of(std::move(request)).code, Code::InvalidArgument) << url;
    }
    auto request = get("/plain");
    request.headers.set("X-A", "b\r\nX-Evil: 1");
    EXPECT_EQ(failure_of(std::move(request)).code, Code::InvalidArgument);
    request = get("/plain");
    request.method = "GET / HTTP/1.1\r\n";
    EXPECT_EQ(failure_of(std::move(request)).code, Code::InvalidArgument);
    EXPECT_EQ(origin_of("https://user:word@a.example:8443/x?key=1"), "https://a.example:8443");
}

TEST_F(Fetch, AnAnswerMayOutliveItsFetcher) {
    run([&]() -> asio::awaitable<void> {
        auto other = std::make_unique<Fetcher>(context_.get_executor(), AddressPolicy::operators());
        auto answer_request = get("/flood");
        auto answer = co_await other->send(std::move(answer_request));
        auto dropped_request = get("/slow");
        auto dropped = co_await other->send(std::move(dropped_request));
        other->drop(std::move(dropped));
        other.reset();
        std::string piece;
        const bool more = co_await answer.read(piece);
        EXPECT_TRUE(more);
    });
}

TEST_F(Fetch, WhatIsDroppedEndsByItself) {
    run([&]() -> asio::awaitable<void> {
        auto answer_request = get("/slow");
        auto answer = co_await fetcher_.send(std::move(answer_request));
        fetcher_.drop(std::move(answer));
        EXPECT_EQ(fetcher_.under_way(), 1u);
        asio::steady_timer timer(context_, 3s);
        co_await timer.async_wait(asio::use_awaitable);
        EXPECT_EQ(fetcher_.under_way(), 0u);
    });
    EXPECT_TRUE(soon(gone_));
}

}  // namespace atl::net

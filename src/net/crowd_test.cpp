// More clients than there is room for: too many connections, no descriptors, no epoll watches.
// Others must be served meanwhile, and all of it must pass.
#include "net/test_support.hpp"

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

std::atomic<bool> no_watches{false};

}  // namespace

// Asio's calls end here: a user whose watches are used up, without using up anybody's.
extern "C" int epoll_ctl(int epoll, int operation, int fd, epoll_event* event) noexcept {
    if (operation == EPOLL_CTL_ADD && no_watches.load()) {
        errno = ENOSPC;
        return -1;
    }
    return static_cast<int>(::syscall(SYS_epoll_ctl, epoll, operation, fd, event));
}

namespace atl::net::test {

namespace asio = boost::asio;

namespace {

asio::awaitable<void> say(Exchange& exchange, std::string text) {
    auto response = Response::text(200, std::move(text));
    co_await exchange.respond(std::move(response));
}

Router sample_router(std::atomic<int>* gone = nullptr) {
    Router router;
    router.add("GET", "/hello", [](Exchange& e) { return say(e, "hello"); });
    router.add("GET", "/until_gone", [gone](Exchange& e) -> asio::awaitable<void> {
        co_await e.until_gone();
        if (gone != nullptr) ++*gone;
    });
    return router;
}

struct WithoutWatches {
    WithoutWatches() { no_watches = true; }
    ~WithoutWatches() { no_watches = false; }
};

ServerOptions small() {
    ServerOptions options;
    options.connections_max = 8;
    options.connections_per_address_max = 8;
    options.makes_room_after = 0ms;
    return options;
}

}  // namespace

TEST(Crowd, ConnectionsThatWaitMakeRoom) {
    for (const std::size_t per_address : {8u, 4u}) {
        auto options = small();
        options.connections_per_address_max = per_address;
        TestServer server(sample_router(), std::move(options));
        std::vector<Client> idle;
        for (std::size_t i = 0; i < per_address; ++i) {
            idle.push_back(server.connect());
            if (i % 2 == 0) {
                EXPECT_EQ(idle.back().get("/hello").status, 200);
            } else {
                idle.back().send("GET /hello HTTP/1.1\r\nHos");  // a head that never ends
            }
        }
        ASSERT_TRUE(
            server.eventually([&] { return server.server().counts().connections == per_address; }));
        for (int i = 0; i < 20; ++i) {
            idle.push_back(server.connect());
            EXPECT_EQ(idle.back().get("/hello").status, 200) << i;
        }
        EXPECT_TRUE(idle.front().closed());
        EXPECT_TRUE(
            server.eventually([&] { return server.server().counts().connections <= per_address; }));
        EXPECT_EQ(server.counts().connections_refused, 0u);
        EXPECT_GE(server.counts().connections_dropped, 20u);
    }
}

TEST(Crowd, WhoIsBeingServedStays) {
    TestServer server(sample_router(), small());
    std::vector<Client> busy;
    for (int i = 0; i < 8; ++i) {
        busy.push_back(server.connect());
        busy.back().send("GET /until_gone HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    ASSERT_TRUE(server.eventually([&] { return server.server().counts().exchanges == 8; }));
    EXPECT_EQ(server.connect().get("/hello").status, 503);
    EXPECT_EQ(server.counts().exchanges, 8u);
    EXPECT_EQ(server.counts().connections_dropped, 0u);
}

TEST(Crowd, TheLastDescriptorsAreNoConnections) {
    auto options = small();
    const UniqueFd lowest_free(::dup(STDERR_FILENO));
    options.descriptors_end = lowest_free.get() + 8;  // the server itself takes most of these
    TestServer server(sample_router(), options);
    std::vector<Client> clients;
    for (int i = 0; i < 8; ++i) {
        clients.push_back(server.connect());
        clients.back().send("GET /until_gone HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    ASSERT_TRUE(server.eventually([&] { return server.server().counts().connections_total == 8; }));
    EXPECT_LT(server.counts().connections, 8u);
    const auto refused = server.connect().get("/hello");
    EXPECT_EQ(refused.status, 503);
    EXPECT_TRUE(refused.complete);
    // Those who waited for nothing have gone: then there is room again.
    clients.clear();
    ASSERT_TRUE(server.eventually([&] { return server.server().counts().connections == 0; }));
}

TEST(Crowd, WithoutWatchesNobodyIsAcceptedAndAllAreLater) {
    TestServer server(sample_router());
    auto before = server.connect();
    EXPECT_EQ(before.get("/hello").status, 200);
    std::vector<Client> waiting;
    {
        const WithoutWatches full;
        for (int i = 0; i < 5; ++i) {
            waiting.push_back(server.connect());
            waiting.back().send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
        }
        // Who is there is served, and nobody else.
        EXPECT_EQ(before.get("/hello").status, 200);
        EXPECT_FALSE(waiting[0].fill(300ms));
        EXPECT_EQ(server.counts().connections, 1u);
    }
    for (auto& client : waiting) EXPECT_EQ(client.answer().status, 200);
}

TEST(Crowd, AServerStopsWhileItIsWithoutWatches) {
    TestServer server(sample_router());
    const WithoutWatches full;
    auto client = server.connect();
    EXPECT_FALSE(client.fill(150ms));
    server.stop(100ms);
    EXPECT_TRUE(client.closed());
}

TEST(Crowd, AHangUpIsNoticedWithoutAWatch) {
    std::atomic<int> gone{0};
    TestServer server(sample_router(&gone));
    auto client = server.connect();
    EXPECT_EQ(client.get("/hello").status, 200);
    {
        const WithoutWatches full;
        client.send("GET /until_gone HTTP/1.1\r\nHost: a\r\n\r\n");
        ASSERT_TRUE(server.eventually([&] { return server.server().counts().exchanges == 1; }));
        client.close();
        EXPECT_TRUE(server.eventually([&] { return gone.load() == 1; }));
    }
}

}  // namespace atl::net::test

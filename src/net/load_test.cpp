// How fast and how small: requests a second, bytes a second, memory an idle event stream. Bounded,
// with modest floors, so that it is a test on any machine; ATOLL_NET_LOAD=full asks for the real
// numbers (1 GiB each way), which it prints.
#include "net/test_support.hpp"

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <malloc.h>

namespace atl::net::test {

namespace asio = boost::asio;

namespace {

bool full() { return std::getenv("ATOLL_NET_LOAD") != nullptr; }

std::uint64_t resident_bytes() {
    std::ifstream statm("/proc/self/statm");
    std::uint64_t pages = 0;
    statm >> pages >> pages;
    return pages * 4096;
}

double seconds_since(std::chrono::steady_clock::time_point began) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

void report(const char* what, double value, const char* unit) {
    std::printf("[ MEASURED ] %s: %.1f %s\n", what, value, unit);
}

double thread_seconds() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

}  // namespace

TEST(Load, SmallRequests) {
    Router router;
    router.add("GET", "/v1/hello/{name}", [](Exchange& e) -> asio::awaitable<void> {
        auto response = Response::text(200, "hello " + e.request().parameter("name"));
        co_await e.respond(std::move(response));
    });
    TestServer server(std::move(router));
    const int rounds = full() ? 4000 : 200;
    constexpr int kClients = 32;
    std::vector<Client> clients;
    for (int i = 0; i < kClients; ++i) clients.push_back(server.connect());
    const std::string request =
        "GET /v1/hello/world HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: load\r\nAccept: "
        "*/*\r\n\r\n";
    const auto cpu_before = server.run(thread_seconds);
    const auto began = std::chrono::steady_clock::now();
    char buffer[4096];
    for (int round = 0; round < rounds; ++round) {
        for (auto& client : clients) client.send(request);
        for (auto& client : clients) ASSERT_GT(::recv(client.fd(), buffer, sizeof buffer, 0), 0);
    }
    const auto took = seconds_since(began);
    const auto cpu = server.run(thread_seconds) - cpu_before;
    const double requests = static_cast<double>(rounds) * kClients;
    report("keep-alive GET", requests / took, "requests/s");
    report("keep-alive GET, of the server's processor", requests / cpu, "requests/s");
    EXPECT_GT(requests / took, 1000);

    auto pipelined = server.connect();
    std::string batch;
    for (int i = 0; i < 64; ++i) batch += request;
    const auto again = std::chrono::steady_clock::now();
    for (int round = 0; round < rounds / 2; ++round) {
        pipelined.send(batch);
        for (int i = 0; i < 64; ++i) ASSERT_EQ(pipelined.answer().status, 200);
    }
    report("pipelined GET", rounds / 2 * 64 / seconds_since(again), "requests/s");
}

TEST(Load, LargeBodiesBothWaysWithFlatMemory) {
    const std::uint64_t bytes = full() ? 1ull << 30 : 64ull << 20;
    const UniqueFd file(::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    const std::string block(1u << 20, 'f');
    for (std::uint64_t i = 0; i < bytes; i += block.size()) {
        ASSERT_EQ(::write(file.get(), block.data(), block.size()),
                  static_cast<ssize_t>(block.size()));
    }
    Router router;
    router.add("PUT", "/discard", [](Exchange& e) -> asio::awaitable<void> {
        std::vector<char> buffer(256 * 1024);
        std::uint64_t sum = 0;
        for (;;) {
            const auto got = co_await e.read_into(buffer);
            if (got == 0) break;
            sum += got;
        }
        auto response = Response::text(200, std::to_string(sum));
        co_await e.respond(std::move(response));
    });
    router.add("GET", "/file", [&](Exchange& e) -> asio::awaitable<void> {
        FileOptions options;
        co_await e.send_file(file.get(), bytes, std::move(options));
    });
    router.add("GET", "/generated", [&](Exchange& e) -> asio::awaitable<void> {
        Headers headers;
        co_await e.begin(200, std::move(headers));
        for (std::uint64_t i = 0; i < bytes; i += block.size() / 4) {
            co_await e.write(std::string_view(block).substr(0, block.size() / 4));
        }
        co_await e.end();
    });
    ServerOptions options;
    options.body_bytes_max = 2ull << 30;
    TestServer server(std::move(router), std::move(options));
    const auto before = resident_bytes();
    std::uint64_t largest = before;
    const auto upload = [&](const std::string& head, bool chunked) {
        auto client = server.connect();
        const auto began = std::chrono::steady_clock::now();
        client.send("PUT /discard HTTP/1.1\r\nHost: a\r\n" + head + "\r\n\r\n");
        for (std::uint64_t i = 0; i < bytes; i += block.size()) {
            if (chunked) client.send("100000\r\n");
            client.send(block);
            if (chunked) client.send("\r\n");
            if (i % (64u << 20) == 0) largest = std::max(largest, resident_bytes());
        }
        if (chunked) client.send("0\r\n\r\n");
        EXPECT_EQ(client.answer().body, std::to_string(bytes));
        return static_cast<double>(bytes) / seconds_since(began) / 1e6;
    };
    report("upload", upload("Content-Length: " + std::to_string(bytes), false), "MB/s");
    report("upload in chunks", upload("Transfer-Encoding: chunked", true), "MB/s");
    const auto download = [&](const std::string& target, std::uint64_t at_least) {
        auto client = server.connect();
        const auto began = std::chrono::steady_clock::now();
        client.send("GET " + target + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        std::vector<char> buffer(256 * 1024);
        std::uint64_t sum = 0;
        for (;;) {
            const auto got = ::recv(client.fd(), buffer.data(), buffer.size(), 0);
            if (got <= 0) break;
            sum += static_cast<std::uint64_t>(got);
            if (sum % (64u << 20) < 65536) largest = std::max(largest, resident_bytes());
        }
        EXPECT_GE(sum, at_least);
        return static_cast<double>(bytes) / seconds_since(began) / 1e6;
    };
    report("download of a file", download("/file", bytes), "MB/s");
    report("download of chunks", download("/generated", bytes), "MB/s");
    report("memory grew by", static_cast<double>(largest - before) / 1e6, "MB");
    EXPECT_LT(largest - before, 16u << 20);
}

TEST(Load, IdleEventStreamsAreSmall) {
    std::atomic<int> open = 0;
    Router router;
    router.add("GET", "/v1/sessions/{id}/events", [&](Exchange& e) -> asio::awaitable<void> {
        EventOptions options;
        options.heartbeat = 100ms;
        co_await e.begin_events(std::move(options));
        ++open;
        co_await e.until_gone();
        --open;
    });
    constexpr int kStreams = 500;
    ServerOptions options;
    options.header_timeout = 2s;
    TestServer server(std::move(router), std::move(options));
    std::vector<Client> clients;
    clients.reserve(kStreams);
    ::malloc_trim(0);  // what earlier tests freed must not hide what is taken now
    const auto before = resident_bytes();
    for (int i = 0; i < kStreams; ++i) clients.push_back(server.connect());
    ASSERT_TRUE(
        server.eventually([&] { return server.server().counts().connections == kStreams; }));
    const auto connected = resident_bytes();
    for (auto& client : clients) {
        client.send(
            "GET /v1/sessions/a1b2c3/events HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n"
            "Accept: text/event-stream\r\nAuthorization: Bearer 0123456789abcdef0123\r\n"
            "User-Agent: python-httpx/0.27\r\nCache-Control: no-store\r\n\r\n");
    }
    ASSERT_TRUE(server.eventually([&] { return open == kStreams; }, 20s));
    std::this_thread::sleep_for(300ms);  // a few heartbeats
    const auto each = static_cast<double>(resident_bytes() - before) / kStreams;
    report("memory of a connection that has said nothing",
           static_cast<double>(connected - before) / kStreams, "bytes");
    report("memory of an idle event stream", each, "bytes");
    EXPECT_LT(each, 20 * 1024);
    for (auto& client : clients) EXPECT_NE(client.until(":\n\n").find("200 OK"), std::string::npos);
    for (auto& client : clients) EXPECT_NE(client.until(":\n\n"), "");
    clients.clear();
    EXPECT_TRUE(server.eventually([&] { return open == 0; }));
}

}  // namespace atl::net::test

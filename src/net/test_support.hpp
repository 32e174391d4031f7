#pragma once
// For the tests of net: a server on 127.0.0.1 with a thread of its own, and a client that speaks
// raw bytes, so that it can say what no library would.
#include "base/fd.hpp"
#include "net/router.hpp"
#include "net/server.hpp"

#include <arpa/inet.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <poll.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/null_sink.h>
#include <string>
#include <sys/socket.h>
#include <thread>

namespace atl::net::test {

using namespace std::chrono_literals;

struct Answer {
    int status = 0;
    std::string head;
    std::string body;
    bool complete = false;  // framing says so, not just the end of the stream

    [[nodiscard]] std::string header(std::string_view name) const {
        std::size_t at = 0;
        while ((at = head.find("\r\n", at)) != std::string::npos) {
            at += 2;
            const auto end = head.find("\r\n", at);
            const auto line = std::string_view(head).substr(at, end - at);
            const auto colon = line.find(':');
            if (colon == std::string_view::npos) continue;
            if (same_ignoring_case(line.substr(0, colon), name)) {
                return std::string(trimmed(line.substr(colon + 1)));
            }
        }
        return {};
    }
};

// Blocking, with an end: a read that takes longer than 10 s is a failed test.
class Client {
public:
    explicit Client(UniqueFd socket) : socket_(std::move(socket)) {}
    static Client tcp(std::uint16_t port) {
        UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(port);
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
        const int on = 1;
        ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        return Client(std::move(fd));
    }

    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            const auto n = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(n));
        }
        return true;
    }

    // More bytes; false at the end, on a reset, or when nothing came in time.
    bool fill(std::chrono::milliseconds patience = 10s) {
        pollfd asked{socket_.get(), POLLIN, 0};
        if (::poll(&asked, 1, static_cast<int>(patience.count())) <= 0) return false;
        char buffer[65536];
        const auto n = ::recv(socket_.get(), buffer, sizeof buffer, 0);
        reset_ = n < 0;
        ended_ = n == 0;
        if (n <= 0) return false;
        in_.append(buffer, static_cast<std::size_t>(n));
        return true;
    }

    std::string until(std::string_view mark, std::chrono::milliseconds patience = 10s) {
        std::size_t at = 0;
        while ((at = in_.find(mark)) == std::string::npos) {
            if (!fill(patience)) return std::exchange(in_, {});
        }
        auto found = in_.substr(0, at + mark.size());
        in_.erase(0, found.size());
        return found;
    }

    std::string exactly(std::size_t bytes) {
        while (in_.size() < bytes && fill()) {}
        auto found = in_.substr(0, bytes);
        in_.erase(0, found.size());
        return found;
    }

    std::string rest() {
        while (fill()) {}
        return std::exchange(in_, {});
    }

    Answer answer(bool to_head = false) {
        Answer got;
        got.head = until("\r\n\r\n");
        if (got.head.size() > 12) got.status = std::atoi(got.head.c_str() + 9);
        if (to_head || got.status == 204 || got.status == 304 || got.status == 100) {
            got.complete = true;
            return got;
        }
        if (got.header("Transfer-Encoding") == "chunked") {
            for (;;) {
                const auto line = until("\r\n");
                if (line.size() < 3) return got;
                const auto size = std::strtoul(line.c_str(), nullptr, 16);
                const auto piece = exactly(size + 2);
                if (piece.size() < size + 2) return got;
                if (size == 0) break;
                got.body.append(piece, 0, size);
            }
            got.complete = true;
        } else if (const auto length = got.header("Content-Length"); !length.empty()) {
            const auto size = std::strtoul(length.c_str(), nullptr, 10);
            got.body = exactly(size);
            got.complete = got.body.size() == size;
        } else {
            got.body = rest();
            got.complete = ended_;
        }
        return got;
    }

    Answer get(const std::string& target, const std::string& headers = {}) {
        send("GET " + target + " HTTP/1.1\r\nHost: test\r\n" + headers + "\r\n");
        return answer();
    }

    // True when the server closes (or resets) within the time.
    bool closed(std::chrono::milliseconds patience = 5s) {
        const auto until_when = std::chrono::steady_clock::now() + patience;
        while (std::chrono::steady_clock::now() < until_when) {
            if (!fill(std::chrono::duration_cast<std::chrono::milliseconds>(
                    until_when - std::chrono::steady_clock::now()))) {
                return ended_ || reset_;
            }
        }
        return false;
    }
    void shutdown_write() { ::shutdown(socket_.get(), SHUT_WR); }
    void close() { socket_.reset(); }
    [[nodiscard]] bool was_reset() const noexcept { return reset_; }
    [[nodiscard]] int fd() const noexcept { return socket_.get(); }

private:
    UniqueFd socket_;
    std::string in_;
    bool ended_ = false;
    bool reset_ = false;
};

inline std::shared_ptr<spdlog::logger> silent_log() {
    return std::make_shared<spdlog::logger>("test",
                                            std::make_shared<spdlog::sinks::null_sink_mt>());
}

class TestServer {
public:
    explicit TestServer(Router router, ServerOptions options = {})
        : router_(std::move(router)), work_(boost::asio::make_work_guard(context_)) {
        if (!options.log) options.log = silent_log();
        server_.emplace(context_.get_executor(), std::move(options),
                        [this](Exchange& exchange) { return router_.handle(exchange); });
        server_->start();
        thread_ = std::thread([this] { context_.run(); });
    }
    TestServer(const TestServer&) = delete;
    TestServer& operator=(const TestServer&) = delete;
    ~TestServer() {
        if (server_) stop(200ms);
        work_.reset();
        thread_.join();
    }

    void stop(std::chrono::milliseconds grace) {
        std::promise<void> stopped;
        boost::asio::co_spawn(
            context_, [&]() -> boost::asio::awaitable<void> { co_await server_->stop(grace); },
            [&](const std::exception_ptr&) { stopped.set_value(); });
        EXPECT_EQ(stopped.get_future().wait_for(20s), std::future_status::ready);
    }

    // On the server's thread.
    template <class F>
    auto run(F f) {
        std::promise<decltype(f())> result;
        boost::asio::post(context_, [&] { result.set_value(f()); });
        return result.get_future().get();
    }
    ServerCounts counts() {
        return run([this] { return server_->counts(); });
    }
    bool eventually(const std::function<bool()>& is_so, std::chrono::milliseconds patience = 5s) {
        const auto until = std::chrono::steady_clock::now() + patience;
        while (!run(is_so)) {
            if (std::chrono::steady_clock::now() > until) return false;
            std::this_thread::sleep_for(5ms);
        }
        return true;
    }

    [[nodiscard]] std::uint16_t port(std::size_t index = 0) const {
        const auto& address = server_->addresses().at(index);
        return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
    }
    [[nodiscard]] Client connect() const { return Client::tcp(port()); }
    Server& server() { return *server_; }
    boost::asio::io_context& context() { return context_; }

private:
    Router router_;
    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    std::optional<Server> server_;
    std::thread thread_;
};

}  // namespace atl::net::test

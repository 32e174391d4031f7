#pragma once
// The HTTP/1.1 server: listens, reads requests, hands them to one root handler (mostly a Router's)
// and logs them.
//
//     listener --accept--> connection: [TLS] -> head -> admit -> root handler -> answer
//                                               ^------------ the next request ----'
//
// Owns      its listening sockets and its connections.
// Threads   one: the executor must be run by a single thread, and all calls come from there.
// Trusts    nobody. Each limit below stops one way of using up the server.
// If a handler fails, problem.hpp says what the client gets. If the server runs out of descriptors
// or of epoll watches it pauses accepting. A stop must have come to its end before the executor
// goes.
#include "net/exchange.hpp"
#include "net/problem.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace spdlog {
class logger;
}

namespace atl::net {

// One finished request, for metrics. The views live as long as the call.
struct Finished {
    const Request& request;
    std::string_view route;       // the pattern; empty when none matched, so that labels stay few
    int status = 0;               // as sent; 499 when the client went before, 0 when it was cut off
    std::uint64_t bytes_in = 0;   // of the body
    std::uint64_t bytes_out = 0;  // head and body
    std::chrono::nanoseconds duration{};
    bool complete = false;  // the whole answer went out
};

struct TlsOptions {
    std::string certificate_file;  // PEM, the chain after the certificate
    std::string key_file;
};

// Whether one of ServerOptions::listen could be listened on, by how it is written.
[[nodiscard]] Result<void> check_listen_address(const std::string& address);

struct ServerOptions {
    // "127.0.0.1:8080", "[::1]:8080", "0.0.0.0:0" (any port), "unix:/run/atoll.sock". Addresses, no
    // names. A unix socket never speaks TLS: its file's mode is the door.
    std::vector<std::string> listen{"127.0.0.1:0"};
    std::optional<TlsOptions> tls;
    unsigned unix_mode = 0600;

    std::size_t header_bytes_max = 32 * 1024;  // request line and fields together
    std::size_t headers_max = 100;
    std::uint64_t body_bytes_max = 1ull << 30;  // a handler may set its own
    std::size_t connections_max = 4096;
    std::size_t connections_per_address_max = 1024;  // an IPv6 /64 is one address
    // Where these are used up, one that has waited so long for a request is closed for a new one.
    std::chrono::milliseconds makes_room_after{1000};
    // No connection has a descriptor of this number or above: these are kept for the handlers'
    // work. 0: no such limit. Holds for all descriptors of the process, because the kernel gives
    // out the lowest free number.
    int descriptors_end = 0;

    std::chrono::milliseconds header_timeout{10000};  // from the first byte to the empty line
    std::chrono::milliseconds idle_timeout{75000};    // between requests
    std::chrono::milliseconds body_stall_timeout{30000};
    std::chrono::milliseconds write_stall_timeout{30000};
    // Below this rate, after the grace, a body is given up. Only waiting for the client counts.
    std::uint64_t body_bytes_per_second_min = 512;
    std::chrono::milliseconds body_rate_grace{20000};

    // Asked for each connection that comes over loopback: whether Request::peer shall name the user
    // at its other end. Null: never.
    std::function<bool()> wants_peer_uid;
    // Runs before routing: authentication, Host and Origin, rate limits. Throws ErrorException or
    // Problem to refuse.
    std::function<void(Request&)> admit;
    // Asked twice a second while a handler runs, from its first second on: whether who was admitted
    // still is. False ends the exchange as if the client had left; a WebSocket hears 1008. It is
    // not asked again for the same exchange.
    std::function<bool(const Request&)> still_welcome;
    // How a failure is told to clients that speak another language than problem+json; nothing: this
    // one does not.
    std::function<std::optional<Response>(const Request&, const Problem&)> tell_problem;
    // Runs on each answer's headers just before they go out, errors included.
    std::function<void(const Request&, int status, Headers&)> decorate;
    std::function<void(const Finished&)> observer;

    std::shared_ptr<spdlog::logger> log;         // faults; null: spdlog's default
    std::shared_ptr<spdlog::logger> access_log;  // one line a request; null: none
};

struct ServerCounts {
    std::size_t connections = 0;
    std::size_t exchanges = 0;            // handlers running now
    std::uint64_t connections_total = 0;  // accepted, refused ones too
    std::uint64_t connections_refused = 0;
    std::uint64_t connections_dropped = 0;  // waited for a request, and made room
    std::uint64_t requests_total = 0;
    std::uint64_t bytes_charged = 0;  // to the turns of connections: as they came, decoded or not
};

struct ServerCore;

class Server {
public:
    Server(boost::asio::any_io_executor executor, ServerOptions options, Handler root);
    Server(Server&&) noexcept;
    Server& operator=(Server&&) noexcept;
    ~Server();

    // Binds and listens; all or nothing. Throws ErrorException. Who connects waits for start().
    void bind();
    // Begins to serve; binds first where that was not done.
    void start();
    // As bound, in the form of ServerOptions::listen.
    [[nodiscard]] const std::vector<std::string>& addresses() const noexcept;
    // Reads certificate and key again, from other files if some are given; new connections get
    // them. Keeps the old ones on failure.
    [[nodiscard]] Result<void> reload_tls(const std::optional<TlsOptions>& files = std::nullopt);
    // While it serves; what is under way keeps the deadlines that it has.
    void change_timeouts(std::chrono::milliseconds header, std::chrono::milliseconds idle);

    // A stop, step by step. No handler is cancelled in the middle: one that waits for something
    // else than its client ends when the owner of that something ends it.
    //   begin_stop()  accepts no more, drops idle connections, tells the handlers (on_stopping)
    //   idle_by(…)    waits until all handlers have returned; false if the time was over first
    //   cut_off()     drops the clients: reads and writes fail, handlers are told (on_gone)
    //   finish_stop() after idle_by() said true: nothing of the server is left in the loop
    void begin_stop();
    boost::asio::awaitable<bool> idle_by(std::chrono::steady_clock::time_point until);
    void cut_off();
    void finish_stop();
    // The requests whose handlers have not returned, for the log: "id method route".
    [[nodiscard]] std::vector<std::string> under_way() const;
    // All of it, for a server whose handlers wait for nothing but their clients.
    boost::asio::awaitable<void> stop(std::chrono::milliseconds grace);

    [[nodiscard]] ServerCounts counts() const noexcept;

private:
    std::shared_ptr<ServerCore> core_;
};

}  // namespace atl::net

#pragma once
// Inside net: what all connections of one server share. One thread.
#include "base/workers.hpp"
#include "net/hangup.hpp"
#include "net/listen.hpp"
#include "net/peer_user.hpp"
#include "net/server.hpp"
#include "net/transport.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <ctime>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace atl::net {

class Connection;

struct Listener {
    boost::asio::posix::stream_descriptor socket;
    boost::asio::steady_timer pause;  // while there is nothing to accept with
    std::string unix_path;            // removed at the end; empty for TCP
    bool encrypted = false;
    std::optional<Accepted> parked = {};  // came, and cannot be watched yet
    bool pausing = false;
};

struct ServerCore : std::enable_shared_from_this<ServerCore> {
    ServerCore(boost::asio::any_io_executor on, ServerOptions with, Handler handler);

    void bind();
    void start();
    void begin_stop();
    void cut_off();
    boost::asio::awaitable<bool> idle_by(std::chrono::steady_clock::time_point until);
    void finish_stop();
    [[nodiscard]] std::vector<std::shared_ptr<Connection>> everybody() const;

    void close_listeners();
    void wait_to_accept(Listener& listener);
    void accept_from(Listener& listener);
    void pause_accepting(Listener& listener, const std::string& why);
    // False: nothing more can be watched now, and `accepted` is as it was.
    [[nodiscard]] bool welcome(Accepted& accepted, bool encrypted);
    [[nodiscard]] bool has_place(const Accepted& accepted);
    [[nodiscard]] bool make_room(const std::string* address);
    void turn_away(UniqueFd socket, bool encrypted);
    void sweep();
    void gone(Connection& connection);  // a connection's last word
    void schedule_sweep();

    // Bytes that nobody keeps over a wait: everybody's buffer for reading.
    [[nodiscard]] std::span<char> scratch() noexcept { return scratch_; }
    [[nodiscard]] const std::string& date();
    [[nodiscard]] std::string new_request_id();
    [[nodiscard]] spdlog::logger& log() const noexcept { return *options.log; }
    void finished(const Finished& what) const;

    boost::asio::any_io_executor executor;
    Workers& workers;  // the loop's
    ServerOptions options;
    Handler root;
    std::vector<std::string> addresses;
    TlsContext tls;
    std::shared_ptr<HangupWatch> hangups;
    PeerUsers peer_users;
    ServerCounts counts;
    bool started = false;
    bool stopping = false;
    bool stopped = false;  // nothing is begun any more

    std::vector<std::unique_ptr<Listener>> listeners;
    std::unordered_map<std::uint64_t, std::shared_ptr<Connection>> connections;
    std::unordered_map<std::string, std::size_t> by_address;
    boost::asio::steady_timer sweep_timer;
    boost::asio::steady_timer all_gone;
    std::chrono::milliseconds sweep_every{};

private:
    // Told 503 and kept a moment: closed at once, the kernel could take the words back.
    struct TurnedAway {
        UniqueFd socket;
        std::chrono::steady_clock::time_point until;
    };
    std::deque<TurnedAway> turned_away_;
    std::vector<char> scratch_;
    std::string date_;
    std::time_t date_second_ = 0;
    std::mt19937_64 random_;
    std::uint64_t next_serial_ = 1;
};

}  // namespace atl::net

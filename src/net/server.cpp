#include "net/server.hpp"

#include "base/as_tuple.hpp"
#include "base/encoding.hpp"
#include "base/watched.hpp"
#include "net/connection.hpp"
#include "net/core.hpp"
#include "net/listen.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <cstring>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

namespace atl::net {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t kScratchBytes = 128 * 1024;
constexpr int kAcceptsAtOnce = 64;
constexpr auto kAcceptPause = 100ms;
constexpr std::size_t kTurnedAwayMax = 64;
constexpr auto kTurnedAwayTime = 1s;
constexpr std::size_t kLoggedPathBytesMax = 512;

constexpr std::string_view kFull =
    "HTTP/1.1 503 Service Unavailable\r\n"
    "Content-Type: application/problem+json\r\n"
    "Retry-After: 1\r\n"
    "Connection: close\r\n"
    "Content-Length: 131\r\n"
    "\r\n"
    R"({"type":"about:blank","title":"Service Unavailable","status":503,"code":"unavailable",)"
    R"("detail":"the server has no free connection"})";
constexpr std::size_t kFullBodyBytes = kFull.size() - (kFull.find("\r\n\r\n") + 4);

std::chrono::milliseconds sweep_interval(const ServerOptions& options) {
    const auto shortest = std::min({options.header_timeout, options.idle_timeout,
                                    options.body_stall_timeout, options.write_stall_timeout});
    return std::clamp(shortest / 8, std::chrono::milliseconds(10), std::chrono::milliseconds(500));
}

}  // namespace

static_assert(kFullBodyBytes == 131, "the Content-Length above");

ServerCore::ServerCore(asio::any_io_executor on, ServerOptions with, Handler handler)
    : executor(std::move(on)),
      workers(workers_of(executor)),
      options(std::move(with)),
      root(std::move(handler)),
      sweep_timer(executor),
      all_gone(executor),
      sweep_every(sweep_interval(options)),
      scratch_(kScratchBytes),
      random_(std::random_device{}()) {
    if (!options.log) options.log = spdlog::default_logger();
}

void ServerCore::bind() {
    if (options.tls) {
        tls = make_tls_context(options.tls->certificate_file, options.tls->key_file).value();
    }
    for (const auto& address : options.listen) {
        auto bound = listen_on(address, options.unix_mode);
        if (!bound) {
            close_listeners();
            throw ErrorException(bound.error());
        }
        addresses.push_back(bound->address);
        const bool encrypted = tls != nullptr && bound->unix_path.empty();
        auto socket = watched(executor, std::move(bound->socket));
        listeners.push_back(
            std::make_unique<Listener>(Listener{std::move(socket), asio::steady_timer(executor),
                                                std::move(bound->unix_path), encrypted}));
    }
}

void ServerCore::start() {
    if (listeners.empty()) bind();
    std::weak_ptr<ServerCore> weak = weak_from_this();
    hangups = std::make_shared<HangupWatch>(executor, [weak](std::uint64_t number) {
        const auto core = weak.lock();
        if (!core) return;
        const auto found = core->connections.find(number);
        if (found != core->connections.end()) found->second->hung_up();
    });
    hangups->start();
    for (const auto& listener : listeners) wait_to_accept(*listener);
    schedule_sweep();
    started = true;
}

void ServerCore::close_listeners() {
    for (const auto& listener : listeners) {
        if (!listener->socket.is_open()) continue;
        boost::system::error_code ignored;
        listener->socket.close(ignored);
        listener->pause.cancel();
        listener->parked.reset();
        if (!listener->unix_path.empty()) ::unlink(listener->unix_path.c_str());
    }
}

void ServerCore::wait_to_accept(Listener& listener) {
    listener.socket.async_wait(
        asio::posix::stream_descriptor::wait_read,
        [self = shared_from_this(), &listener](boost::system::error_code failed) {
            if (!failed && listener.socket.is_open()) self->accept_from(listener);
        });
}

void ServerCore::accept_from(Listener& listener) {
    const auto dropped = counts.connections_dropped;
    for (int i = 0; i < kAcceptsAtOnce; ++i) {
        Accepted accepted;
        if (listener.parked) {
            accepted = std::move(*listener.parked);
            listener.parked.reset();
            // Asked for before it is taken: Asio keeps some memory of each failure.
            if (!hangups->has_room(accepted.socket.get())) {
                listener.parked = std::move(accepted);
                return pause_accepting(listener, "no epoll watch is left");
            }
        } else {
            accepted = accept_one(listener.socket.native_handle());
        }
        if (accepted.socket) {
            if (!welcome(accepted, listener.encrypted)) {
                listener.parked = std::move(accepted);
                return pause_accepting(listener, "no epoll watch is left");
            }
            if (listener.pausing) log().warn("accepting connections again");
            listener.pausing = false;
            if (counts.connections_dropped != dropped) break;  // it shall be gone before the next
            continue;
        }
        if (accepted.cause == ECONNABORTED || accepted.cause == EINTR) continue;
        if (accepted.cause == EAGAIN) break;
        return pause_accepting(listener, std::strerror(accepted.cause));
    }
    wait_to_accept(listener);
}

// Out of descriptors, watches or memory: trying again at once would only burn the processor.
void ServerCore::pause_accepting(Listener& listener, const std::string& why) {
    if (!listener.pausing) log().warn("accept: {}; pausing", why);
    listener.pausing = true;
    listener.pause.expires_after(kAcceptPause);
    listener.pause.async_wait([self = shared_from_this(), &listener](boost::system::error_code) {
        if (listener.socket.is_open()) self->accept_from(listener);
    });
}

// A connection that has waited long for a request, or has been at its head for long, makes way: the
// one that waited longest, of this address, or of the one that has most.
bool ServerCore::make_room(const std::string* address) {
    if (address == nullptr) {
        std::size_t most = 0;
        for (const auto& [key, count] : by_address) {
            if (count <= most) continue;
            most = count;
            address = &key;
        }
        if (address == nullptr) return false;
    }
    const auto before = std::chrono::steady_clock::now() - options.makes_room_after;
    Connection* longest = nullptr;
    for (const auto& [number, connection] : connections) {
        if (connection->address != *address || !connection->is_waiting() ||
            connection->waiting_since() > before) {
            continue;
        }
        if (longest == nullptr || connection->waiting_since() < longest->waiting_since()) {
            longest = connection.get();
        }
    }
    if (longest == nullptr) return false;
    longest->lost();
    ++counts.connections_dropped;
    return true;
}

bool ServerCore::has_place(const Accepted& accepted) {
    if (const auto found = by_address.find(accepted.limit_key);
        found != by_address.end() && found->second >= options.connections_per_address_max) {
        return make_room(&found->first);
    }
    const bool full = connections.size() >= options.connections_max;
    const bool in_reserve =
        options.descriptors_end > 0 && accepted.socket.get() >= options.descriptors_end;
    return (!full && !in_reserve) || make_room(nullptr);
}

bool ServerCore::welcome(Accepted& accepted, bool encrypted) {
    if (!has_place(accepted)) {
        ++counts.connections_total;
        turn_away(std::move(accepted.socket), encrypted);
        return true;
    }
    auto socket = try_watched(executor, accepted.socket.get());
    if (!socket) return false;
    (void)accepted.socket.release();
    ++counts.connections_total;
    if (!accepted.limit_key.empty()) ++by_address[accepted.limit_key];
    accepted.peer.encrypted = encrypted;
    // Once, and now: later its other end may be gone, and its port another's.
    if (accepted.loopback && options.wants_peer_uid && options.wants_peer_uid()) {
        accepted.peer.uid = peer_users.of(socket->native_handle());
    }
    const auto number = next_serial_++;
    const auto connection = std::make_shared<Connection>(
        shared_from_this(), number, std::move(accepted.limit_key), std::move(*socket),
        encrypted ? tls : nullptr, std::move(accepted.peer));
    connections.emplace(number, connection);
    counts.connections = connections.size();
    // It has an owner: it stands in `connections` until its end, and idle_by() waits for that.
    asio::co_spawn(
        executor, [connection]() -> asio::awaitable<void> { return connection->run(); },
        [](const std::exception_ptr&) {});
    return true;
}

void ServerCore::turn_away(UniqueFd socket, bool encrypted) {
    ++counts.connections_refused;
    if (encrypted) return;
    ::send(socket.get(), kFull.data(), kFull.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    ::shutdown(socket.get(), SHUT_WR);
    if (turned_away_.size() >= kTurnedAwayMax) turned_away_.pop_front();
    turned_away_.push_back({std::move(socket), std::chrono::steady_clock::now() + kTurnedAwayTime});
}

void ServerCore::gone(Connection& connection) {
    if (const auto found = by_address.find(connection.address); found != by_address.end()) {
        if (--found->second == 0) by_address.erase(found);
    }
    connections.erase(connection.number);
    counts.connections = connections.size();
    if (connections.empty()) all_gone.cancel();
}

void ServerCore::schedule_sweep() {
    sweep_timer.expires_after(sweep_every);
    sweep_timer.async_wait([self = shared_from_this()](boost::system::error_code failed) {
        // Cancelling does not reach one that has expired and is queued.
        if (failed || self->stopped) return;
        self->sweep();
        self->schedule_sweep();
    });
}

void ServerCore::sweep() {
    const auto now = std::chrono::steady_clock::now();
    for (const auto& [number, connection] : connections) connection->sweep(now);
    for (const auto& refused : turned_away_) {
        while (::recv(refused.socket.get(), scratch_.data(), scratch_.size(), MSG_DONTWAIT) > 0) {}
    }
    while (!turned_away_.empty() && turned_away_.front().until <= now) turned_away_.pop_front();
}

std::vector<std::shared_ptr<Connection>> ServerCore::everybody() const {
    std::vector<std::shared_ptr<Connection>> all;
    for (const auto& [number, connection] : connections) all.push_back(connection);
    return all;
}

void ServerCore::begin_stop() {
    stopping = true;
    close_listeners();
    for (const auto& connection : everybody()) connection->server_stops();
}

void ServerCore::cut_off() {
    for (const auto& connection : everybody()) connection->cut_off();
}

asio::awaitable<bool> ServerCore::idle_by(std::chrono::steady_clock::time_point until) {
    const auto self = shared_from_this();
    while (!connections.empty() && std::chrono::steady_clock::now() < until) {
        all_gone.expires_at(until);
        co_await all_gone.async_wait(kAsTuple);
    }
    co_return connections.empty();
}

void ServerCore::finish_stop() {
    stopped = true;
    sweep_timer.cancel();
    if (hangups) hangups->stop();
    turned_away_.clear();
}

const std::string& ServerCore::date() {
    const auto now = std::time(nullptr);
    if (now != date_second_) {
        date_second_ = now;
        std::tm parts{};
        ::gmtime_r(&now, &parts);
        // The names are fixed by HTTP; strftime would take the locale's.
        static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
        static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
        date_ = fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[parts.tm_wday],
                            parts.tm_mday, kMonths[parts.tm_mon], parts.tm_year + 1900,
                            parts.tm_hour, parts.tm_min, parts.tm_sec);
    }
    return date_;
}

std::string ServerCore::new_request_id() {
    constexpr std::string_view kHex = "0123456789abcdef";
    auto bits = random_();
    std::string id(16, '0');
    for (auto& digit : id) {
        digit = kHex[bits & 15];
        bits >>= 4;
    }
    return id;
}

void ServerCore::finished(const Finished& what) const {
    try {
        if (options.access_log) {
            // Without the query, where people put secrets; and nothing that could forge a line.
            const auto path = percent_encoded(
                std::string_view(what.request.target.path).substr(0, kLoggedPathBytesMax),
                "/:@!$&'()*+,;=%");
            options.access_log->info(
                "id={} peer={} method={} path={} route={} status={} ms={:.3f} in={} out={}{}",
                what.request.id, what.request.peer.address,
                what.request.method.empty() ? "-" : what.request.method, path.empty() ? "-" : path,
                what.route.empty() ? "-" : what.route, what.status,
                std::chrono::duration<double, std::milli>(what.duration).count(), what.bytes_in,
                what.bytes_out, what.complete ? "" : " incomplete");
        }
        if (options.observer) options.observer(what);
    } catch (const std::exception& failed) {
        log().error("{}: could not account for the request: {}", what.request.id, failed.what());
    }
}

Server::Server(asio::any_io_executor executor, ServerOptions options, Handler root)
    : core_(
          std::make_shared<ServerCore>(std::move(executor), std::move(options), std::move(root))) {}
Server::Server(Server&&) noexcept = default;
Server& Server::operator=(Server&&) noexcept = default;

Server::~Server() {
    if (!core_ || !core_->started) return;
    core_->stopping = true;
    core_->close_listeners();
    core_->finish_stop();
    core_->cut_off();
}

void Server::bind() { core_->bind(); }
void Server::start() { core_->start(); }
const std::vector<std::string>& Server::addresses() const noexcept { return core_->addresses; }

Result<void> Server::reload_tls(const std::optional<TlsOptions>& others) {
    const auto& files = others ? others : core_->options.tls;
    // Which listeners speak TLS was said when they were bound.
    if (!core_->options.tls || !files) {
        return Error{Code::Unsupported, "this server does not use TLS"};
    }
    auto context = make_tls_context(files->certificate_file, files->key_file);
    if (!context) return context.error().during("reload the certificate");
    core_->tls = std::move(*context);
    if (others) core_->options.tls = others;
    return {};
}

void Server::change_timeouts(std::chrono::milliseconds header, std::chrono::milliseconds idle) {
    core_->options.header_timeout = header;
    core_->options.idle_timeout = idle;
    core_->sweep_every = sweep_interval(core_->options);
}

void Server::begin_stop() { core_->begin_stop(); }
void Server::cut_off() { core_->cut_off(); }
void Server::finish_stop() { core_->finish_stop(); }

asio::awaitable<bool> Server::idle_by(std::chrono::steady_clock::time_point until) {
    return core_->idle_by(until);
}

std::vector<std::string> Server::under_way() const {
    std::vector<std::string> all;
    for (const auto& connection : core_->everybody()) {
        const auto& request = connection->request;
        all.push_back(request.id + " " + request.method + " " + request.route);
    }
    return all;
}

asio::awaitable<void> Server::stop(std::chrono::milliseconds grace) {
    const auto core = core_;
    core->begin_stop();
    const bool idle = co_await core->idle_by(std::chrono::steady_clock::now() + grace);
    if (!idle) {
        core->cut_off();
        co_await core->idle_by(std::chrono::steady_clock::time_point::max());
    }
    core->finish_stop();
}

ServerCounts Server::counts() const noexcept { return core_->counts; }

}  // namespace atl::net

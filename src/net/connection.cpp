#include "net/connection.hpp"

#include "base/as_tuple.hpp"
#include "base/encoding.hpp"
#include "base/must.hpp"
#include "net/compress.hpp"
#include "net/core.hpp"
#include "net/host.hpp"
#include "net/problem.hpp"
#include "net/range.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

namespace atl::net {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

// What one connection may do per loop iteration; then the others are served.
constexpr std::size_t kTurnBytes = 1u << 20;
constexpr unsigned kTurnRequests = 32;
// An unread body up to this is read and dropped; beyond it the connection is closed instead.
constexpr std::uint64_t kDrainBytesMax = 64 * 1024;
constexpr auto kLingerTime = 2s;
// So long nobody is asked whether a client is still welcome: most requests are over by then, and
// one that takes its own key away hears the answer.
constexpr auto kWelcomeTime = 1s;
constexpr std::size_t kLingerBytesMax = 8u << 20;
constexpr std::size_t kCompressBytesMin = 1024;
constexpr std::size_t kJoinBytesMax = 8 * 1024;  // below this a copy is cheaper than a second piece
constexpr std::size_t kSmallFileBytesMax = 32 * 1024;
constexpr std::size_t kFilePieceBytes = 128 * 1024;
constexpr std::size_t kRequestIdBytesMax = 64;
constexpr std::uint64_t kEarnedSecondsMax = 24 * 3600;  // what a fast start may be worth

bool is_sane_id(std::string_view id) noexcept {
    return !id.empty() && id.size() <= kRequestIdBytesMax &&
           std::all_of(id.begin(), id.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '-' || c == '_' || c == '.';
           });
}

// Written by head_text alone, whatever a handler says.
bool is_ours(std::string_view name) noexcept {
    for (const std::string_view ours : {"Content-Length", "Transfer-Encoding", "Connection",
                                        "Keep-Alive", "Date", "X-Request-Id"}) {
        if (same_ignoring_case(name, ours)) return true;
    }
    return false;
}

bool has_no_body(int status) noexcept { return status < 200 || status == 204 || status == 304; }

Code code_of(int status) noexcept {
    switch (status) {
        case 408: return Code::Timeout;
        case 413:
        case 414:
        case 431: return Code::TooLarge;
        case 501:
        case 505: return Code::Unsupported;
        default: return Code::InvalidArgument;
    }
}

void append_number(std::string& out, std::uint64_t value, int base = 10) {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, value, base).ptr;
    out.append(digits, end);
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
    out.append(name).append(": ").append(value).append("\r\n");
}

void append_fields(std::string& out, const Headers& headers) {
    for (const auto& [name, value] : headers) {
        if (is_ours(name)) continue;
        if (!is_token(name) || !is_field_value(value)) {
            throw ErrorException(
                {Code::Internal, "an answer's header cannot be sent: " + percent_encoded(name)});
        }
        append_field(out, name, value);
    }
}

// Marks a connection as being written to; the sweep sends no heartbeats until it is done.
class Mark {
public:
    explicit Mark(bool& flag) noexcept : flag_(flag) { flag_ = true; }
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;
    ~Mark() { flag_ = false; }

private:
    bool& flag_;
};

void say_coding(Headers& headers, Coding coding) {
    if (coding == Coding::Identity) return;
    headers.set("Content-Encoding", name_of(coding));
    // The bytes are others now, so a strong tag would lie.
    if (const auto tag = headers.get("ETag"); tag && tag->substr(0, 2) != "W/") {
        headers.set("ETag", "W/" + std::string(*tag));
    }
}

// Destroys a body on a worker, so that it does not block the loop, however the response ends.
class DestroyedOnWorker {
public:
    DestroyedOnWorker(Workers& workers, std::unique_ptr<LargeBody>& body) noexcept
        : workers_(workers), body_(body) {}
    DestroyedOnWorker(const DestroyedOnWorker&) = delete;
    DestroyedOnWorker& operator=(const DestroyedOnWorker&) = delete;
    ~DestroyedOnWorker() { workers_.drop(std::move(body_)); }

private:
    Workers& workers_;
    std::unique_ptr<LargeBody>& body_;
};

// The raw connection after an upgrade.
class Tunnel final : public ByteStream {
public:
    explicit Tunnel(Connection& connection) : connection_(connection) {}
    asio::awaitable<std::size_t> read_some(std::span<char> into) override {
        return connection_.read_raw(into);
    }
    asio::awaitable<void> write_all(std::string_view bytes) override {
        return connection_.send(bytes);
    }
    void shutdown_write() override { connection_.transport().shutdown_write(); }
    void close() override {
        connection_.complete();
        connection_.lost();
    }

private:
    Connection& connection_;
};

}  // namespace

Connection::Connection(std::shared_ptr<ServerCore> core, std::uint64_t own_number,
                       std::string own_address, asio::posix::stream_descriptor socket,
                       TlsContext tls, Peer peer)
    : number(own_number),
      address(std::move(own_address)),
      core_(std::move(core)),
      transport_(std::move(socket), std::move(tls)) {
    request.peer = std::move(peer);
}

// ---- the life of a connection ------------------------------------------------------------------

asio::awaitable<void> Connection::run() {
    const auto self = shared_from_this();
    try {
        bool again = co_await handshake();
        bool answered = false;
        while (again) {
            const auto reading = co_await read_head();
            if (reading == Reading::Closed) break;
            answered = true;
            co_await serve();
            again = co_await finish();
        }
        idle_ = true;
        if (answered && !dead_) co_await linger();
    } catch (const std::exception& failed) {
        // The client went, or the server cut it off: nobody is left to tell.
        core_->log().debug("connection {} ended: {}", number, failed.what());
    }
    transport_.close();
    core_->gone(*this);
}

asio::awaitable<bool> Connection::handshake() {
    if (!transport_.encrypted()) co_return true;
    const auto deadline = Clock::now() + core_->options.header_timeout;
    for (;;) {
        const auto io = transport_.try_handshake();
        if (io.state == Transport::State::Done) co_return true;
        if (io.state == Transport::State::End || io.state == Transport::State::Failed) {
            co_return false;
        }
        co_await wait_read(io.state, deadline);
        if (read_expired_) co_return false;
    }
}

Connection::Reading Connection::refuse(int status, std::string sentence) {
    refusal_ = Refusal{status, std::move(sentence)};
    return Reading::Refused;
}

asio::awaitable<Connection::Reading> Connection::read_head() {
    using State = Transport::State;
    const auto& options = core_->options;
    reset_exchange();
    bool started = !in_.empty();
    // A client that just got its answer has hardly sent the next request yet: wait first.
    bool look = served_ == 0 || transport_.encrypted();
    auto deadline =
        Clock::now() + (started || served_ == 0 ? options.header_timeout : options.idle_timeout);

    const auto take = [&](std::string_view bytes, std::size_t& used) -> std::optional<Reading> {
        if (!parser_) {
            parser_ = HeadParser::make(HeadParser::Kind::Request,
                                       {options.header_bytes_max, options.headers_max});
        }
        auto taken = parser_->take(bytes);
        used = taken.used;
        if (taken.refusal) {
            request.began = Clock::now();
            request.id = core_->new_request_id();
            return refuse(taken.refusal->status, std::move(taken.refusal->sentence));
        }
        if (!parser_->head_done()) return std::nullopt;
        const auto result = accept_head(parser_->head());
        parser_.reset();
        return result;
    };

    for (;;) {
        if (!in_.empty()) {
            std::size_t used = 0;
            const auto result = take(in_.view(), used);
            in_.use(used);
            if (result) {
                idle_ = false;
                co_return *result;
            }
        }
        const auto scratch = core_->scratch();
        const auto io = look ? transport_.try_read(scratch.data(), scratch.size())
                             : Transport::Io{State::WantRead, 0};
        look = true;
        if (io.state == State::End || io.state == State::Failed) co_return Reading::Closed;
        if (io.state == State::Done) {
            if (!started) {
                started = true;
                deadline = Clock::now() + options.header_timeout;
            }
            const std::string_view bytes(scratch.data(), io.bytes);
            if (!in_.empty()) {
                in_.append(bytes);
                continue;
            }
            std::size_t used = 0;
            const auto result = take(bytes, used);
            in_.append(bytes.substr(used));
            idle_ = false;
            if (result) co_return *result;
            continue;  // TLS may hold more already, which no wait would tell
        }
        if (core_->stopping && !started) co_return Reading::Closed;
        co_await wait_read(io.state, deadline);
        if (read_expired_) {
            if (!started) co_return Reading::Closed;
            request.began = Clock::now();
            request.id = core_->new_request_id();
            co_return refuse(408, "the request head was sent too slowly");
        }
    }
}

Connection::Reading Connection::accept_head(Head& head) {
    request.began = Clock::now();
    request.method = std::move(head.method);
    request.version = head.version;
    request.headers = std::move(head.headers);
    const auto id = request.headers.get_or("X-Request-Id", {});
    request.id = is_sane_id(id) ? std::string(id) : core_->new_request_id();

    if (request.method == "CONNECT") return refuse(501, "this server is not a forward proxy");
    auto target = parse_target(head.target);
    if (!target) return refuse(400, target.error().message);
    request.target = std::move(*target);
    if (request.target.path == "*" && request.method != "OPTIONS") {
        return refuse(400, "only OPTIONS may ask for *");
    }
    const auto host = request.headers.get_or("Host", {});
    if (!host.empty() && !parse_host(host)) return refuse(400, "the Host header is malformed");
    if (!request.target.authority.empty() && !same_ignoring_case(request.target.authority, host)) {
        return refuse(400, "the target and the Host name different hosts");
    }

    keep_ = head.keep_alive;
    framing_ = head.framing;
    body_left_ = head.length;
    body_done_ = framing_ == Framing::None;
    chunks_ = ChunkDecoder();
    if (const auto expect = request.headers.get("Expect"); expect && request.version >= 11) {
        if (!same_ignoring_case(*expect, "100-continue")) {
            return refuse(417, "the only supported expectation is 100-continue");
        }
        expects_continue_ = !body_done_;
    }
    return Reading::Ready;
}

void Connection::reset_exchange() {
    ++exchange_;
    waiting_since_ = Clock::now();
    idle_ = true;
    refusal_.reset();
    parser_.reset();
    request.method.clear();
    request.target = Target();
    request.headers.clear();
    request.id.clear();
    request.parameters.clear();
    request.route.clear();
    request.context.reset();
    body_limit = core_->options.body_bytes_max;
    framing_ = Framing::None;
    body_left_ = body_bytes_ = 0;
    body_done_ = true;
    body_broken_ = expects_continue_ = false;
    body_waited_ = {};
    keep_ = begun_ = ended_ = chunked_ = bodiless_ = false;
    answer_left_.reset();
    status_ = 0;
    bytes_out_ = 0;
    gone_ = dead_;
}

asio::awaitable<void> Connection::serve() {
    std::optional<Problem> problem;
    serving_ = true;
    ++core_->counts.exchanges;
    ++core_->counts.requests_total;
    try {
        if (refusal_) {
            keep_ = false;
            body_broken_ = true;
            problem.emplace(code_of(refusal_->status), refusal_->sentence);
            problem->status = refusal_->status;
        } else {
            if (core_->options.admit) core_->options.admit(request);
            Exchange exchange(*this);
            co_await core_->root(exchange);
            if (!begun_ && gone_) {
                lost();  // the handler gave up with good reason
            } else if (!begun_) {
                core_->log().error("{}: the handler of {} sent no response", request.id,
                                   request.route);
                problem.emplace(Code::Internal, "the server sent no response to this");
            }
        }
    } catch (const ClientGone&) { lost(); } catch (const Problem& failed) {
        problem = failed;
    } catch (const ErrorException& failed) {
        problem.emplace(failed.error);
    } catch (const std::exception& failed) {
        core_->log().error("{}: {} {}: {}", request.id, request.method, request.route,
                           failed.what());
        problem.emplace(Code::Internal, "the server failed on this request");
    } catch (...) {
        core_->log().error("{}: {} {}: an unknown exception was thrown", request.id, request.method,
                           request.route);
        problem.emplace(Code::Internal, "the server failed on this request");
    }

    // The handler's frame is gone, and with it what its callbacks refer to.
    must(on_gone_.empty() && on_stopping_.empty() && !on_shown_out_,
         "a handler takes its callbacks back");
    if (problem && problem->error.code == Code::Internal) {
        core_->log().error("{}: {}", request.id, problem->error.message);
    }
    if (problem && !begun_ && !dead_) {
        try {
            co_await answer_problem(std::move(*problem));
        } catch (const std::exception& failed) {
            core_->log().debug("{}: could not send the error: {}", request.id, failed.what());
            lost();
        }
    }
    if (begun_ && answer_left_ == 0u && !chunked_) ended_ = true;
    if (begun_ && !ended_ && !dead_) cut();
    end_exchange();
}

asio::awaitable<void> Connection::answer_problem(Problem problem) {
    std::optional<Response> told;
    if (core_->options.tell_problem) told = core_->options.tell_problem(request, problem);
    auto response = told ? std::move(*told) : problem_response(problem, request.id);
    co_await respond(std::move(response));
}

void Connection::end_exchange() {
    events_ = false;
    tunnel_.reset();
    gone_timer_.reset();
    if (packer_) core_->workers.drop(std::move(packer_));
    if (watched_) {
        watched_ = false;
        if (transport_.descriptor().is_open()) core_->hangups->forget(transport_.native());
    }
    looks_itself_ = false;
    --core_->counts.exchanges;
    serving_ = false;
    report();
    ++exchange_;  // what was posted for this one finds nobody
}

void Connection::report() {
    const int status = begun_ ? status_ : gone_ ? 499 : 0;
    core_->finished({request, request.route, status, body_bytes_, bytes_out_,
                     Clock::now() - request.began, ended_});
}

asio::awaitable<bool> Connection::finish() {
    if (dead_ || !ended_ || !keep_) co_return false;
    while (!body_done_) {
        // Nobody looks at the bytes, so the shared buffer may hold them over a wait.
        const auto bytes = co_await read_into(core_->scratch());
        if (bytes == 0) break;
    }
    if (++served_ % kTurnRequests == 0) co_await yield();
    co_return !dead_;
}

// Closing while the client still sends would make the kernel answer with a reset, and the client
// might never read what we said last.
asio::awaitable<void> Connection::linger() {
    transport_.shutdown_write();
    const auto deadline = Clock::now() + kLingerTime;
    std::size_t dropped = 0;
    while (dropped < kLingerBytesMax && !core_->stopping) {
        const auto scratch = core_->scratch();
        const auto io = transport_.try_read(scratch.data(), scratch.size());
        if (io.state == Transport::State::End || io.state == Transport::State::Failed) co_return;
        if (io.state == Transport::State::Done) {
            dropped += io.bytes;
            if (spent(io.bytes)) co_await yield();
            continue;
        }
        co_await wait_read(io.state, deadline);
        if (read_expired_) co_return;
    }
}

// ---- waiting -----------------------------------------------------------------------------------

asio::awaitable<void> Connection::wait_read(Transport::State state, Clock::time_point deadline) {
    budget_ = 0;
    read_expired_ = false;
    read_deadline_ = deadline;
    co_await transport_.wait_for(state);
    read_deadline_ = kNever;
    if (dead_) throw ClientGone();
}

asio::awaitable<void> Connection::wait_write(Transport::State state) {
    budget_ = 0;
    expect_write_progress();
    co_await transport_.wait_for(state);
    write_deadline_ = kNever;
    if (dead_) throw ClientGone();
}

void Connection::expect_write_progress() {
    write_deadline_ = Clock::now() + core_->options.write_stall_timeout;
}

void Connection::write_progressed(std::size_t bytes) noexcept {
    write_deadline_ = kNever;
    bytes_out_ += bytes;
}

bool Connection::spent(std::size_t bytes) noexcept {
    core_->counts.bytes_charged += bytes;
    budget_ += bytes;
    if (budget_ < kTurnBytes) return false;
    budget_ = 0;
    return true;
}

asio::awaitable<void> Connection::yield() {
    budget_ = 0;
    co_await asio::post(core_->executor, asio::use_awaitable);
}

void Connection::sweep(Clock::time_point now) {
    if (now >= write_deadline_) {
        core_->log().debug("connection {}: the client stopped reading", number);
        lost();
        return;
    }
    if (now >= read_deadline_) {
        read_expired_ = true;
        read_deadline_ = kNever;
        transport_.cancel_waits();
    }
    if (looks_itself_ && !gone_ && has_hung_up(transport_.native())) hung_up();
    if (!idle_ && !dead_ && now - request.began >= kWelcomeTime && core_->options.still_welcome &&
        !core_->options.still_welcome(request)) {
        show_out();
        return;
    }
    if (!events_ || writing_ || ended_ || dead_ || now - last_write_ < heartbeat_) return;
    if (pending_.empty()) pending_ = chunked_ ? "3\r\n:\n\n\r\n" : ":\n\n";
    const iovec piece{pending_.data(), pending_.size()};
    const auto io = transport_.try_write(&piece, 1);
    if (io.state == Transport::State::Done) {
        bytes_out_ += io.bytes;
        pending_.erase(0, io.bytes);
        if (pending_.empty()) last_write_ = now;
    } else if (io.state != Transport::State::WantWrite ||
               now - last_write_ > heartbeat_ + core_->options.write_stall_timeout) {
        lost();
    }
}

// ---- the client's going, and ours --------------------------------------------------------------

void Connection::watch() {
    if (watched_ || !transport_.descriptor().is_open()) return;
    watched_ = true;
    looks_itself_ = !core_->hangups->watch(transport_.native(), number);
}

void Connection::hung_up() {
    if (!watched_ || gone_) return;
    gone_ = true;
    tell_gone();
}

void Connection::lost() noexcept {
    if (dead_) return;
    dead_ = gone_ = true;
    write_deadline_ = read_deadline_ = kNever;
    transport_.shutdown_both();
    transport_.cancel_waits();
    tell_gone();
}

void Connection::on_shown_out(std::function<std::string()> last_word) {
    on_shown_out_ = std::move(last_word);
}

// Nothing is waited for: whoever does not take the last word at once does without it.
void Connection::show_out() {
    auto word = on_shown_out_ ? on_shown_out_() : std::string();
    if (!word.empty()) {
        const iovec piece{word.data(), word.size()};
        const auto io = transport_.try_write(&piece, 1);
        if (io.state == Transport::State::Done) bytes_out_ += io.bytes;
    }
    lost();
}

void Connection::tell_gone() {
    if (gone_timer_) gone_timer_->cancel();
    tell(on_gone_, "the client went");
}

// In the next loop iteration: whoever finds out is in the middle of something.
void Connection::tell(Callbacks& callbacks, const char* what) {
    if (callbacks.empty()) return;
    asio::post(core_->executor, [self = shared_from_this(), exchange = exchange_, &callbacks,
                                 what] {
        if (self->exchange_ != exchange) return;
        callbacks.call([&](const std::exception& failed) {
            self->core_->log().error("{}: told that {}: {}", self->request.id, what, failed.what());
        });
    });
}

Callbacks::Guard Connection::on_gone(std::function<void()> callback) {
    auto guard = on_gone_.add(std::move(callback));
    watch();
    if (gone_) tell_gone();
    return guard;
}

bool Connection::connection_broken() {
    return dead_ || !transport_.descriptor().is_open() || is_broken(transport_.native());
}

bool Connection::client_gone() {
    if (!gone_ && transport_.descriptor().is_open()) gone_ = has_hung_up(transport_.native());
    return gone_;
}

asio::awaitable<void> Connection::until_gone() {
    watch();
    if (!gone_ && !gone_timer_) {
        gone_timer_ = std::make_unique<asio::steady_timer>(core_->executor,
                                                           asio::steady_timer::time_point::max());
    }
    while (!gone_) co_await gone_timer_->async_wait(kAsTuple);
}

Callbacks::Guard Connection::on_stopping(std::function<void()> callback) {
    auto guard = on_stopping_.add(std::move(callback));
    if (core_->stopping) tell(on_stopping_, "the server stops");
    return guard;
}

void Connection::server_stops() {
    if (idle_) {
        lost();
        return;
    }
    tell(on_stopping_, "the server stops");
}

// A reset, not an orderly end: without a length the client could take that for the whole answer.
void Connection::cut() noexcept {
    if (transport_.descriptor().is_open()) {
        const ::linger at_once{1, 0};
        ::setsockopt(transport_.native(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        if (watched_) core_->hangups->forget(transport_.native());
        watched_ = false;
    }
    dead_ = gone_ = true;
    transport_.close();
}

// ---- the request's body ------------------------------------------------------------------------

std::optional<std::uint64_t> Connection::content_length() const noexcept {
    if (framing_ == Framing::None) return 0;
    if (framing_ == Framing::Length) return body_bytes_ + body_left_;
    return std::nullopt;
}

void Connection::fail_body(std::string sentence) {
    body_broken_ = true;
    throw ErrorException({Code::InvalidArgument, std::move(sentence)});
}

void Connection::count_body(std::size_t bytes) {
    body_bytes_ += bytes;
    if (body_bytes_ > body_limit) refuse_large_body();
}

void Connection::refuse_large_body() {
    body_broken_ = true;
    throw ErrorException(
        {Code::TooLarge, "the body is larger than " + std::to_string(body_limit) + " bytes"});
}

Connection::Clock::time_point Connection::body_deadline(Clock::time_point now) const {
    const auto& options = core_->options;
    auto patience = Clock::duration(options.body_stall_timeout);
    if (options.body_bytes_per_second_min > 0) {
        const auto earned = std::chrono::seconds(std::min<std::uint64_t>(
            body_bytes_ / options.body_bytes_per_second_min, kEarnedSecondsMax));
        patience =
            std::min<Clock::duration>(patience, options.body_rate_grace + earned - body_waited_);
    }
    return now + std::max(patience, Clock::duration::zero());
}

asio::awaitable<std::size_t> Connection::read_into(std::span<char> buffer) {
    using State = Transport::State;
    if (body_broken_) fail_body("the rest of the body cannot be read");
    if (body_done_ || buffer.empty()) co_return 0;
    if (framing_ == Framing::Length &&
        body_left_ > body_limit - std::min(body_limit, body_bytes_)) {
        refuse_large_body();
    }
    if (expects_continue_) {
        expects_continue_ = false;
        if (!begun_) co_await send("HTTP/1.1 100 Continue\r\n\r\n");
    }
    for (;;) {
        auto wanted = State::WantRead;
        if (framing_ == Framing::Length) {
            const auto room = buffer.first(
                static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), body_left_)));
            std::size_t bytes = 0;
            Transport::Io io{State::WantRead, 0};
            if (!in_.empty()) {
                const auto ready = in_.view().substr(0, room.size());
                std::copy(ready.begin(), ready.end(), room.begin());
                bytes = ready.size();
                in_.use(bytes);
            } else {
                io = transport_.try_read(room.data(), room.size());
                bytes = io.bytes;
            }
            if (bytes > 0) {
                body_left_ -= bytes;
                body_done_ = body_left_ == 0;
                count_body(bytes);
                if (spent(bytes)) co_await yield();
                co_return bytes;
            }
            if (io.state == State::End) fail_body("the body ended early");
            if (io.state == State::Failed) {
                lost();
                throw ClientGone();
            }
            wanted = io.state;
        } else {
            ChunkDecoder::Taken taken;
            if (!in_.empty()) {
                taken = chunks_.take(in_.view(), buffer);
                in_.use(taken.used);
            } else {
                // Never more than the caller can take, so that little is left to keep.
                const auto scratch = core_->scratch();
                const auto bytes_max =
                    std::min(scratch.size(), std::max<std::size_t>(buffer.size(), 4096));
                const auto io = transport_.try_read(scratch.data(), bytes_max);
                if (io.state == State::End) fail_body("the body ended early");
                if (io.state == State::Failed) {
                    lost();
                    throw ClientGone();
                }
                if (io.state != State::Done) wanted = io.state;
                const std::string_view came(scratch.data(), io.bytes);
                taken = chunks_.take(came, buffer);
                in_.append(came.substr(taken.used));
            }
            if (chunks_.broken()) fail_body("the chunks of the body are malformed");
            body_done_ = chunks_.done();
            if (taken.wrote > 0) count_body(taken.wrote);
            // What came counts, not what it decodes to: the framing of tiny chunks is the work.
            if (spent(taken.used)) co_await yield();
            if (taken.wrote > 0) co_return taken.wrote;
            if (body_done_) co_return 0;
            if (taken.used > 0) continue;
        }
        const auto before = Clock::now();
        co_await wait_read(wanted, body_deadline(before));
        body_waited_ += Clock::now() - before;
        if (read_expired_) {
            body_broken_ = true;
            throw Problem(Code::Timeout, "the request body was sent too slowly").with_status(408);
        }
    }
}

asio::awaitable<std::string> Connection::read_body(std::size_t bytes_max) {
    body_limit = std::min<std::uint64_t>(body_limit, bytes_max);
    std::string body;
    if (framing_ == Framing::Length) {
        // The client's word is enough to refuse, but not to allocate much.
        body.reserve(static_cast<std::size_t>(
            std::min<std::uint64_t>({body_left_, bytes_max, std::uint64_t{1} << 20})));
    }
    std::size_t filled = 0;
    for (;;) {
        if (filled == body.size()) {
            const auto step = std::clamp<std::size_t>(body.size(), 4096, 1u << 20);
            const auto known =
                framing_ == Framing::Length
                    ? static_cast<std::size_t>(std::min<std::uint64_t>(body_left_, 1u << 20))
                    : step;
            body.resize(filled + std::max<std::size_t>(known, 1));
        }
        const std::span<char> room(body.data() + filled, body.size() - filled);
        const auto bytes = co_await read_into(room);
        filled += bytes;
        if (bytes == 0 || body_done_) break;
    }
    body.resize(filled);
    co_return body;
}

// ---- the answer --------------------------------------------------------------------------------

asio::awaitable<void> Connection::send(std::string_view first, std::string_view second,
                                       std::string_view third) {
    if (dead_) throw ClientGone();
    const Mark mark(writing_);
    const auto piece = [](std::string_view text) {
        return iovec{const_cast<char*>(text.data()), text.size()};
    };
    std::array<iovec, 4> pieces{piece(pending_), piece(first), piece(second), piece(third)};
    std::size_t at = 0;
    for (;;) {
        while (at < pieces.size() && pieces[at].iov_len == 0) ++at;
        if (at == pieces.size()) break;
        const auto io = transport_.try_write(&pieces[at], static_cast<int>(pieces.size() - at));
        if (io.state == Transport::State::WantWrite || io.state == Transport::State::WantRead) {
            co_await wait_write(io.state);
            continue;
        }
        if (io.state != Transport::State::Done) {
            lost();
            throw ClientGone();
        }
        bytes_out_ += io.bytes;
        auto left = io.bytes;
        while (left > 0) {
            const auto step = std::min(left, pieces[at].iov_len);
            pieces[at].iov_base = static_cast<char*>(pieces[at].iov_base) + step;
            pieces[at].iov_len -= step;
            left -= step;
            if (pieces[at].iov_len == 0) ++at;
        }
        if (spent(io.bytes)) co_await yield();
    }
    pending_.clear();
    if (events_) last_write_ = Clock::now();
}

bool Connection::body_will_end_soon() const noexcept {
    if (body_broken_) return false;
    return body_done_ ||
           (framing_ == Framing::Length && body_left_ <= kDrainBytesMax && !expects_continue_);
}

void Connection::decorate(int status, Headers& headers) {
    if (core_->options.decorate) core_->options.decorate(request, status, headers);
}

std::string Connection::head_text(int status, Headers headers, Length kind, std::uint64_t length) {
    decorate(status, headers);
    std::string out;
    out.reserve(320);
    out.append("HTTP/1.1 ");
    append_number(out, static_cast<unsigned>(status));
    out.append(" ").append(reason_phrase(status)).append("\r\n");
    append_field(out, "Date", core_->date());
    append_fields(out, headers);
    append_field(out, "X-Request-Id", request.id);
    const bool can_chunk = request.version >= 11;
    if (kind == Length::Known) {
        out.append("Content-Length: ");
        append_number(out, length);
        out.append("\r\n");
    } else if (kind == Length::Unknown && can_chunk) {
        out.append("Transfer-Encoding: chunked\r\n");
    }
    keep_ =
        keep_ && !core_->stopping && body_will_end_soon() && (kind != Length::Unknown || can_chunk);
    if (!keep_) {
        out.append("Connection: close\r\n");
    } else if (request.version < 11) {
        out.append("Connection: keep-alive\r\n");
    }
    out.append("\r\n");
    return out;
}

// What a body is packed with; says in the headers that others may get it otherwise.
Coding Connection::coding_for(int status, Headers& headers) const {
    if (has_no_body(status) || headers.contains("Content-Encoding") ||
        headers.contains("Content-Range") || headers.has_token("Cache-Control", "no-transform") ||
        !is_compressible(headers.get_or("Content-Type", {}))) {
        return Coding::Identity;
    }
    headers.add("Vary", "Accept-Encoding");
    return choose_coding(request.headers);
}

asio::awaitable<void> Connection::respond(Response response) {
    if (begun_) throw ErrorException({Code::Internal, "a second answer to one request"});
    auto coding = Coding::Identity;
    if (response.body.size() >= kCompressBytesMin || response.rest) {
        coding = coding_for(response.status, response.headers);
    }
    if (response.rest || (coding != Coding::Identity && response.body.size() > kLargeBytes)) {
        return respond_in_pieces(std::move(response), coding);
    }
    if (coding != Coding::Identity) {
        std::string packed;
        {
            Compressor compressor(coding);
            compressor.add(response.body, packed);
            compressor.finish(packed);
        }
        if (packed.size() < response.body.size()) {
            response.body = std::move(packed);
            say_coding(response.headers, coding);
        }
    }
    return respond_whole(std::move(response));
}

asio::awaitable<void> Connection::respond_whole(Response response) {
    const bool no_body = has_no_body(response.status);
    auto head = head_text(response.status, std::move(response.headers),
                          no_body ? Length::NoBody : Length::Known, response.body.size());
    begun_ = true;
    status_ = response.status;
    bodiless_ = no_body || request.method == "HEAD";
    if (bodiless_) {
        co_await send(head);
    } else if (response.body.size() <= kJoinBytesMax) {
        head += response.body;
        co_await send(head);
    } else {
        co_await send(head, response.body);
    }
    ended_ = true;
}

asio::awaitable<void> Connection::respond_in_pieces(Response response, Coding coding) {
    auto body =
        std::make_unique<LargeBody>(std::move(response.body), std::move(response.rest), coding);
    const DestroyedOnWorker destroyed(core_->workers, body);
    response.body.clear();
    std::string piece;
    const auto make = [&] {
        piece.clear();
        return body->next(piece);
    };
    bool more = co_await core_->workers.run(make);
    say_coding(response.headers, coding);
    if (!more) {  // it is not that large, once it is packed
        response.body = std::move(piece);
        co_await respond_whole(std::move(response));
        co_return;
    }
    co_await begin(response.status, std::move(response.headers), std::nullopt);
    while (!bodiless_) {
        co_await write(piece);
        if (!more) break;
        more = co_await core_->workers.run(make);
    }
    co_await end();
}

asio::awaitable<void> Connection::begin_large(int status, Headers headers) {
    const auto coding = coding_for(status, headers);
    say_coding(headers, coding);
    packer_ = std::make_unique<Packer>(coding);
    return begin(status, std::move(headers), std::nullopt);
}

asio::awaitable<void> Connection::write_large(Produce make) {
    if (!packer_) throw ErrorException({Code::Internal, "no large answer is under way"});
    if (bodiless_) co_return;
    std::string piece;
    const auto pack = [&] { return packer_->add(make, piece); };
    co_await core_->workers.run(pack);
    core_->workers.drop(std::move(make));
    co_await write(piece);
}

asio::awaitable<void> Connection::begin(int status, Headers headers,
                                        std::optional<std::uint64_t> length) {
    if (begun_) throw ErrorException({Code::Internal, "a second answer to one request"});
    const bool no_body = has_no_body(status);
    const auto kind = no_body ? Length::NoBody : length ? Length::Known : Length::Unknown;
    const auto head = head_text(status, std::move(headers), kind, length.value_or(0));
    begun_ = true;
    status_ = status;
    bodiless_ = no_body || request.method == "HEAD";
    chunked_ = kind == Length::Unknown && request.version >= 11 && !bodiless_;
    answer_left_ = bodiless_ ? std::optional<std::uint64_t>(0) : length;
    co_await send(head);
}

asio::awaitable<void> Connection::write(std::string_view piece) {
    if (!begun_ || ended_) throw ErrorException({Code::Internal, "a body outside of an answer"});
    if (bodiless_ || piece.empty()) co_return;
    if (answer_left_) {
        if (piece.size() > *answer_left_) {
            throw ErrorException({Code::Internal, "an answer longer than its Content-Length"});
        }
        co_await send(piece);
        *answer_left_ -= piece.size();
        co_return;
    }
    if (!chunked_) {
        co_await send(piece);
        co_return;
    }
    std::string size;
    append_number(size, piece.size(), 16);
    size.append("\r\n");
    if (piece.size() <= kJoinBytesMax) {
        size.append(piece).append("\r\n");
        co_await send(size);
    } else {
        co_await send(size, piece, "\r\n");
    }
}

asio::awaitable<void> Connection::end() {
    if (!begun_ || ended_) co_return;
    if (answer_left_.value_or(0) != 0) {
        throw ErrorException({Code::Internal, "an answer shorter than its Content-Length"});
    }
    if (packer_ && !bodiless_) {
        std::string last;
        const auto finish = [&] {
            packer_->finish(last);
            return true;
        };
        co_await core_->workers.run(finish);
        co_await write(last);
    }
    if (chunked_) co_await send("0\r\n\r\n");
    ended_ = true;
}

asio::awaitable<void> Connection::send_file(int fd, std::uint64_t size, FileOptions options) {
    if (is_unchanged(request.headers, options.headers) && options.status == 200) {
        options.headers.remove("Content-Type");
        Response unchanged{304, std::move(options.headers), {}};
        co_await respond(std::move(unchanged));
        co_return;
    }
    Range range{Range::Kind::Whole, 0, size};
    if (options.ranges) {
        options.headers.set("Accept-Ranges", "bytes");
        if (request.method == "GET" && options.status == 200) {
            range = range_of(request.headers, options.headers, size);
        }
    }
    if (range.kind == Range::Kind::Unsatisfiable) {
        Problem problem(Code::InvalidArgument, "the file has no such range");
        problem.status = 416;
        problem.headers.set("Content-Range", "bytes */" + std::to_string(size));
        throw problem;
    }
    if (range.kind == Range::Kind::Part) {
        options.status = 206;
        options.headers.set("Content-Range", "bytes " + std::to_string(range.first) + "-" +
                                                 std::to_string(range.first + range.length - 1) +
                                                 "/" + std::to_string(size));
    }
    const auto offset = options.offset + range.first;
    if (range.length <= kSmallFileBytesMax && request.method != "HEAD") {
        std::string body(static_cast<std::size_t>(range.length), '\0');
        std::size_t got = 0;
        while (got < body.size()) {
            const auto bytes =
                ::pread(fd, body.data() + got, body.size() - got, static_cast<off_t>(offset + got));
            if (bytes < 0 && errno == EINTR) continue;
            if (bytes <= 0) throw ErrorException({Code::Internal, "the file got shorter"});
            got += static_cast<std::size_t>(bytes);
        }
        auto head =
            head_text(options.status, std::move(options.headers), Length::Known, range.length);
        begun_ = true;
        status_ = options.status;
        co_await send(head, body);
        ended_ = true;
        co_return;
    }
    co_await begin(options.status, std::move(options.headers), range.length);
    if (!bodiless_) co_await copy_file(fd, offset, range.length);
    ended_ = true;
}

asio::awaitable<void> Connection::copy_file(int fd, std::uint64_t offset, std::uint64_t length) {
    ::posix_fadvise(fd, static_cast<off_t>(offset), static_cast<off_t>(length),
                    POSIX_FADV_SEQUENTIAL);
    const Error shorter{Code::Internal, "the file got shorter while it was sent"};
    if (transport_.encrypted()) {
        std::string piece(kFilePieceBytes, '\0');
        while (length > 0) {
            const auto wanted =
                static_cast<std::size_t>(std::min<std::uint64_t>(length, piece.size()));
            const auto got = ::pread(fd, piece.data(), wanted, static_cast<off_t>(offset));
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) throw ErrorException(shorter);
            const auto bytes = static_cast<std::size_t>(got);
            const auto ready = std::string_view(piece).substr(0, bytes);
            co_await send(ready);
            offset += bytes;
            length -= bytes;
            *answer_left_ -= bytes;
        }
        co_return;
    }
    const Mark mark(writing_);
    while (length > 0) {
        const auto io = transport_.try_send_file(fd, offset, length);
        if (io.state == Transport::State::WantWrite) {
            co_await wait_write(io.state);
            continue;
        }
        if (io.state == Transport::State::End) throw ErrorException(shorter);
        if (io.state != Transport::State::Done) {
            lost();
            throw ClientGone();
        }
        bytes_out_ += io.bytes;
        offset += io.bytes;
        length -= io.bytes;
        *answer_left_ -= io.bytes;
        if (spent(io.bytes)) co_await yield();
    }
}

asio::awaitable<void> Connection::begin_events(EventOptions options) {
    options.headers.set("Content-Type", "text/event-stream");
    options.headers.set("Cache-Control", "no-store");
    options.headers.set("X-Accel-Buffering", "no");  // proxies shall pass events on at once
    const auto retry = options.retry;
    heartbeat_ = options.heartbeat;
    co_await begin(200, std::move(options.headers), std::nullopt);
    std::string opening = ":\n\n";  // the client's library now knows that it is connected
    if (retry) opening = "retry: " + std::to_string(retry->count()) + "\n\n";
    co_await write(opening);
    watch();
    last_write_ = Clock::now();
    events_ = heartbeat_.count() > 0 && !bodiless_;
}

// ---- upgrades ----------------------------------------------------------------------------------

void Connection::take_over(int status) {
    begun_ = true;
    keep_ = false;
    status_ = status;
}

Transport::Io Connection::try_read_raw(char* into, std::size_t bytes_max) {
    if (dead_) return {Transport::State::Failed, 0};
    if (in_.empty()) return transport_.try_read(into, bytes_max);
    const auto ready = in_.view().substr(0, bytes_max);
    std::copy(ready.begin(), ready.end(), into);
    const auto bytes = ready.size();
    in_.use(bytes);
    return {Transport::State::Done, bytes};
}

asio::awaitable<std::size_t> Connection::read_raw(std::span<char> into) {
    for (;;) {
        const auto io = try_read_raw(into.data(), into.size());
        if (io.state == Transport::State::Done) {
            if (spent(io.bytes)) co_await yield();
            co_return io.bytes;
        }
        if (io.state == Transport::State::End) co_return 0;
        if (io.state == Transport::State::Failed) throw ClientGone();
        co_await wait_read(io.state, kNever);
    }
}

std::string Connection::upgrade_head(Headers headers) {
    decorate(101, headers);
    std::string out = "HTTP/1.1 101 Switching Protocols\r\n";
    append_field(out, "Date", core_->date());
    append_fields(out, headers);
    append_field(out, "X-Request-Id", request.id);
    out.append("Connection: Upgrade\r\n\r\n");
    return out;
}

asio::awaitable<ByteStream*> Connection::upgrade(Headers headers) {
    if (begun_) throw ErrorException({Code::Internal, "a second answer to one request"});
    if (!body_done_) throw ErrorException({Code::InvalidArgument, "an upgrade with a body"});
    const auto head = upgrade_head(std::move(headers));
    take_over(101);
    co_await send(head);
    tunnel_ = std::make_unique<Tunnel>(*this);
    co_return tunnel_.get();
}

}  // namespace atl::net

#pragma once
// Inside net: one client's connection, from accept to close. Exchange, EventStream and WebSocket
// are views of it.
//
// Owns      the socket and the request being served.
// Threads   the server's one; its coroutine, the sweep and the hang-up watch take turns.
// Memory    an idle connection has no buffer: bytes are read into the server's scratch buffer and
//           only what could not be used yet is copied.
#include "net/callbacks.hpp"
#include "net/chunks.hpp"
#include "net/exchange.hpp"
#include "net/large_body.hpp"
#include "net/parser.hpp"
#include "net/transport.hpp"

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace atl::net {

struct Problem;
struct ServerCore;

// Bytes that came ahead of their time.
class InputBuffer {
public:
    [[nodiscard]] bool empty() const noexcept { return at_ == bytes_.size(); }
    [[nodiscard]] std::string_view view() const noexcept {
        return std::string_view(bytes_).substr(at_);
    }
    void append(std::string_view more) { bytes_.append(more); }
    void use(std::size_t bytes) noexcept {
        at_ += bytes;
        if (at_ < bytes_.size()) return;
        at_ = 0;
        bytes_.clear();
        if (bytes_.capacity() > 64) std::string().swap(bytes_);  // idle connections hold nothing
    }

private:
    std::string bytes_;
    std::size_t at_ = 0;
};

class Connection : public std::enable_shared_from_this<Connection> {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr auto kNever = Clock::time_point::max();

    Connection(std::shared_ptr<ServerCore> core, std::uint64_t number, std::string address,
               boost::asio::posix::stream_descriptor socket, TlsContext tls, Peer peer);

    boost::asio::awaitable<void> run();

    // The server's calls.
    void sweep(Clock::time_point now);
    void hung_up();
    void server_stops();
    // The end of a server's patience: reads and writes fail from here on, and the handler is told
    // as if its client had left. It goes on until it returns.
    void cut_off() noexcept { lost(); }

    // What Exchange offers; see there.
    boost::asio::awaitable<std::string> read_body(std::size_t bytes_max);
    boost::asio::awaitable<std::size_t> read_into(std::span<char> buffer);
    boost::asio::awaitable<void> respond(Response response);
    boost::asio::awaitable<void> begin(int status, Headers headers,
                                       std::optional<std::uint64_t> length);
    boost::asio::awaitable<void> write(std::string_view piece);
    boost::asio::awaitable<void> end();
    boost::asio::awaitable<void> begin_large(int status, Headers headers);
    boost::asio::awaitable<void> write_large(Produce make);
    boost::asio::awaitable<void> send_file(int fd, std::uint64_t size, FileOptions options);
    boost::asio::awaitable<void> begin_events(EventOptions options);
    boost::asio::awaitable<ByteStream*> upgrade(Headers headers);
    boost::asio::awaitable<void> until_gone();
    [[nodiscard]] bool client_gone();
    [[nodiscard]] bool connection_broken();
    [[nodiscard]] Callbacks::Guard on_gone(std::function<void()> callback);
    [[nodiscard]] Callbacks::Guard on_stopping(std::function<void()> callback);
    // What goes out before a client is shown the door, where its protocol has a word for that;
    // empty in the middle of another word. Taken back with nullptr.
    void on_shown_out(std::function<std::string()> last_word);

    // For WebSocket and tunnels: the connection is theirs from here on.
    void take_over(int status);
    void complete() noexcept { ended_ = true; }
    [[nodiscard]] Transport::Io try_read_raw(char* into, std::size_t bytes_max);
    boost::asio::awaitable<std::size_t> read_raw(std::span<char> into);
    boost::asio::awaitable<void> send(std::string_view first, std::string_view second = {},
                                      std::string_view third = {});
    void expect_write_progress();
    void write_progressed(std::size_t bytes) noexcept;
    [[nodiscard]] bool write_failed() const noexcept { return dead_; }
    void lost() noexcept;
    [[nodiscard]] Transport& transport() noexcept { return transport_; }
    // A head as it goes over the wire, without Content-Length and the like; for upgrades.
    [[nodiscard]] std::string upgrade_head(Headers headers);
    void decorate(int status, Headers& headers);

    const std::uint64_t number;
    const std::string address;  // what per-address limits count; empty: not counted
    Request request;
    std::uint64_t body_limit = 0;
    [[nodiscard]] bool begun() const noexcept { return begun_; }
    [[nodiscard]] bool is_idle() const noexcept { return idle_; }
    // No request is being served. Such a connection makes way where there are too many.
    [[nodiscard]] bool is_waiting() const noexcept { return !serving_ && !dead_; }
    [[nodiscard]] Clock::time_point waiting_since() const noexcept { return waiting_since_; }
    [[nodiscard]] std::optional<std::uint64_t> content_length() const noexcept;
    [[nodiscard]] ServerCore& core() noexcept { return *core_; }

private:
    enum class Reading { Ready, Closed, Refused };
    enum class Length { Known, Unknown, NoBody };

    boost::asio::awaitable<bool> handshake();
    boost::asio::awaitable<Reading> read_head();
    Reading accept_head(Head& head);
    boost::asio::awaitable<void> serve();
    boost::asio::awaitable<void> answer_problem(Problem problem);
    boost::asio::awaitable<bool> finish();
    boost::asio::awaitable<void> linger();
    boost::asio::awaitable<void> wait_read(Transport::State state, Clock::time_point deadline);
    boost::asio::awaitable<void> wait_write(Transport::State state);
    boost::asio::awaitable<void> yield();
    [[nodiscard]] Coding coding_for(int status, Headers& headers) const;
    boost::asio::awaitable<void> respond_in_pieces(Response response, Coding coding);
    boost::asio::awaitable<void> respond_whole(Response response);
    boost::asio::awaitable<void> copy_file(int fd, std::uint64_t offset, std::uint64_t length);

    Reading refuse(int status, std::string sentence);
    void reset_exchange();
    void end_exchange();
    [[nodiscard]] bool spent(std::size_t bytes) noexcept;
    [[nodiscard]] std::string head_text(int status, Headers headers, Length kind,
                                        std::uint64_t length);
    [[nodiscard]] bool body_will_end_soon() const noexcept;
    [[nodiscard]] Clock::time_point body_deadline(Clock::time_point now) const;
    void count_body(std::size_t bytes);
    [[noreturn]] void refuse_large_body();
    [[noreturn]] void fail_body(std::string sentence);
    void cut() noexcept;
    void watch();
    void show_out();
    void tell_gone();
    void tell(Callbacks& callbacks, const char* what);
    void report();

    std::shared_ptr<ServerCore> core_;
    Transport transport_;
    InputBuffer in_;
    std::unique_ptr<HeadParser> parser_;
    std::unique_ptr<ByteStream> tunnel_;
    std::unique_ptr<boost::asio::steady_timer> gone_timer_;
    Callbacks on_gone_;
    Callbacks on_stopping_;
    std::function<std::string()> on_shown_out_;
    std::optional<Refusal> refusal_;

    // Waits.
    Clock::time_point read_deadline_ = kNever;
    Clock::time_point write_deadline_ = kNever;
    bool read_expired_ = false;
    bool dead_ = false;  // nothing more can be sent or read
    bool gone_ = false;  // the client closed its side, or the server ends the exchange by force
    bool watched_ = false;
    bool looks_itself_ = false;  // no watch was to be had: the sweep looks for a hang-up
    bool idle_ = true;           // between requests
    bool serving_ = false;
    Clock::time_point waiting_since_ = Clock::now();
    std::size_t budget_ = 0;
    unsigned served_ = 0;
    std::uint64_t exchange_ = 0;

    // The request's body.
    Framing framing_ = Framing::None;
    std::uint64_t body_left_ = 0;
    std::uint64_t body_bytes_ = 0;
    ChunkDecoder chunks_;
    bool body_done_ = true;
    bool body_broken_ = false;
    bool expects_continue_ = false;
    Clock::duration body_waited_{};

    // The answer.
    bool keep_ = false;  // the connection goes on after this answer
    bool begun_ = false;
    bool ended_ = false;
    bool chunked_ = false;
    bool bodiless_ = false;  // HEAD, 204, 304: nothing may follow the head
    std::optional<std::uint64_t> answer_left_;
    std::unique_ptr<Packer> packer_;  // of begin_large
    int status_ = 0;
    std::uint64_t bytes_out_ = 0;

    // Event streams.
    bool writing_ = false;
    bool events_ = false;
    std::chrono::milliseconds heartbeat_{};
    Clock::time_point last_write_{};
    std::string pending_;  // the rest of a heartbeat
};

}  // namespace atl::net

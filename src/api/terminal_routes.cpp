#include "api/terminal_routes.hpp"

#include "api/request_reading.hpp"
#include "api/session_types.hpp"
#include "api/terminal_types.hpp"
#include "base/as_tuple.hpp"
#include "base/scope.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>

namespace atl::api {

namespace asio = boost::asio;
namespace json = boost::json;
using schema::described;

namespace {

constexpr std::string_view kTerminalTag = "Processes";
constexpr std::size_t kMessageBytesMax = 1u << 20;
constexpr std::size_t kControlBytesMax = 4096;
constexpr std::size_t kPieceBytesMax = 64 * 1024;
// A shell that was hung up on has so long to end; its whole tree is killed then.
constexpr std::chrono::seconds kHangUpTime{2};
constexpr std::chrono::seconds kKillTime{5};
constexpr const char* kPrompt = "\\[\\e[36m\\]sandbox\\[\\e[0m\\]:\\w$ ";
constexpr char kStdoutByte = 1;  // before what a program without a terminal wrote
constexpr char kStderrByte = 2;
constexpr std::uint16_t kCloseNormal = 1000;
constexpr std::uint16_t kCloseGoingAway = 1001;

std::int64_t number_in(const json::object& object, std::string_view key) {
    const auto* value = object.if_contains(key);
    return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

// The program's side. What it wrote waits here for the client, bounded by the credit it gets: only
// what went out is paid for, so a slow client slows the program.
class Shell {
public:
    Shell(std::shared_ptr<guest_client::GuestLink> link, asio::any_io_executor executor)
        : link_(std::move(link)), news_(executor, asio::steady_timer::time_point::max()) {}
    Shell(const Shell&) = delete;
    Shell& operator=(const Shell&) = delete;

    // Returns when it runs. Throws what the guest says otherwise.
    asio::awaitable<void> start(OpenTerminal wanted) {
        json::array argv{"/bin/bash"};
        if (wanted.command) argv = {"/bin/bash", "-c", *wanted.command};
        json::object request{{"op", "process.start"},
                             {"argv", std::move(argv)},
                             {"cwd", wanted.cwd},
                             {"timeout_ms", wanted.timeout.count()}};
        pty_ = wanted.pty;
        if (pty_) {
            json::object environment{{"TERM", "xterm-256color"}};
            if (!wanted.command) environment["PS1"] = kPrompt;
            request["env"] = std::move(environment);
            request["pty"] = {{"rows", wanted.rows}, {"cols", wanted.cols}};
        } else {
            request["stdin"] = true;
        }
        guest_client::ChannelHandlers handlers;
        handlers.event = [this](const json::object& one) { event(one); };
        handlers.output = [this](core::Stream stream, std::string_view piece) {
            output(stream, piece);
        };
        handlers.cost = [this](std::size_t bytes) { cost(bytes); };
        handlers.ended = [this](const Result<json::object>& result) {
            result_.emplace(result);
            wake();
        };
        channel_ = link_->open(request, std::move(handlers));
        while (!result_ && !started_) co_await news();
        if (!started_ && !*result_) throw ErrorException(result_->error());
        if (!started_) {
            throw ErrorException({Code::Unavailable, "the sandbox did not start the program"});
        }
    }

    asio::awaitable<bool> input(std::string bytes) {
        if (input_ended_) co_return false;
        const bool taken = co_await channel_.data(std::move(bytes));
        co_return taken;
    }
    // A terminal has no end of input but the key for it.
    void end_input() {
        if (!pty_ && !std::exchange(input_ended_, true)) channel_.eof();
    }
    void resize(const TerminalSize& size) {
        if (!pty_) return;
        const json::object command{{"do", "resize"}, {"rows", size.rows}, {"cols", size.cols}};
        channel_.control(command);
    }

    // What it wrote, up to a piece; empty when there is nothing now. Pay when it went out.
    struct Piece {
        std::string bytes;
        std::size_t owed = 0;
    };
    [[nodiscard]] Piece take() {
        std::string& waiting = err_.empty() ? out_ : err_;
        Piece piece;
        if (!pty_) piece.bytes.push_back(&waiting == &err_ ? kStderrByte : kStdoutByte);
        piece.owed = std::min(waiting.size(), kPieceBytesMax);
        piece.bytes.append(waiting, 0, piece.owed);
        waiting.erase(0, piece.owed);
        return piece;
    }
    void pay(std::size_t bytes) {
        owed_ -= bytes;
        channel_.grant(bytes);
    }

    [[nodiscard]] bool ended() const noexcept { return !channel_.open(); }
    [[nodiscard]] bool with_sandbox() const noexcept { return result_ && !*result_; }
    [[nodiscard]] TerminalEnd end_view() const {
        if (with_sandbox()) return {128 + SIGKILL, SIGKILL, "sandbox"};
        const auto& end = **result_;
        const auto signal = static_cast<int>(number_in(end, "signal"));
        const auto* late = end.if_contains("timed_out");
        const bool timed_out = late != nullptr && late->is_bool() && late->get_bool();
        return {static_cast<int>(number_in(end, "exit_code")), signal,
                timed_out     ? "timeout"
                : signal != 0 ? "signalled"
                              : "exited"};
    }

    // Something was written, or it ended, or wake() was called.
    asio::awaitable<void> news() { co_await news_.async_wait(kAsTuple); }
    void wake() { news_.cancel(); }

    // As a terminal that is switched off: a hang-up, and what does not heed it is killed.
    asio::awaitable<void> hang_up() {
        hung_up_ = true;
        out_.clear();
        err_.clear();
        pay(owed_);  // else it could not even say that it ended
        const json::object hang_up{{"do", "signal"}, {"signal", SIGHUP}};
        const json::object kill{{"do", "cancel"}};
        channel_.control(hang_up);
        co_await end_within(kHangUpTime);
        if (ended()) co_return;
        channel_.control(kill);
        co_await end_within(kKillTime);
        channel_.abandon();  // whoever still waits for it to read gets an answer
    }

private:
    asio::awaitable<void> end_within(std::chrono::seconds time) {
        news_.expires_after(time);
        while (!ended()) {
            const auto [woken] = co_await news_.async_wait(kAsTuple);
            if (!woken) break;
        }
    }

    void event(const json::object& event) {
        const auto* name = event.if_contains("event");
        if (name == nullptr || !name->is_string() || name->get_string() != "started") return;
        started_ = true;
        wake();
    }
    void output(core::Stream stream, std::string_view piece) {
        heard_output_ = true;
        if (!hung_up_) (stream == core::Stream::Stderr ? err_ : out_).append(piece);
        wake();
    }
    void cost(std::size_t bytes) {
        owed_ += bytes;
        if (!std::exchange(heard_output_, false) || hung_up_) pay(bytes);
    }

    std::shared_ptr<guest_client::GuestLink> link_;
    bool started_ = false;
    bool heard_output_ = false;
    bool hung_up_ = false;
    bool pty_ = true;
    bool input_ended_ = false;
    std::string out_;
    std::string err_;       // a terminal writes none
    std::size_t owed_ = 0;  // heard and not paid for
    std::optional<Result<json::object>> result_;
    asio::steady_timer news_;
    guest_client::Channel channel_;  // the last, for its handlers refer to the rest
};

std::string note_text(const TerminalNote& note) {
    std::string text;
    schema::append_json(text, note);
    return text;
}

// One terminal and one client.
class Conversation {
public:
    Conversation(Shell& shell, net::WebSocket& socket, net::Exchange& exchange)
        : shell_(shell), socket_(socket), exchange_(exchange) {}

    asio::awaitable<void> run() {
        const auto gone = exchange_.on_gone([this] { leave(); });
        const auto stopping = exchange_.on_stopping([this] { leave(); });
        const auto talk = [this](Scope& scope) -> asio::awaitable<void> {
            scope.spawn(listen());
            co_await speak();
            // Before listen() is awaited: it may wait for a program that does not read.
            if (!shell_.ended()) co_await shell_.hang_up();
        };
        co_await in_scope(talk);
    }

private:
    void leave() {
        left_ = true;
        shell_.wake();
    }

    // Never throws: the other half must end in its own good order.
    asio::awaitable<void> listen() {
        try {
            for (;;) {
                auto message = co_await socket_.read();
                if (!message) break;
                if (message->binary) {
                    const bool taken = co_await shell_.input(std::move(message->data));
                    if (!taken) continue;  // it ended; whoever speaks says so
                } else {
                    co_await obey(std::move(message->data));
                }
            }
        } catch (const std::exception&) {
            // It broke the rules of WebSocket, or went in the middle of our answer.
        }
        leave();
    }

    asio::awaitable<void> obey(std::string text) {
        std::optional<std::string> wrong;
        try {
            const auto control = schema::from_json<TerminalControl>(text, kControlBytesMax);
            if (control.resize) shell_.resize(*control.resize);
            if (control.end_input) shell_.end_input();
        } catch (const ErrorException& error) { wrong = error.error.message; }
        if (!wrong) co_return;
        TerminalNote note;
        note.error = *wrong;
        co_await socket_.write_text(note_text(note));
    }

    asio::awaitable<void> speak() {
        try {
            while (!left_) {
                auto piece = shell_.take();
                if (piece.owed > 0) {
                    co_await socket_.write_binary(std::move(piece.bytes));
                    shell_.pay(piece.owed);
                } else if (shell_.ended()) {
                    break;
                } else {
                    co_await shell_.news();
                }
            }
            if (shell_.ended() && !left_) {
                TerminalNote note;
                note.ended = shell_.end_view();
                co_await socket_.write_text(note_text(note));
            }
        } catch (const std::exception&) {
            left_ = true;  // nobody is there to be told
        }
        const bool orderly = shell_.ended() && !shell_.with_sandbox();
        co_await socket_.close(orderly ? kCloseNormal : kCloseGoingAway,
                               orderly ? "the program has ended" : "the terminal is gone");
    }

    Shell& shell_;
    net::WebSocket& socket_;
    net::Exchange& exchange_;
    bool left_ = false;
};

asio::awaitable<void> open_terminal(sessions::Sessions& sessions, net::Exchange& exchange) {
    const auto& request = exchange.request();
    auto wanted = schema::from_parameters<OpenTerminal>(request.target.query);
    net::WebSocketOptions options;
    options.message_bytes_max = kMessageBytesMax;
    if (!exchange.wants_websocket()) {
        co_await exchange.accept_websocket(options);  // says what is missing
        co_return;
    }
    const auto use = co_await sessions.use(whose(exchange), session_in(exchange));
    co_await sessions.check_disk(*use);
    // Before the upgrade: what cannot be started is an answer with a status.
    Shell shell(use.link(), exchange.executor());
    co_await shell.start(std::move(wanted));
    std::exception_ptr failed;
    try {
        auto socket = co_await exchange.accept_websocket(options);
        Conversation conversation(shell, socket, exchange);
        co_await conversation.run();
    } catch (...) { failed = std::current_exception(); }
    if (!shell.ended()) co_await shell.hang_up();
    if (failed) std::rethrow_exception(failed);
}

}  // namespace

void add_terminal_routes(Api& api, sessions::Sessions& sessions) {
    api.add(
        {.method = "GET",
         .pattern = "/v1/sessions/{id}/terminal",
         .id = "open_terminal",
         .tag = kTerminalTag,
         .summary = "A shell on a terminal, over a WebSocket",
         .description =
             "Binary messages are the terminal's bytes, both ways. Text messages are JSON: "
             "`{\"resize\": {\"rows\": 40, \"cols\": 120}}` from the client (without a "
             "terminal: `{\"end_input\": true}`), and at the end "
             "`{\"ended\": {\"exit_code\": 0, \"signal\": 0, \"reason\": \"exited\"}}` from the "
             "server, which then closes with 1000, or 1001 when the sandbox went. A client that "
             "leaves ends the shell.",
         .path = described<SessionPath>(),
         .query = described<OpenTerminal>(),
         .answers = {schema::empty_answer(101, "The terminal is open.")}},
        [&sessions](net::Exchange& exchange) { return open_terminal(sessions, exchange); });
}

}  // namespace atl::api

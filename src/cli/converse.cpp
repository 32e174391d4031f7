// A program in a session with our own stdin, stdout and stderr: over the terminal's WebSocket, with
// a terminal there or without one.
//
// One loop over four descriptors: our input, the socket both ways, signals. What the server does
// not take yet stops us reading, and what we cannot print stops the program. Our terminal is raw
// meanwhile and put back by whatever way this ends, but by SIGKILL.
#include "base/encoding.hpp"
#include "base/fd.hpp"
#include "base/write_all.hpp"
#include "cli/commands.hpp"
#include "cli/server.hpp"
#include "cli/terminal.hpp"
#include "net/target.hpp"

#include <array>
#include <boost/json/parse.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace atl::cli {

namespace json = boost::json;

namespace {

constexpr std::size_t kPieceBytes = 32 * 1024;
constexpr std::size_t kPendingBytesMax = 256 * 1024;
constexpr char kStderrByte = 2;
constexpr char kEndOfTransmission = 4;  // what Ctrl-D types

// Signals as something to poll for, while it lives.
class Signals {
public:
    Signals() {
        ::sigemptyset(&ours_);
        for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) ::sigaddset(&ours_, number);
        ::sigprocmask(SIG_BLOCK, &ours_, &before_);
        fd_ = UniqueFd(::signalfd(-1, &ours_, SFD_CLOEXEC | SFD_NONBLOCK));
    }
    ~Signals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    [[nodiscard]] int fd() const noexcept { return fd_.get(); }
    [[nodiscard]] int next() const {
        signalfd_siginfo info{};
        return ::read(fd_.get(), &info, sizeof info) == sizeof info
                   ? static_cast<int>(info.ssi_signo)
                   : 0;
    }

private:
    sigset_t ours_{}, before_{};
    UniqueFd fd_;
};

class Talk {
public:
    Talk(net::WebSocketClient& socket, const Signals& signals, bool terminal)
        : socket_(socket), signals_(signals), terminal_(terminal) {}

    // The exit status; an Error when the connection broke.
    Result<int> run() {
        while (!socket_.closed()) {
            if (const auto wrote = socket_.flush(); !wrote) return wrote.error();
            if (const auto heard = hear(); !heard) return heard.error();
            if (socket_.closed()) break;
            std::array<pollfd, 3> ready{{{socket_.descriptor(), POLLIN, 0},
                                         {signals_.fd(), POLLIN, 0},
                                         {STDIN_FILENO, POLLIN, 0}}};
            if (socket_.pending() > 0) ready[0].events |= POLLOUT;
            const bool listens = !input_ended_ && socket_.pending() < kPendingBytesMax;
            if (!listens) ready[2].fd = -1;
            if (::poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) {
                return Error{Code::Internal, "poll failed"};
            }
            if (ready[1].revents != 0) {
                const int number = signals_.next();
                if (number == SIGWINCH) resize();
                if (number != SIGWINCH && number != 0) return 128 + number;
            }
            if (listens && ready[2].revents != 0) read_input();
        }
        if (!ended_) {
            return Error{Code::Unavailable, "the connection ended before the program did"};
        }
        return status();
    }

private:
    Result<void> hear() {
        for (;;) {
            auto message = socket_.next();
            if (!message) return message.error();
            if (!*message) return {};
            const std::string& data = (*message)->data;
            if (!(*message)->binary) {
                note(data);
                continue;
            }
            std::string_view bytes = data;
            int where = STDOUT_FILENO;
            if (!terminal_ && !bytes.empty()) {
                if (bytes.front() == kStderrByte) where = STDERR_FILENO;
                bytes.remove_prefix(1);
            }
            if (const int failed = write_all(where, bytes); failed != 0) {
                errno = failed;
                return Error{Code::Unavailable, std::string("write: ") + std::strerror(failed)};
            }
        }
    }

    void note(const std::string& text) {
        boost::system::error_code failed;
        const json::value value = json::parse(text, failed);
        if (failed || !value.is_object()) return;
        const auto* end = value.get_object().if_contains("ended");
        if (end != nullptr && end->is_object()) ended_ = end->get_object();
    }

    void read_input() {
        std::array<char, kPieceBytes> piece;
        const ssize_t n = ::read(STDIN_FILENO, piece.data(), piece.size());
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
        if (n > 0) {
            socket_.send_binary({piece.data(), static_cast<std::size_t>(n)});
            return;
        }
        input_ended_ = true;
        if (terminal_) {
            socket_.send_binary({&kEndOfTransmission, 1});
        } else {
            socket_.send_text(R"({"end_input": true})");
        }
    }

    void resize() {
        if (!terminal_) return;
        const auto size = Terminal::size();
        socket_.send_text(R"({"resize": {"rows": )" + std::to_string(size.rows) + R"(, "cols": )" +
                          std::to_string(size.cols) + "}}");
    }

    [[nodiscard]] int status() const {
        const std::string reason = text_in(*ended_, "reason");
        if (reason == "timeout") {
            std::fputs("atoll: stopped: its time was up\n", stderr);
            return kExitTimeout;
        }
        if (reason == "sandbox") {
            std::fputs("atoll: it ended with its session's sandbox\n", stderr);
        }
        return static_cast<int>(number_in(*ended_, "exit_code", kExitAtoll) & 0xFF);
    }

    net::WebSocketClient& socket_;
    const Signals& signals_;
    const bool terminal_;
    bool input_ended_ = false;
    std::optional<json::object> ended_;
};

std::string path_of(const Conversation& wanted) {
    const auto size = Terminal::size();
    std::string query = wanted.terminal ? "?rows=" + std::to_string(size.rows) +
                                              "&cols=" + std::to_string(size.cols)
                                        : "?pty=false";
    if (!wanted.command.empty()) query += "&command=" + percent_encoded(wanted.command);
    if (!wanted.timeout.empty()) query += "&timeout=" + percent_encoded(wanted.timeout);
    return session_path(wanted.session, "/terminal" + query);
}

}  // namespace

int converse(const Conversation& wanted) {
    auto server = Server::from_environment();
    std::optional<net::WebSocketClient> socket;
    {
        const InterruptByKey stops;
        auto opened = server.open_websocket(path_of(wanted));
        if (!opened) return report(opened.error());
        socket.emplace(std::move(*opened));
    }
    const Signals signals;
    Result<int> status = 0;
    {
        std::optional<Terminal> raw;
        if (wanted.terminal) raw.emplace();
        status = Talk(*socket, signals, wanted.terminal).run();
    }
    return status ? *status : report(status.error());
}

}  // namespace atl::cli

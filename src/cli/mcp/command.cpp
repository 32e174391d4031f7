#include "cli/mcp/command.hpp"

#include "cli/mcp/bridge.hpp"
#include "cli/server.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <poll.h>
#include <unistd.h>

namespace atl::cli {

namespace {

// As for all commands that talk to a server (cli/server.cpp).
ServerAddress address() {
    const auto variable = [](const char* name, const char* otherwise) {
        const char* value = std::getenv(name);
        return std::string(value != nullptr && *value != '\0' ? value : otherwise);
    };
    return {variable("ATOLL_URL", "http://127.0.0.1:8000"), variable("ATOLL_API_KEY", "")};
}

// Whether what we print can still arrive.
bool reader_has_gone() {
    pollfd out{STDOUT_FILENO, 0, 0};
    return ::poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

bool is_interrupted() { return net::Client::interrupt().load(); }

// Lines out of stdin, until its end or a signal: signals come through only while it waits, so none
// is missed between a look and a wait.
class StdinLines {
public:
    explicit StdinLines(McpBridge& bridge) : bridge_(bridge) {
        sigset_t ours;
        ::sigemptyset(&ours);
        ::sigaddset(&ours, SIGINT);
        ::sigaddset(&ours, SIGTERM);
        ::pthread_sigmask(SIG_BLOCK, &ours, &outside_);
    }
    StdinLines(const StdinLines&) = delete;
    StdinLines& operator=(const StdinLines&) = delete;
    ~StdinLines() { ::pthread_sigmask(SIG_SETMASK, &outside_, nullptr); }

    void pass_on() {
        char piece[64 * 1024];
        while (!is_interrupted()) {
            pollfd in{STDIN_FILENO, POLLIN, 0};
            if (::ppoll(&in, 1, nullptr, &outside_) < 0) continue;  // a signal, as a rule
            const ssize_t n = ::read(STDIN_FILENO, piece, sizeof piece);
            if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
            if (n <= 0) break;
            add({piece, static_cast<std::size_t>(n)});
        }
    }

private:
    void add(std::string_view bytes) {
        while (!bytes.empty()) {
            const auto end = bytes.find('\n');
            const auto part = bytes.substr(0, end);
            if (line_.size() + part.size() > McpBridge::kLineBytesMax) too_long_ = true;
            if (!too_long_) line_ += part;
            if (end == std::string_view::npos) return;
            bytes.remove_prefix(end + 1);
            if (too_long_) bridge_.refuse_long_line();
            if (!too_long_ && line_.find_first_not_of(" \t\r") != std::string::npos) {
                bridge_.take(std::move(line_));
            }
            line_.clear();
            too_long_ = false;
        }
    }

    McpBridge& bridge_;
    sigset_t outside_{};
    std::string line_;
    bool too_long_ = false;
};

int bridge(const std::string& session) {
    auto server = Server::from_environment();
    // Said at once, and not to the first request: a client shows what its server prints.
    if (const auto info = server.get("/v1/info"); !info) {
        return report(info.error(), For::People, server.refusal());
    }
    const InterruptByKey stops;
    McpBridge between(address(), session);
    {
        StdinLines lines(between);
        lines.pass_on();
    }
    // Who has closed our stdin may still want what it has asked for.
    between.wait([] { return is_interrupted() || reader_has_gone(); });
    between.finish();
    return 0;
}

}  // namespace

void add_mcp_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand(
        "mcp", "The tools of a server for an MCP client that talks through stdin and stdout");
    const auto session = std::make_shared<std::string>();
    command->add_option("--session", *session,
                        "Session for tools that name none: an ID, or a name of your choice");
    command->callback([session, &exit_code] { exit_code = bridge(*session); });
}

}  // namespace atl::cli

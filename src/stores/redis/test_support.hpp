#pragma once
// A real redis-server for tests: in a folder of its own, on a unix socket of its own (and a port of
// this machine where a test asks for one), ended by its process id.
#include "base/fd.hpp"
#include "core/threads_bench.hpp"
#include "stores/redis/threads.hpp"

#include <arpa/inet.h>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace atl::redis::testing {

namespace asio = boost::asio;
using core::contract::await;
using core::contract::sleep_ms;

class RedisServer {
public:
    explicit RedisServer(std::vector<std::string> settings = {}) : settings_(std::move(settings)) {
        std::string name = (std::filesystem::temp_directory_path() / "atoll-redis-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
        folder_ = name;
        start();
    }
    RedisServer(const RedisServer&) = delete;
    RedisServer& operator=(const RedisServer&) = delete;
    ~RedisServer() {
        kill();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    [[nodiscard]] std::string socket() const { return folder_ + "/redis.sock"; }
    [[nodiscard]] pid_t pid() const { return pid_; }

    void start() {
        std::vector<std::string> words{"redis-server", "--port",    "0",
                                       "--unixsocket", socket(),    "--dir",
                                       folder_,        "--save",    "",
                                       "--appendonly", "yes",       "--appendfsync",
                                       "always",       "--logfile", folder_ + "/log",
                                       "--daemonize",  "no"};
        words.insert(words.end(), settings_.begin(), settings_.end());
        std::vector<char*> arguments;
        for (auto& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        const pid_t parent = ::getpid();
        pid_ = ::fork();
        if (pid_ < 0) throw std::runtime_error("fork");
        if (pid_ == 0) {
            // It shall not outlive a test that is killed.
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (::getppid() != parent) ::_exit(1);
            ::execvp(arguments[0], arguments.data());
            ::_exit(127);
        }
        for (int i = 0; i < 1000; ++i) {
            int status = 0;
            if (::waitpid(pid_, &status, WNOHANG) == pid_) {
                pid_ = -1;
                throw std::runtime_error(
                    WIFEXITED(status) && WEXITSTATUS(status) == 127
                        ? "redis-server is not installed; ./scripts/setup test installs it"
                        : "redis-server ended at once");
            }
            if (listens()) return;
            sleep_ms(10);
        }
        throw std::runtime_error("redis-server did not start in 10 s");
    }
    void kill() {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }

private:
    [[nodiscard]] bool listens() const {
        const UniqueFd there(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        socket().copy(address.sun_path, sizeof address.sun_path - 1);
        return ::connect(there.get(), reinterpret_cast<const sockaddr*>(&address),
                         sizeof address) == 0;
    }

    std::vector<std::string> settings_;
    std::string folder_;
    pid_t pid_ = -1;
};

// A port of this machine on which nobody listens just now.
[[nodiscard]] inline std::uint16_t free_port() {
    const UniqueFd there(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(there.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
        ::getsockname(there.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        throw std::runtime_error("no free port");
    }
    return ntohs(address.sin_port);
}

[[nodiscard]] inline RedisOptions options_of(const RedisServer& server,
                                             const std::string& prefix = "atoll:") {
    RedisOptions options;
    options.socket = server.socket();
    options.prefix = prefix;
    return options;
}

}  // namespace atl::redis::testing

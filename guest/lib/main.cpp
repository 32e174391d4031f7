// atoll-guest: the guest as a program of its own, PID 1 of an enclosure.
//
//   atoll-guest guest <stream fd> <config fd>          serve one sandbox, without kernels
//   atoll-guest nest -- <program> <args…>     run a zygote and be the parent of its sandboxes
//
// The nest's init does nothing but start the zygote and reap: it has no Python in it that could
// fail, so a zygote that dies takes no sandbox along. It ends when nobody is left.
#include "guest/lib/config.hpp"
#include "guest/lib/operation.hpp"
#include "guest/lib/zygote.hpp"
#include "wire/assembler.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

int serve_guest(int stream_fd, int config_fd) {
    using namespace atl;
    const UniqueFd config_file(config_fd);
    struct stat info {};
    if (::fstat(config_fd, &info) != 0) return 1;
    std::string text(static_cast<std::size_t>(info.st_size), '\0');
    if (::pread(config_fd, text.data(), text.size(), 0) != info.st_size) return 1;
    const auto config = wire::parse_object(text);
    if (!config) return 1;
    guest::Surroundings surroundings;
    guest::apply_config(*config, surroundings);
    ::fcntl(stream_fd, F_SETFD, FD_CLOEXEC);
    guest::live_as_guest(UniqueFd(stream_fd), std::move(surroundings),
                         guest::text_of(*config, "hostname", "atoll"), guest::Kernels::None);
    return 0;
}

int be_nest(char** command) {
    const pid_t zygote = ::vfork();
    if (zygote == 0) {
        ::execv(command[0], command);
        ::_exit(127);
    }
    if (zygote < 0) return 1;
    // Only the zygote talks to the host from here on.
    ::close_range(3, ~0u, 0);
    int zygote_status = 0;
    for (;;) {
        int status = 0;
        const pid_t pid = ::waitpid(-1, &status, 0);
        if (pid == zygote) zygote_status = status;
        if (pid < 0 && errno == ECHILD) break;
    }
    return WIFEXITED(zygote_status) ? WEXITSTATUS(zygote_status) : 128 + WTERMSIG(zygote_status);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc >= 4 && std::string_view(argv[1]) == "guest") {
        return serve_guest(std::atoi(argv[2]), std::atoi(argv[3]));
    }
    if (argc >= 4 && std::string_view(argv[1]) == "nest" && std::string_view(argv[2]) == "--") {
        return be_nest(argv + 3);
    }
    std::fprintf(stderr,
                 "atoll-guest is the first process of a sandbox; atoll starts it itself.\n");
    return 2;
}

// atoll-guest: the guest as a program of its own, PID 1 of an enclosure.
//
//   atoll-guest guest <stream fd> <config fd>          serve one sandbox, without kernels
//   atoll-guest nest -- <program> <args…>     keep a zygote and make sandboxes (nest.hpp)
//   atoll-guest wait                          until its input ends (root_namespace.hpp)
//
#include "base/fields.hpp"
#include "guest/lib/config.hpp"
#include "guest/lib/nest.hpp"
#include "guest/lib/operation.hpp"
#include "guest/lib/pid_one.hpp"
#include "wire/assembler.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

int serve_guest(int stream_fd, int config_fd) {
    using namespace atl;
    const UniqueFd config_file(config_fd);
    struct stat info {};
    if (::fstat(config_fd, &info) != 0) return 1;
    std::string text(static_cast<std::size_t>(info.st_size), '\0');
    if (::pread(config_fd, text.data(), text.size(), 0) != info.st_size) return 1;
    const auto config = fields::parse_object(text);
    if (!config) return 1;
    guest::Surroundings surroundings;
    guest::apply_config(*config, surroundings);
    ::fcntl(stream_fd, F_SETFD, FD_CLOEXEC);
    guest::Birth birth{
        UniqueFd(stream_fd), {}, guest::text_of(*config, "hostname", "atoll"), false};
    guest::live_as_guest(std::move(birth), std::move(surroundings));
    return 0;
}

// Descriptor 3 is the host's control socket here, and our own in the zygote; 4 is the zygote's
// configuration.
constexpr int kControl = 3;

int be_nest(char** command) {
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return 1;
    const pid_t zygote = ::vfork();
    if (zygote == 0) {
        ::dup2(pair[1], kControl);
        ::execv(command[0], command);
        ::_exit(127);
    }
    if (zygote < 0) return 1;
    ::close(pair[1]);
    ::close(kControl + 1);
    ::fcntl(kControl, F_SETFD, FD_CLOEXEC);
    return atl::guest::Nest(atl::UniqueFd(kControl), atl::UniqueFd(pair[0]), zygote).run();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc >= 4 && std::string_view(argv[1]) == "guest") {
        return serve_guest(std::atoi(argv[2]), std::atoi(argv[3]));
    }
    if (argc >= 4 && std::string_view(argv[1]) == "nest" && std::string_view(argv[2]) == "--") {
        return be_nest(argv + 3);
    }
    if (argc == 2 && std::string_view(argv[1]) == "wait") {
        char byte = 0;
        while (::read(0, &byte, 1) > 0) {}
        return 0;
    }
    std::fprintf(stderr,
                 "atoll-guest is the first process of a sandbox; atoll starts it itself.\n");
    return 2;
}

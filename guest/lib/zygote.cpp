#include "guest/lib/zygote.hpp"

#include "guest/lib/arenas.hpp"
#include "guest/lib/config.hpp"
#include "guest/lib/guest.hpp"
#include "guest/lib/huge_pages.hpp"
#include "guest/lib/operation.hpp"
#include "guest/lib/walls.hpp"
#include "sys/descriptor_passing.hpp"
#include "sys/files.hpp"
#include "sys/syscalls.hpp"
#include "wire/assembler.hpp"

#include <boost/json/serialize.hpp>
#include <csignal>
#include <cstring>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace atl::guest {

namespace {

constexpr std::size_t kMessageBytesMax = 256 * 1024;
constexpr int kStream = 3;  // where a sandbox keeps its stream to the host

// Nothing of the zygote's stays open in a sandbox: not its control socket, not its log.
UniqueFd keep_only(UniqueFd stream) {
    const int nothing = ::open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; ++fd) ::dup2(nothing, fd);
    const int high = ::fcntl(stream.get(), F_DUPFD_CLOEXEC, 64);
    [[maybe_unused]] const int closed_below = stream.release();
    sys::close_range(3, static_cast<unsigned>(high) - 1, 0);
    sys::close_range(static_cast<unsigned>(high) + 1, ~0u, 0);
    ::dup3(high, kStream, O_CLOEXEC);
    ::close(high);
    return UniqueFd(kStream);
}

void say_that_walls_failed(int stream, const sys::StepFailure& failure) {
    std::string hello;
    wire::append_frame(hello, wire::Kind::Hello, 0,
                       json::serialize(json::object{{"version", wire::kProtocolVersion},
                                                    {"error", std::string(failure.step) + ": " +
                                                                  std::strerror(failure.cause)}}));
    [[maybe_unused]] const auto unread = ::write(stream, hello.data(), hello.size());
}

std::string one_line_map(std::int64_t inside, std::int64_t outside, std::int64_t count) {
    return std::to_string(inside) + " " + std::to_string(outside) + " " + std::to_string(count);
}

}  // namespace

int live_as_guest(UniqueFd stream, Surroundings surroundings, const std::string& hostname,
                  Kernels kernels) {
    sys::StepFailure failure;
    if (!raise_inner_walls(surroundings, hostname, failure)) {
        say_that_walls_failed(stream.get(), failure);
        return -1;
    }
    surroundings.landlock_fd = sys::make_landlock_ruleset(kWritable);
    ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    surroundings.oom_score_fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    // From here on no process of the sandbox can look into PID 1, whatever user it is.
    if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) {
        failure.set("hide the memory of PID 1");
        say_that_walls_failed(stream.get(), failure);
        return -1;
    }
    // Leaked on purpose: a kernel forked from here leaves the loop in mid-turn, and must not run
    // destructors that would kill its siblings or close descriptors it has just put in place.
    auto* guest = new Guest(std::move(stream), std::move(surroundings), kernels != Kernels::None);
    if (kernels == Kernels::AtOnce) guest->expect_run();
    return guest->run();
}

void Zygote::reply(const json::object& message, int pidfd) {
    const std::span<const int> along(&pidfd, pidfd >= 0 ? 1 : 0);
    if (sys::send_with(control_.get(), json::serialize(message), along) < 0) {
        ::_exit(0);  // the host is gone
    }
}

int Zygote::serve() {
    seal_arenas();
    gather_into_huge_pages();
    reply({{"type", "ready"}});
    std::string message(kMessageBytesMax, '\0');
    for (;;) {
        std::vector<UniqueFd> along;
        const ssize_t n =
            sys::receive_with(control_.get(), message.data(), message.size(), 0, along);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) ::_exit(0);
        const auto request =
            wire::parse_object(std::string_view(message).substr(0, static_cast<std::size_t>(n)));
        if (!request) {
            reply({{"type", "error"}, {"message", request.error().message}});
            continue;
        }
        const std::string type = text_of(*request, "type");
        if (type == "init") {
            apply_config(*request, surroundings_);
            reply({{"type", "initialised"}});
        } else if (type == "fork" && !along.empty()) {
            const int kernel_link = fork_sandbox(*request, std::move(along));
            if (kernel_link >= 0) return kernel_link;
        } else {
            reply({{"type", "error"}, {"message", "unknown request " + type}});
        }
    }
}

int Zygote::fork_sandbox(const json::object& request, std::vector<UniqueFd> along) {
    int gate[2];
    if (::pipe2(gate, O_CLOEXEC) != 0) {
        reply({{"type", "error"}, {"message", std::string("pipe: ") + std::strerror(errno)}});
        return -1;
    }
    UniqueFd wait_here(gate[0]), go(gate[1]);
    int pidfd = -1;
    clone_args args{};
    args.flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
                 CLONE_NEWUTS | CLONE_PARENT | CLONE_PIDFD;
    args.pidfd = reinterpret_cast<std::uintptr_t>(&pidfd);
    const pid_t pid = sys::clone3(args);
    if (pid < 0) {
        reply({{"type", "error"}, {"message", std::string("clone3: ") + std::strerror(errno)}});
        return -1;
    }
    if (pid == 0) {
        go = UniqueFd();
        return be_sandbox(request, std::move(along), wait_here.release());
    }
    const UniqueFd owned_pidfd(pidfd);
    // The child has no identity before this is written, and waits for it.
    const std::string process = "/proc/" + std::to_string(pid);
    const auto inside = number_of(request, "inside_id");
    const auto outside = number_of(request, "outside_id");
    const auto count = number_of(request, "ids", 1);
    const auto uids =
        sys::write_small_file(process + "/uid_map", one_line_map(inside, outside, count));
    const auto gids =
        sys::write_small_file(process + "/gid_map", one_line_map(inside, outside, count));
    if (!uids || !gids) {
        ::kill(pid, SIGKILL);
        reply({{"type", "error"}, {"message", (!uids ? uids : gids).error().message}});
        return -1;
    }
    [[maybe_unused]] const auto unread = ::write(go.get(), "g", 1);
    reply({{"type", "forked"}}, owned_pidfd.get());
    return -1;
}

int Zygote::be_sandbox(const json::object& request, std::vector<UniqueFd> along, int gate) {
    char byte = 0;
    // The stream comes first, then the doors of the cgroup: entered before any page is touched, so
    // that all memory of the sandbox counts as its own.
    for (std::size_t i = 1; i < along.size(); ++i) {
        if (::write(along[i].get(), "0", 1) != 1) ::_exit(1);
        [[maybe_unused]] const int closed_below = along[i].release();
    }
    if (::read(gate, &byte, 1) != 1) ::_exit(1);
    UniqueFd stream = keep_only(std::move(along.front()));
    [[maybe_unused]] const int closed_above = control_.release();
    apply_config(request, surroundings_);
    if (surroundings_.user.change_ids) {
        if (::syscall(SYS_setresgid, 0, 0, 0) != 0 || ::syscall(SYS_setresuid, 0, 0, 0) != 0) {
            ::_exit(1);
        }
    }
    const int link = live_as_guest(std::move(stream), std::move(surroundings_),
                                   text_of(request, "hostname", "atoll"),
                                   flag_of(request, "owned") ? Kernels::AtOnce : Kernels::OnDemand);
    if (link < 0) ::_exit(0);
    return link;
}

}  // namespace atl::guest

// What Python calls.
extern "C" [[gnu::visibility("default")]] int atoll_zygote_serve(int control_fd) {
    return atl::guest::Zygote(atl::UniqueFd(control_fd)).serve();
}

#include "guest/lib/nest.hpp"

#include "base/fields.hpp"
#include "guest/lib/config.hpp"
#include "guest/lib/operation.hpp"
#include "guest/lib/pid_one.hpp"
#include "sys/descriptor_passing.hpp"
#include "sys/files.hpp"
#include "sys/open_files.hpp"
#include "sys/syscalls.hpp"
#include "wire/assembler.hpp"

#include <boost/json/serialize.hpp>
#include <csignal>
#include <cstring>
#include <ctime>
#include <poll.h>
#include <sched.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace atl::guest {

namespace {

constexpr std::size_t kMessageBytesMax = 256 * 1024;
constexpr std::size_t kKernelDescriptors = 3;  // link, out, err
constexpr int kStream = 3;                     // where a sandbox keeps its stream to the host
constexpr int kBell = 4;
constexpr int kReplyTriesMax = 10;
constexpr timespec kReplyPause{0, 10'000'000};

// Nothing of the nest's stays open in a sandbox: not its control socket, not another one's bell.
void keep_only(UniqueFd& stream, UniqueFd& bell) {
    const int nothing = ::open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; ++fd) ::dup2(nothing, fd);
    // Above all others first: either may lie where the other is going to be.
    const int limit = static_cast<int>(::sysconf(_SC_OPEN_MAX)) - 2;
    const int high = ::fcntl(stream.release(), F_DUPFD_CLOEXEC, limit);
    const int higher = ::fcntl(bell.release(), F_DUPFD_CLOEXEC, limit);
    if (high < 0 || higher < 0) ::_exit(1);
    ::dup3(high, kStream, O_CLOEXEC);
    ::dup3(higher, kBell, O_CLOEXEC);
    sys::close_range(kBell + 1, ~0u, 0);
    stream = UniqueFd(kStream);
    bell = UniqueFd(kBell);
}

std::string one_line_map(std::int64_t inside, std::int64_t outside, std::int64_t count) {
    return std::to_string(inside) + " " + std::to_string(outside) + " " + std::to_string(count);
}

}  // namespace

Nest::Nest(UniqueFd control, UniqueFd zygote, pid_t zygote_pid)
    : control_(std::move(control)),
      zygote_(std::move(zygote)),
      zygote_pid_(zygote_pid),
      message_(kMessageBytesMax, '\0') {
    sys::allow_many_open_files();  // each sandbox takes some here
    sigset_t heard;
    ::sigemptyset(&heard);
    ::sigaddset(&heard, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &heard, nullptr);
    signals_ = UniqueFd(::signalfd(-1, &heard, SFD_NONBLOCK | SFD_CLOEXEC));
}

int Nest::run() {
    reap();  // the zygote may have ended before the signal was blocked
    std::vector<pollfd> waiting;
    std::vector<pid_t> ringers;
    while (!childless_) {
        waiting = {{signals_.get(), POLLIN, 0},
                   {control_.get(), POLLIN, 0},  // poll passes over a descriptor below 0
                   {zygote_.get(), POLLIN, 0}};
        ringers.clear();
        for (const auto& [pid, nestling] : nestlings_) {
            if (nestling.bell.get() < 0) continue;
            waiting.push_back({nestling.bell.get(), POLLIN, 0});
            ringers.push_back(pid);
        }
        if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) return 1;
        if (waiting[0].revents != 0) reap();
        if (waiting[2].revents != 0 && zygote_.get() >= 0) hear_zygote();
        for (std::size_t i = 0; i < ringers.size(); ++i) {
            if (waiting[3 + i].revents == 0) continue;
            const auto found = nestlings_.find(ringers[i]);
            if (found != nestlings_.end()) answer_bell(found->first, found->second);
        }
        if (waiting[1].revents != 0 && control_.get() >= 0) hear_host();
    }
    return WIFEXITED(zygote_status_) ? WEXITSTATUS(zygote_status_) : 128 + WTERMSIG(zygote_status_);
}

void Nest::reap() {
    signalfd_siginfo heard[8];
    while (::read(signals_.get(), heard, sizeof heard) > 0) {}
    for (;;) {
        int status = 0;
        const pid_t pid = ::waitpid(-1, &status, WNOHANG);
        if (pid < 0 && errno == ECHILD) childless_ = true;
        if (pid <= 0) return;
        nestlings_.erase(pid);
        if (pid == zygote_pid_) {
            zygote_status_ = status;
            // What it said last is still in the socket.
            while (zygote_.get() >= 0) hear_zygote();
            control_ = UniqueFd();
        }
    }
}

// "ready", or why it cannot: in its own words to the host.
void Nest::hear_zygote() {
    const ssize_t n = ::recv(zygote_.get(), message_.data(), message_.size(), MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        if (errno == EAGAIN && zygote_status_ != 0) zygote_ = UniqueFd();
        return;
    }
    if (n <= 0) {
        zygote_ = UniqueFd();
        return;
    }
    ::send(control_.get(), message_.data(), static_cast<std::size_t>(n), MSG_NOSIGNAL);
}

void Nest::hear_host() {
    std::vector<UniqueFd> along;
    const ssize_t n =
        sys::receive_with(control_.get(), message_.data(), message_.size(), MSG_DONTWAIT, along);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (n <= 0) {
        // The host is gone: each sandbox sees that by its own stream, the zygote by this.
        control_ = UniqueFd();
        zygote_ = UniqueFd();
        return;
    }
    const auto text = std::string_view(message_).substr(0, static_cast<std::size_t>(n));
    const auto request = fields::parse_object(text);
    if (!request) {
        reply({{"type", "error"}, {"message", request.error().message}});
        return;
    }
    const std::string type = text_of(*request, "type");
    if (type == "init") {
        apply_config(*request, surroundings_);
        ::send(zygote_.get(), text.data(), text.size(), MSG_NOSIGNAL);
        reply({{"type", "initialised"}});
    } else if (type == "fork" && !along.empty()) {
        make_sandbox(*request, std::move(along));
    } else {
        reply({{"type", "error"}, {"message", "unknown request " + type}});
    }
}

bool Nest::reply(const json::object& message, int pidfd) {
    const std::span<const int> along(&pidfd, pidfd >= 0 ? 1 : 0);
    const std::string text = json::serialize(message);
    for (int tries = 0; tries < kReplyTriesMax; ++tries) {
        if (sys::send_with(control_.get(), text, along) >= 0) return true;
        if (errno != EINTR && errno != ETOOMANYREFS && errno != ENOBUFS && errno != ENOMEM) {
            return false;
        }
        // Where all sandboxes are one user, another one may have too many on their way.
        ::nanosleep(&kReplyPause, nullptr);
    }
    return false;
}

void Nest::refuse(const std::string& what, int cause) {
    reply({{"type", "error"}, {"message", what + ": " + std::strerror(cause)}});
}

void Nest::make_sandbox(const json::object& request, std::vector<UniqueFd> along) {
    int gate[2], bell[2];
    if (::pipe2(gate, O_CLOEXEC) != 0) return refuse("make a pipe", errno);
    UniqueFd wait_here(gate[0]), go(gate[1]);
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, bell) != 0) {
        return refuse("make a bell", errno);
    }
    UniqueFd ours(bell[0]), theirs(bell[1]);
    int pidfd = -1;
    clone_args args{};
    args.flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
                 CLONE_NEWUTS | CLONE_PIDFD;
    args.pidfd = reinterpret_cast<std::uintptr_t>(&pidfd);
    args.exit_signal = SIGCHLD;
    const pid_t pid = sys::clone3(args);
    if (pid < 0) return refuse("clone3", errno);
    if (pid == 0) {
        go = UniqueFd();
        be_sandbox(request, std::move(along), std::move(theirs), wait_here.get());
    }
    Nestling nestling{UniqueFd(pidfd), std::move(ours), {}};
    // The child has no identity before this is written, and waits for it.
    const std::string process = "/proc/" + std::to_string(pid);
    const auto inside = number_of(request, "inside_id");
    const auto outside = number_of(request, "outside_id");
    const auto count = number_of(request, "ids", 1);
    const auto map = one_line_map(inside, outside, count);
    const auto uids = sys::write_small_file(process + "/uid_map", map);
    const auto gids = sys::write_small_file(process + "/gid_map", map);
    if (!uids || !gids) {
        ::kill(pid, SIGKILL);
        reply({{"type", "error"}, {"message", (!uids ? uids : gids).error().message}});
        return;
    }
    // Each question has one answer: a host that waits in vain takes the nest for dead.
    if (!reply({{"type", "forked"}}, nestling.pidfd.get())) {
        const int cause = errno;
        ::kill(pid, SIGKILL);
        return refuse("hand over a new sandbox", cause);
    }
    [[maybe_unused]] const auto unread = ::write(go.get(), "g", 1);
    for (std::size_t i = 1; i < along.size(); ++i) nestling.doors.push_back(std::move(along[i]));
    nestlings_[pid] = std::move(nestling);
}

void Nest::be_sandbox(const json::object& request, std::vector<UniqueFd> along, UniqueFd bell,
                      int gate) {
    // The stream comes first, then the doors of the cgroup: entered before any page is touched, so
    // that all memory of the sandbox counts as its own.
    for (std::size_t i = 1; i < along.size(); ++i) {
        if (::write(along[i].get(), "0", 1) != 1) ::_exit(1);
    }
    char byte = 0;
    if (::read(gate, &byte, 1) != 1) ::_exit(1);
    Birth birth{std::move(along.front()), std::move(bell), text_of(request, "hostname", "atoll"),
                flag_of(request, "owned")};
    keep_only(birth.stream, birth.bell);
    apply_config(request, surroundings_);
    if (surroundings_.user.change_ids) {
        if (::syscall(SYS_setresgid, 0, 0, 0) != 0 || ::syscall(SYS_setresuid, 0, 0, 0) != 0) {
            ::_exit(1);
        }
    }
    live_as_guest(std::move(birth), std::move(surroundings_));
    ::_exit(0);  // without the destructors of a nest, whose descriptors are long closed
}

void Nest::answer_bell(pid_t, Nestling& nestling) {
    std::vector<UniqueFd> along;
    char what = 0;
    const ssize_t n = sys::receive_with(nestling.bell.get(), &what, 1, MSG_DONTWAIT, along);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (n != 1 || along.size() != kKernelDescriptors) {
        nestling.bell = UniqueFd();  // it ended, or is not our PID 1 any more
        return;
    }
    std::vector<int> descriptors;
    for (const auto& one : along) descriptors.push_back(one.get());
    descriptors.push_back(nestling.pidfd.get());
    for (const auto& door : nestling.doors) descriptors.push_back(door.get());
    // If it cannot be sent, what is closed here tells PID 1 that no kernel comes.
    (void)sys::send_with(zygote_.get(), R"({"type":"kernel"})", descriptors);
}

}  // namespace atl::guest

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

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <csignal>
#include <cstring>
#include <ctime>
#include <iterator>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <span>
#include <sys/epoll.h>
#include <sys/eventfd.h>
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

// Where a new sandbox finds what it is given, in the table of descriptors that it shares with the
// nest for its first moment. Nothing else of the nest's ever lies there.
constexpr int kSlotStream = 5;
constexpr int kSlotBell = 6;
constexpr int kSlotGate = 7;
constexpr int kSlotApart = 8;  // rung by the sandbox when it has a table of its own
constexpr int kSlotDoors = 9;
constexpr int kDoorsMax = 8;
constexpr int kSlotsEnd = kSlotDoors + kDoorsMax;

// What the nest waits for. A bell has its sandbox's PID, which is 2 at least, behind these.
enum Source : std::uint64_t { kSignals, kControlSocket, kZygote, kApart, kBells };

// Nothing of the nest's stays open in a sandbox: not its control socket, not another one's bell.
void keep_only_stream_and_bell() {
    const int nothing = ::open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; ++fd) ::dup2(nothing, fd);
    if (::dup3(kSlotStream, kStream, O_CLOEXEC) < 0) ::_exit(1);
    if (::dup3(kSlotBell, kBell, O_CLOEXEC) < 0) ::_exit(1);
    sys::close_range(kBell + 1, ~0u, 0);
}

std::string one_line_map(std::int64_t inside, std::int64_t outside, std::int64_t count) {
    return std::to_string(inside) + " " + std::to_string(outside) + " " + std::to_string(count);
}

}  // namespace

Nest::Nest(UniqueFd control, UniqueFd zygote, pid_t zygote_pid)
    : control_(std::move(control)),
      zygote_(::fcntl(zygote.get(), F_DUPFD_CLOEXEC, kSlotsEnd)),
      zygote_pid_(zygote_pid),
      message_(kMessageBytesMax, '\0') {
    sys::allow_many_open_files();  // each sandbox takes some here
    sigset_t heard;
    ::sigemptyset(&heard);
    ::sigaddset(&heard, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &heard, nullptr);
    const UniqueFd signals(::signalfd(-1, &heard, SFD_NONBLOCK | SFD_CLOEXEC));
    signals_ = UniqueFd(::fcntl(signals.get(), F_DUPFD_CLOEXEC, kSlotsEnd));
    const UniqueFd apart(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    apart_ = UniqueFd(::fcntl(apart.get(), F_DUPFD_CLOEXEC, kSlotsEnd));
    const UniqueFd events(::epoll_create1(EPOLL_CLOEXEC));
    events_ = UniqueFd(::fcntl(events.get(), F_DUPFD_CLOEXEC, kSlotsEnd));
    const UniqueFd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    nothing_ = UniqueFd(::fcntl(nothing.get(), F_DUPFD_CLOEXEC, kSlotsEnd));
}

void Nest::listen(int fd, std::uint64_t source) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = source;
    ::epoll_ctl(events_.get(), EPOLL_CTL_ADD, fd, &event);
}

void Nest::forget(UniqueFd& fd) {
    if (fd.get() >= 0) ::epoll_ctl(events_.get(), EPOLL_CTL_DEL, fd.get(), nullptr);
    fd = UniqueFd();
}

int Nest::run() {
    empty_slots();
    listen(signals_.get(), kSignals);
    listen(control_.get(), kControlSocket);
    listen(zygote_.get(), kZygote);
    listen(apart_.get(), kApart);
    reap();  // the zygote may have ended before the signal was blocked
    epoll_event events[64];
    while (!childless_) {
        const int count = ::epoll_wait(events_.get(), events, std::size(events), -1);
        if (count < 0 && errno != EINTR) return 1;
        const auto happened = std::span(events, static_cast<std::size_t>(std::max(count, 0)));
        const auto heard = [&](Source source) {
            return std::any_of(happened.begin(), happened.end(),
                               [&](const epoll_event& event) { return event.data.u64 == source; });
        };
        if (heard(kSignals)) reap();
        if (heard(kApart) && ::eventfd_read(apart_.get(), &rings_) == 0) empty_slots();
        if (heard(kZygote) && zygote_.get() >= 0) hear_zygote();
        for (const auto& event : happened) {
            if (event.data.u64 < kBells) continue;
            const auto found = nestlings_.find(static_cast<pid_t>(event.data.u64 - kBells));
            if (found != nestlings_.end()) answer_bell(found->second);
        }
        if (heard(kControlSocket) && control_.get() >= 0) hear_host();
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
        if (pid == newborn_) empty_slots();
        if (pid == zygote_pid_) {
            zygote_status_ = status;
            // What it said last is still in the socket.
            while (zygote_.get() >= 0) hear_zygote();
            forget(control_);
        }
    }
}

// "ready", or why it cannot: in its own words to the host.
void Nest::hear_zygote() {
    const ssize_t n = ::recv(zygote_.get(), message_.data(), message_.size(), MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        if (errno == EAGAIN && zygote_status_ != 0) forget(zygote_);
        return;
    }
    if (n <= 0) {
        forget(zygote_);
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
        forget(control_);
        forget(zygote_);
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

// The newborn shares our table of descriptors, since copying one of seven thousand and closing all
// but a few in the copy took 0.6 ms. Its first act is to get a table of its own, with the slots in
// it and nothing of what lies behind them. Until then the slots must stay as they are.
void Nest::fill_slots(const std::vector<UniqueFd>& along, int bell, int gate) {
    const auto put = [](int fd, int slot) { ::dup3(fd, slot, O_CLOEXEC); };
    put(along.front().get(), kSlotStream);
    put(bell, kSlotBell);
    put(gate, kSlotGate);
    put(apart_.get(), kSlotApart);
    for (std::size_t i = 1; i < along.size(); ++i) {
        put(along[i].get(), kSlotDoors + static_cast<int>(i) - 1);
    }
}

void Nest::empty_slots() {
    for (int slot = kSlotStream; slot < kSlotsEnd; ++slot) {
        ::dup3(nothing_.get(), slot, O_CLOEXEC);
    }
    newborn_ = -1;
}

// Until a newborn has left our table of descriptors, or died before.
void Nest::wait_for_newborn(int pidfd) {
    pollfd waiting[] = {{apart_.get(), POLLIN, 0}, {pidfd, POLLIN, 0}};
    while (::poll(waiting, std::size(waiting), -1) <= 0) {}
    [[maybe_unused]] const int unread = ::eventfd_read(apart_.get(), &rings_);
    empty_slots();
}

void Nest::make_sandbox(const json::object& request, std::vector<UniqueFd> along) {
    if (along.size() > 1 + kDoorsMax) return refuse("take the doors of a cgroup", E2BIG);
    if (const auto last = nestlings_.find(newborn_); last != nestlings_.end()) {
        wait_for_newborn(last->second.pidfd.get());
    }
    int gate[2], bell[2];
    if (::pipe2(gate, O_CLOEXEC) != 0) return refuse("make a pipe", errno);
    UniqueFd wait_here(gate[0]), go(gate[1]);
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, bell) != 0) {
        return refuse("make a bell", errno);
    }
    UniqueFd ours(bell[0]), theirs(bell[1]);
    fill_slots(along, theirs.get(), wait_here.get());
    int pidfd = -1;
    clone_args args{};
    args.flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
                 CLONE_NEWUTS | CLONE_PIDFD | CLONE_FILES;
    args.pidfd = reinterpret_cast<std::uintptr_t>(&pidfd);
    args.exit_signal = SIGCHLD;
    const pid_t pid = sys::clone3(args);
    if (pid < 0) {
        const int cause = errno;
        empty_slots();
        return refuse("clone3", cause);
    }
    if (pid == 0) be_sandbox(request, along.size() - 1);
    newborn_ = pid;
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
        wait_for_newborn(nestling.pidfd.get());
        reply({{"type", "error"}, {"message", (!uids ? uids : gids).error().message}});
        return;
    }
    // Each question has one answer: a host that waits in vain takes the nest for dead.
    if (!reply({{"type", "forked"}}, nestling.pidfd.get())) {
        const int cause = errno;
        ::kill(pid, SIGKILL);
        wait_for_newborn(nestling.pidfd.get());
        return refuse("hand over a new sandbox", cause);
    }
    [[maybe_unused]] const auto unread = ::write(go.get(), "g", 1);
    for (std::size_t i = 1; i < along.size(); ++i) nestling.doors.push_back(std::move(along[i]));
    listen(nestling.bell.get(), kBells + static_cast<std::uint64_t>(pid));
    nestlings_[pid] = std::move(nestling);
}

void Nest::be_sandbox(const json::object& request, std::size_t doors) {
    // Nothing here destroys an owner of a descriptor: until the table is our own, that would close
    // the nest's.
    if (sys::close_range(kSlotsEnd, ~0u, CLOSE_RANGE_UNSHARE) != 0) ::_exit(1);
    if (::eventfd_write(kSlotApart, 1) != 0) ::_exit(1);
    // Entered before any more pages are touched, so that all memory of the sandbox counts as its
    // own.
    for (std::size_t i = 0; i < doors; ++i) {
        if (::write(kSlotDoors + static_cast<int>(i), "0", 1) != 1) ::_exit(1);
    }
    char byte = 0;
    // Closed without a byte: it is not to live. Our own copy of the other end went with the table.
    if (::read(kSlotGate, &byte, 1) != 1) ::_exit(1);
    keep_only_stream_and_bell();
    Birth birth{UniqueFd(kStream), UniqueFd(kBell), text_of(request, "hostname", "atoll"),
                flag_of(request, "owned")};
    apply_config(request, surroundings_);
    if (surroundings_.user.change_ids) {
        if (::syscall(SYS_setresgid, 0, 0, 0) != 0 || ::syscall(SYS_setresuid, 0, 0, 0) != 0) {
            ::_exit(1);
        }
    }
    live_as_guest(std::move(birth), std::move(surroundings_));
    ::_exit(0);  // without the destructors of a nest, whose descriptors are long closed
}

void Nest::answer_bell(Nestling& nestling) {
    std::vector<UniqueFd> along;
    char what = 0;
    const ssize_t n = sys::receive_with(nestling.bell.get(), &what, 1, MSG_DONTWAIT, along);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (n != 1 || along.size() != kKernelDescriptors) {
        forget(nestling.bell);  // it ended, or is not our PID 1 any more
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

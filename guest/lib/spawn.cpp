#include "guest/lib/spawn.hpp"

#include "base/fd.hpp"
#include "guest/lib/as_user.hpp"
#include "guest/lib/guest_path.hpp"
#include "sys/syscalls.hpp"

#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace atl::guest {

namespace {

constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";
constexpr int kHighDescriptor = 64;  // beyond those that a child puts in their places
// Counted in looks and not by the clock: a sandbox that stands still loses none of its time.
constexpr int kLookEveryMs = 20;
constexpr int kLooksMax = 1000;

// Every path at which the program might be, in order, found before the fork because it allocates.
std::vector<std::string> candidates(const Launch& launch) {
    const std::string& name = launch.argv.front();
    if (name.find('/') != std::string::npos) return {name};
    std::string path = kDefaultPath;
    for (const auto& variable : launch.environment) {
        if (variable.rfind("PATH=", 0) == 0) path = variable.substr(5);
    }
    std::vector<std::string> found;
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find(':', begin), path.size());
        if (end > begin) found.push_back(path.substr(begin, end - begin) + "/" + name);
        begin = end + 1;
    }
    return found;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (auto& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

void reset_signals() noexcept {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    for (int number = 1; number < 65; ++number) ::sigaction(number, &standard, nullptr);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// When the sandbox runs out of memory the kernel picks the process with the highest score: user
// code dies, PID 1 lives to report it. A child inherits the score of the moment of its birth. Set
// after that it would come too late for a quick program: so PID 1 takes the score for the time of
// the fork alone.
void set_score(int oom_score_fd, const char* score) noexcept {
    if (oom_score_fd < 0) return;
    [[maybe_unused]] const auto unread = ::pwrite(oom_score_fd, score, std::strlen(score), 0);
}

struct Prepared {
    std::vector<std::string> paths;
    std::vector<char*> argv;
    std::vector<char*> environment;
    UniqueFd directory;
};

bool become_program(const Launch& launch, const Prepared& prepared, int report,
                    sys::StepFailure& failure) noexcept {
    if (!prepare_child(launch.in, launch.out, launch.err, launch.controlling_terminal, failure) ||
        !sys::confine_self(launch.confinement, failure)) {
        return false;
    }
    // After the change of user: a directory that the user may not enter is an error.
    if (::fchdir(prepared.directory.get()) != 0) {
        return failure.set("enter ", launch.directory.c_str());
    }
    const bool linked = launch.link >= 0 && ::dup2(launch.link, 3) == 3;
    // From here on no path leads to what PID 1 holds.
    const unsigned kept = linked ? 4 : 3;
    sys::close_range(kept, static_cast<unsigned>(report) - 1, 0);
    sys::close_range(static_cast<unsigned>(report) + 1, ~0u, 0);
    int cause = ENOENT;
    for (const auto& path : prepared.paths) {
        ::execve(path.c_str(), prepared.argv.data(), prepared.environment.data());
        if (errno != ENOENT && errno != ENOTDIR) cause = errno;
    }
    errno = cause;
    return failure.set("run ", prepared.argv[0]);
}

// Until the child runs its program or has said why it cannot. Other processes of the sandbox may
// be the same user as a child that is not confined yet, and could stop it for ever: nobody but an
// attacker stops a process at this point, so it is ended.
bool wait_for_program(pid_t pid, int report, sys::StepFailure& failure) {
    for (int looks = 0; looks < kLooksMax; ++looks) {
        pollfd waiting{report, POLLIN, 0};
        if (::poll(&waiting, 1, kLookEveryMs) > 0) {
            // Nothing to read: the other end was closed, by exec or with the child.
            return ::read(report, &failure, sizeof failure) != sizeof failure;
        }
        siginfo_t how{};
        ::waitid(P_PID, static_cast<id_t>(pid), &how, WSTOPPED | WNOHANG | WNOWAIT);
        if (how.si_pid == pid) break;
    }
    ::kill(pid, SIGKILL);
    errno = EAGAIN;
    return failure.set("start the program: it was stopped before it began");
}

}  // namespace

bool prepare_child(int in, int out, int err, bool terminal, sys::StepFailure& failure) noexcept {
    reset_signals();
    if (::setsid() < 0) return failure.set("start a session");
    if (::dup2(in, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(err, 2) < 0) {
        return failure.set("connect the standard streams");
    }
    if (terminal && ::ioctl(0, TIOCSCTTY, 0) != 0) return failure.set("take the terminal");
    return true;
}

// The highest score there is: less can be outweighed by PID 1's own size when the limit is low and
// the program's memory lies where it does not count as its own (a memfd, a socket).
pid_t spawn(Launch& launch) {
    if (launch.argv.empty() || launch.argv.front().empty()) {
        errno = EINVAL;
        launch.failure.set("run nothing");
        return -1;
    }
    Prepared prepared{candidates(launch), pointers(launch.argv), pointers(launch.environment),
                      UniqueFd()};
    {
        const AsUser as_user(launch.confinement.user);
        prepared.directory = open_path(launch.directory, O_PATH | O_DIRECTORY);
    }
    if (prepared.directory.get() < 0) {
        launch.failure.set("enter ", launch.directory.c_str());
        return -1;
    }
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        launch.failure.set("make a pipe");
        return -1;
    }
    const UniqueFd report(ends[0]);
    UniqueFd reporter(ends[1]);
    UniqueFd high(::fcntl(reporter.get(), F_DUPFD_CLOEXEC, kHighDescriptor));
    reporter = UniqueFd();
    set_score(launch.oom_score_fd, "1000");
    const pid_t pid = high.get() < 0 ? -1 : ::fork();
    if (pid == 0) {
        sys::StepFailure failure;
        become_program(launch, prepared, high.get(), failure);
        [[maybe_unused]] const auto unread = ::write(high.get(), &failure, sizeof failure);
        ::_exit(127);
    }
    set_score(launch.oom_score_fd, "0");
    high = UniqueFd();
    if (pid < 0) {
        launch.failure.set("make a process");
        return -1;
    }
    // One that failed is reaped by the loop like any orphan.
    return wait_for_program(pid, report.get(), launch.failure) ? pid : -1;
}

}  // namespace atl::guest

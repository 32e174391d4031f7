#include "guest/lib/spawn.hpp"

#include "sys/syscalls.hpp"

#include <csignal>
#include <cstring>
#include <sys/ioctl.h>
#include <unistd.h>

namespace atl::guest {

namespace {

constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

// Every path at which the program might be, in order, found before vfork because it allocates.
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
// after that it would come too late for a quick program, and in between PID 1 itself must not stand
// first: so PID 1 takes the score for the time of vfork alone, and the child takes it from PID 1
// again.
void set_score(int oom_score_fd, const char* score) noexcept {
    if (oom_score_fd < 0) return;
    [[maybe_unused]] const auto unread = ::pwrite(oom_score_fd, score, std::strlen(score), 0);
}

[[noreturn]] void run_child(Launch& launch, const std::vector<std::string>& paths,
                            char* const* argv, char* const* environment) noexcept {
    set_score(launch.oom_score_fd, "0");
    if (prepare_child(launch.in, launch.out, launch.err, launch.controlling_terminal,
                      launch.failure) &&
        sys::confine_self(launch.confinement, launch.failure)) {
        // After the change of user: a directory that the user may not enter is an error.
        if (::chdir(launch.directory.c_str()) != 0) {
            launch.failure.set("enter ", launch.directory.c_str());
            ::_exit(127);
        }
        const bool linked = launch.link >= 0 && ::dup2(launch.link, 3) == 3;
        sys::close_range(linked ? 4 : 3, ~0u, 0);
        int cause = ENOENT;
        for (const auto& path : paths) {
            ::execve(path.c_str(), argv, environment);
            if (errno != ENOENT && errno != ENOTDIR) cause = errno;
        }
        errno = cause;
        launch.failure.set("run ", argv[0]);
    }
    ::_exit(127);
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
    const auto paths = candidates(launch);
    const auto argv = pointers(launch.argv);
    const auto environment = pointers(launch.environment);
    set_score(launch.oom_score_fd, "1000");
    const pid_t pid = ::vfork();
    if (pid == 0) run_child(launch, paths, argv.data(), environment.data());
    if (pid < 0) {
        set_score(launch.oom_score_fd, "0");
        launch.failure.set("make a process");
        return -1;
    }
    // vfork returns once the child has executed or left: its failure is here already.
    if (launch.failure.step[0] != '\0') return -1;  // the loop reaps it like any orphan
    return pid;
}

}  // namespace atl::guest

#include "runtimes/native/template_child.hpp"

#include "base/fd.hpp"
#include "runtimes/native/argv.hpp"
#include "sys/files.hpp"
#include "sys/syscalls.hpp"

#include <cstring>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace atl::native {

namespace {

constexpr int kStops[] = {SIGINT, SIGTERM, SIGHUP};
constexpr std::size_t kOutputBytesMax = 16u << 20;
constexpr std::size_t kErrorBytesKept = 16u << 10;
constexpr std::chrono::milliseconds kLook{100};  // how late a stop signal may be seen
constexpr std::chrono::seconds kGrace{2};        // from the polite signal to the other one
constexpr unsigned kNobody = 65534;

volatile std::sig_atomic_t stop_signal = 0;
void note_stop(int signal) { stop_signal = signal; }

// What the child needs, made before fork.
struct Prepared {
    char** argv;
    char** argv_at_mnt;
    char** environment;
    const char* folder;
    bool unprivileged;
    int output, errors, nothing;
};

// Below fork. Whether `folder` is at /mnt now. A container may forbid it; then the plain path is
// used, and works unless somebody's private folder lies above it.
bool show_at_mnt(const char* folder) noexcept {
    return ::unshare(CLONE_NEWNS) == 0 &&
           ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           ::mount(folder, "/mnt", nullptr, MS_BIND, nullptr) == 0 && ::chdir("/mnt") == 0;
}

// Raw system calls: glibc's would signal threads that exist only in the parent.
bool become_nobody() noexcept {
    return ::syscall(SYS_setgroups, 0, nullptr) == 0 &&
           ::syscall(SYS_setresgid, kNobody, kNobody, kNobody) == 0 &&
           ::syscall(SYS_setresuid, kNobody, kNobody, kNobody) == 0;
}

[[noreturn]] void become(const Prepared& prepared) noexcept {
    ::setpgid(0, 0);
    ::dup2(prepared.nothing, 0);
    ::dup2(prepared.output, 1);
    ::dup2(prepared.errors, 2);
    sys::close_range(3, ~0u, 0);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    ::umask(022);  // sandboxes read it as other users
    char** argv = prepared.argv;
    if (::chdir(prepared.folder) != 0) ::_exit(126);
    if (prepared.unprivileged && ::geteuid() == 0) {
        if (show_at_mnt(prepared.folder)) argv = prepared.argv_at_mnt;
        // Without a network nothing can be sent; a host that refuses it loses only that.
        [[maybe_unused]] const int unchecked = ::unshare(CLONE_NEWNET | CLONE_NEWIPC);
        if (!become_nobody()) ::_exit(126);
    }
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // last: a change of user clears it
    ::execve(argv[0], argv, prepared.environment);
    ::_exit(127);
}

struct Pipe {
    UniqueFd read, write;
};
Result<Pipe> make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return sys::errno_error("make a pipe");
    return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// False at the end of the stream.
bool take(int fd, std::string& into) {
    char piece[8192];
    const ssize_t n = ::read(fd, piece, sizeof piece);
    if (n < 0) return errno == EINTR || errno == EAGAIN;
    into.append(piece, static_cast<std::size_t>(n));
    return n > 0;
}

class Watcher {
public:
    Watcher(const Child& child, pid_t pid, UniqueFd output, UniqueFd errors)
        : child_(child), pid_(pid), output_(std::move(output)), errors_(std::move(errors)) {}

    // Reads until both streams end; says why it stopped earlier, or nothing.
    std::string watch(ChildEnd& end) {
        const auto begin = std::chrono::steady_clock::now();
        while (output_ || errors_) {
            if (StopSignals::raised()) return "stopped by a signal";
            if (child_.still) child_.still();
            if (std::chrono::steady_clock::now() - begin > child_.time_max) {
                return "took longer than " + std::to_string(child_.time_max.count()) + " s";
            }
            if (end.output.size() > kOutputBytesMax) return "wrote more than 16 MiB";
            pollfd ready[2] = {{output_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}};
            if (::poll(ready, 2, static_cast<int>(kLook.count())) <= 0) continue;
            if (ready[0].revents != 0 && !take(output_.get(), end.output)) output_.reset();
            if (ready[1].revents != 0) {
                std::string fresh;
                if (!take(errors_.get(), fresh)) errors_.reset();
                note_errors(end, fresh);
            }
        }
        return {};
    }

    // Reaps it. Asks first, when it is to end before its time.
    int finish(bool early) {
        int status = 0;
        if (early) {
            ::kill(-pid_, SIGTERM);
            const auto until = std::chrono::steady_clock::now() + kGrace;
            while (std::chrono::steady_clock::now() < until) {
                if (::waitpid(pid_, &status, WNOHANG) == pid_) {
                    ::kill(-pid_, SIGKILL);  // its helpers
                    return status;
                }
                ::poll(nullptr, 0, 20);
            }
        }
        // The group outlives its leader while a helper of it lives, so this names no stranger.
        if (early) ::kill(-pid_, SIGKILL);
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
        return status;
    }

private:
    void note_errors(ChildEnd& end, const std::string& fresh) {
        end.errors += fresh;
        if (end.errors.size() > 2 * kErrorBytesKept) {
            end.errors.erase(0, end.errors.size() - kErrorBytesKept);
        }
        line_ += fresh;
        for (auto at = line_.find('\n'); at != std::string::npos; at = line_.find('\n')) {
            if (child_.on_error_line) child_.on_error_line(line_.substr(0, at));
            line_.erase(0, at + 1);
        }
        if (line_.size() > kErrorBytesKept) line_.clear();
    }

    const Child& child_;
    pid_t pid_;
    UniqueFd output_, errors_;
    std::string line_;
};

}  // namespace

StopSignals::StopSignals() {
    stop_signal = 0;
    struct sigaction action {};
    action.sa_handler = note_stop;  // without SA_RESTART: a wait is to end
    std::size_t at = 0;
    for (const int signal : kStops) {
        ::sigaction(signal, &action, &before_[at]);
        // nohup: who had it ignored is not to be stopped by it now.
        if (before_[at].sa_handler == SIG_IGN) ::sigaction(signal, &before_[at], nullptr);
        ++at;
    }
    action.sa_handler = SIG_IGN;  // a closed terminal must not end a build before it cleans up
    ::sigaction(SIGPIPE, &action, &before_[at]);
}

StopSignals::~StopSignals() {
    std::size_t at = 0;
    for (const int signal : kStops) ::sigaction(signal, &before_[at++], nullptr);
    ::sigaction(SIGPIPE, &before_[at], nullptr);
    if (stop_signal != 0) ::raise(stop_signal);
}

bool StopSignals::raised() noexcept { return stop_signal != 0; }

Result<ChildEnd> run_child(const Child& child) {
    auto output = make_pipe();
    if (!output) return output.error();
    auto errors = make_pipe();
    if (!errors) return errors.error();
    const UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const auto argv = pointers(child.argv);
    auto moved = child.argv;
    for (auto& argument : moved) {
        if (argument.starts_with(child.folder + "/")) {
            argument = "/mnt" + argument.substr(child.folder.size());
        }
    }
    const auto argv_at_mnt = pointers(moved);
    const auto environment = pointers(child.environment);
    const Prepared prepared{const_cast<char**>(argv.data()),
                            const_cast<char**>(argv_at_mnt.data()),
                            const_cast<char**>(environment.data()),
                            child.folder.c_str(),
                            child.unprivileged,
                            output->write.get(),
                            errors->write.get(),
                            nothing.get()};
    const pid_t pid = ::fork();
    if (pid < 0) return sys::errno_error("start " + child.argv[0], Code::Unavailable);
    if (pid == 0) become(prepared);
    ::setpgid(pid, pid);  // here too: whichever comes first
    output->write.reset();
    errors->write.reset();

    ChildEnd end;
    Watcher watcher(child, pid, std::move(output->read), std::move(errors->read));
    const auto why = watcher.watch(end);
    const int status = watcher.finish(!why.empty());
    if (!why.empty()) return Error{Code::Unavailable, why};
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && end.errors.empty()) {
        return Error{Code::Unavailable, child.argv[0] + " could not be started"};
    }
    end.succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (WIFSIGNALED(status)) {
        end.errors += std::string("\nended by signal ") + ::strsignal(WTERMSIG(status));
    }
    return end;
}

}  // namespace atl::native

#include "cli/archiver.hpp"

#include "runtimes/native/paths.hpp"
#include "sys/confine.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace atl::cli {

namespace {

constexpr std::size_t kReportBytesMax = 1u << 20;
constexpr int kCannotStart = 127;

Error archiver_failed_to(const char* what) {
    return {Code::Internal, std::string(what) + ": " + std::strerror(errno)};
}

struct Pipe {
    UniqueFd read, write;
};
Result<Pipe> make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return archiver_failed_to("pipe");
    return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// In the child: nothing but system calls until it has become the other program.
[[noreturn]] void become(const char* program, const char* const* words, int in, int out,
                         int ruleset) noexcept {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Ctrl-C at the terminal is ours to hear: who ends before us looks like a broken pipe.
    ::setpgid(0, 0);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    const bool walled = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                        (ruleset < 0 || ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0);
    if (walled && ::dup2(in, STDIN_FILENO) >= 0 && ::dup2(out, STDOUT_FILENO) >= 0) {
        ::execv(program, const_cast<char* const*>(words));
    }
    ::_exit(kCannotStart);
}

}  // namespace

Result<Archiver> Archiver::start(const char* const* words, const char* writable) {
    const auto paths = native::Paths::find();
    if (!paths) return paths.error();
    const std::string program = paths->guest + "/atoll-archive";
    if (::access(program.c_str(), X_OK) != 0) {
        return Error{Code::Unavailable,
                     "copying folders needs the program " + program + ": " + std::strerror(errno)};
    }
    auto in = make_pipe();
    if (!in) return in.error();
    auto out = make_pipe();
    if (!out) return out.error();
    const char* const allowed[] = {writable, nullptr};
    const UniqueFd ruleset(sys::make_landlock_ruleset(allowed));
    const pid_t child = ::fork();
    if (child < 0) return archiver_failed_to("fork");
    if (child == 0) {
        become(program.c_str(), words, in->read.get(), out->write.get(), ruleset.get());
    }
    Archiver made;
    made.child_ = child;
    made.to_ = std::move(in->write);
    made.from_ = std::move(out->read);
    return made;
}

Result<Archiver> Archiver::pack(const std::string& folder) {
    const char* const words[] = {"atoll-archive", "pack", "--format", "tar", "--",
                                 folder.c_str(),  nullptr};
    auto made = start(words, nullptr);
    if (made) made->end_input();
    return made;
}

Result<Archiver> Archiver::unpack(const std::string& into, std::uint64_t bytes_max) {
    const std::string bytes = std::to_string(bytes_max);
    const char* const words[] = {"atoll-archive", "unpack",      "--onto-host", "--into",
                                 into.c_str(),    "--bytes-max", bytes.c_str(), nullptr};
    return start(words, into.c_str());
}

Archiver::Archiver(Archiver&& other) noexcept
    : child_(std::exchange(other.child_, -1)),
      to_(std::move(other.to_)),
      from_(std::move(other.from_)) {}

Archiver::~Archiver() {
    if (child_ < 0) return;
    ::kill(child_, SIGTERM);  // it takes away the file that it was at
    static_cast<void>(wait());
}

std::string Archiver::read_rest() const {
    std::string text;
    char piece[4096];
    while (text.size() < kReportBytesMax) {
        const ssize_t n = ::read(from_.get(), piece, sizeof piece);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        text.append(piece, static_cast<std::size_t>(n));
    }
    return text;
}

int Archiver::wait() {
    to_.reset();
    from_.reset();
    int status = 0;
    while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {}
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace atl::cli

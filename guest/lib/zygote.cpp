#include "guest/lib/zygote.hpp"

#include "guest/lib/arenas.hpp"
#include "guest/lib/bare_fork.hpp"
#include "guest/lib/config.hpp"
#include "guest/lib/huge_pages.hpp"
#include "guest/lib/kernel.hpp"
#include "guest/lib/spawn.hpp"
#include "sys/descriptor_passing.hpp"
#include "sys/syscalls.hpp"
#include "wire/assembler.hpp"

#include <csignal>
#include <cstring>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace atl::guest {

namespace {

constexpr std::size_t kMessageBytesMax = 256 * 1024;
constexpr std::size_t kFirstDoor = 4;  // after link, out, err, pidfd of PID 1
constexpr int kNamespaces =
    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

[[noreturn]] void refuse_to_live(const sys::StepFailure& failure) {
    // Nobody reads a wall failure from here but the one who looks at stderr: a kernel that cannot
    // be confined must not run.
    ::dprintf(2, "kernel: %s: %s\n", failure.step, std::strerror(failure.cause));
    ::_exit(126);
}

// As in spawn.cpp; but a fork has memory of its own, so it can open itself up for the moment.
void stand_first_for_the_oom_killer() {
    ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    const UniqueFd score(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
    [[maybe_unused]] const auto unread = ::write(score.get(), "1000", 4);
}

bool read_whole(int fd, char* into, std::size_t size) {
    while (size > 0) {
        const ssize_t n = ::read(fd, into, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        into += n;
        size -= static_cast<std::size_t>(n);
    }
    return true;
}

// PID 1's first message: the walls stand, and this is what holds for you.
std::string wait_for_word(int link) {
    char header[kKernelMessageHeader];
    if (!read_whole(link, header, sizeof header) || header[4] != kKernelConfig) ::_exit(0);
    std::uint32_t length = 0;
    std::memcpy(&length, header, sizeof length);
    if (length > kMessageBytesMax) ::_exit(1);
    std::string text(length, '\0');
    if (!read_whole(link, text.data(), length)) ::_exit(0);
    return text;
}

void tell_own_pid(int link) {
    char message[kKernelMessageHeader + sizeof(std::int32_t)];
    const std::uint32_t length = sizeof(std::int32_t);
    const std::int32_t pid = ::getpid();
    std::memcpy(message, &length, sizeof length);
    message[4] = kKernelPid;
    std::memcpy(message + kKernelMessageHeader, &pid, sizeof pid);
    [[maybe_unused]] const auto unread = ::write(link, message, sizeof message);
}

}  // namespace

int Zygote::serve() {
    prepare_bare_fork();
    seal_arenas();
    gather_into_huge_pages();
    constexpr std::string_view kReady = R"({"type":"ready"})";
    if (sys::send_with(control_.get(), kReady, {}) < 0) ::_exit(0);
    std::string message(kMessageBytesMax, '\0');
    for (;;) {
        std::vector<UniqueFd> along;
        const ssize_t n =
            sys::receive_with(control_.get(), message.data(), message.size(), 0, along);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) ::_exit(0);  // the nest is gone
        const auto request =
            wire::parse_object(std::string_view(message).substr(0, static_cast<std::size_t>(n)));
        if (!request) continue;
        const std::string type = text_of(*request, "type");
        if (type == "init") {
            apply_config(*request, surroundings_);
        } else if (type == "kernel" && along.size() >= kFirstDoor) {
            const int link = fork_kernel(std::move(along));
            if (link >= 0) return link;
        }
    }
}

int Zygote::fork_kernel(std::vector<UniqueFd> along) {
    // Failing here closes the descriptors, which tells PID 1 that no kernel comes.
    if (::setns(along[3].get(), CLONE_NEWPID) != 0) return -1;
    const pid_t helper = ::vfork();
    if (helper == 0) {
        // Shares our memory and our stack until it ends, and does nothing but this: it can be
        // killed at any point, with its sandbox. The fork's memory is its own: it may return.
        const pid_t kernel = bare_fork();
        if (kernel == 0) return be_kernel(std::move(along));
        ::_exit(0);
    }
    if (helper > 0) ::waitpid(helper, nullptr, 0);
    // Back: whatever we forked next would be born there, and a sandbox that has ended would be kept
    // by our hold on it.
    const UniqueFd self(sys::pidfd_open(::getpid()));
    ::setns(self.get(), CLONE_NEWPID);
    return -1;
}

int Zygote::be_kernel(std::vector<UniqueFd> along) {
    // Into the cgroup before all else, so that the pages it copies are the sandbox's. Not by the
    // helper: in a frozen or throttled sandbox it would stop, and the zygote with it.
    for (std::size_t i = kFirstDoor; i < along.size(); ++i) {
        if (::write(along[i].get(), "0", 1) != 1) ::_exit(1);
    }
    const int link = along[0].get();
    const std::string word = wait_for_word(link);
    sys::StepFailure failure;
    if (::setns(along[3].get(), kNamespaces) != 0) {
        failure.set("enter the sandbox");
        refuse_to_live(failure);
    }
    const auto config = wire::parse_object(word);
    if (!config) ::_exit(1);
    apply_config(*config, surroundings_);
    if (surroundings_.user.change_ids) {
        if (::syscall(SYS_setresgid, 0, 0, 0) != 0 || ::syscall(SYS_setresuid, 0, 0, 0) != 0) {
            ::_exit(1);
        }
    }
    tell_own_pid(link);
    ::umask(022);
    stand_first_for_the_oom_killer();
    // Python expects SIGPIPE ignored, and SIGINT at the handler that it installed itself.
    struct sigaction interrupt {};
    ::sigaction(SIGINT, nullptr, &interrupt);
    // High numbers first: the descriptors may lie where 0 to 3 are going to be.
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int in = ::fcntl(nothing, F_DUPFD_CLOEXEC, 64);
    const int out = ::fcntl(along[1].get(), F_DUPFD_CLOEXEC, 64);
    const int err = ::fcntl(along[2].get(), F_DUPFD_CLOEXEC, 64);
    const int kept_link = ::fcntl(link, F_DUPFD_CLOEXEC, 64);
    if (!prepare_child(in, out, err, false, failure)) refuse_to_live(failure);
    ::sigaction(SIGINT, &interrupt, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
    if (!sys::confine_self(surroundings_.confinement(), failure)) refuse_to_live(failure);
    ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);  // /proc/self belongs to the user again
    if (::dup2(kept_link, kLinkInKernel) < 0) ::_exit(126);
    sys::close_range(kLinkInKernel + 1, ~0u, 0);
    // Closed by number; their owners here must not close them again.
    for (auto& owner : along) [[maybe_unused]] const int closed = owner.release();
    [[maybe_unused]] const int closed = control_.release();
    return kLinkInKernel;
}

}  // namespace atl::guest

// What Python calls.
extern "C" [[gnu::visibility("default")]] int atoll_zygote_serve(int control_fd) {
    return atl::guest::Zygote(atl::UniqueFd(control_fd)).serve();
}

#include "guest/lib/zygote.hpp"

#include "base/fields.hpp"
#include "guest/lib/arenas.hpp"
#include "guest/lib/bare_fork.hpp"
#include "guest/lib/config.hpp"
#include "guest/lib/gathered_libraries.hpp"
#include "guest/lib/holes.hpp"
#include "guest/lib/huge_pages.hpp"
#include "guest/lib/kernel.hpp"
#include "guest/lib/mappings.hpp"
#include "guest/lib/spawn.hpp"
#include "sys/descriptor_passing.hpp"
#include "sys/syscalls.hpp"
#include "wire/assembler.hpp"

#include <csetjmp>
#include <csignal>
#include <cstring>
#include <ctime>
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

constexpr std::size_t kHelperStackBytes = 32 * 1024;
// Counted in looks and not by the clock, which runs on while a machine sleeps.
constexpr timespec kLookEvery{0, 20'000'000};
constexpr int kLooksMax = 1000;

sigset_t child_signal() noexcept {
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGCHLD);
    return set;
}

// Shares our memory until it ends, and does nothing but this: it can be killed at any point, with
// its sandbox. The fork's memory is its own: it goes on where fork_kernel() waits.
int be_helper(void* kernel_begins) noexcept {
    if (bare_fork() == 0) std::longjmp(*static_cast<std::jmp_buf*>(kernel_begins), 1);
    ::_exit(0);
}

// Nothing here takes a lock or memory: this is the state that the kernel is forked with.
// The helper is a process of the sandbox, and where all is one user its programs can stop it. We
// hear of that as of its end; nobody stops it but an attacker, so it is ended.
void see_off(pid_t helper) noexcept {
    const sigset_t child = child_signal();
    for (int looks = 0;; ++looks) {
        siginfo_t how{};
        if (::waitid(P_PID, static_cast<id_t>(helper), &how, WEXITED | WSTOPPED | WNOHANG) != 0) {
            return;
        }
        const bool stopped = how.si_pid == helper && how.si_code == CLD_STOPPED;
        if (how.si_pid == helper && !stopped) return;
        if (stopped || looks >= kLooksMax) ::kill(helper, SIGKILL);
        ::sigtimedwait(&child, nullptr, &kLookEvery);
    }
}

// As vfork, but for the waiting: that would last for as long as somebody keeps the helper stopped.
// The stack is its own, in this frame: a kernel that leaves it goes up, as if it returned.
[[gnu::noinline]] void run_helper(std::jmp_buf& kernel_begins) noexcept {
    alignas(16) char stack[kHelperStackBytes];
    const pid_t helper =
        ::clone(be_helper, stack + sizeof stack, CLONE_VM | SIGCHLD, &kernel_begins);
    if (helper > 0) see_off(helper);
}

}  // namespace

int Zygote::serve() {
    // Heard where we wait for it. A kernel starts with no signal blocked.
    const sigset_t child = child_signal();
    ::sigprocmask(SIG_BLOCK, &child, nullptr);
    prepare_bare_fork();
    seal_arenas();
    fill_heap_holes();
    gather_libraries();
    merge_mappings();
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
            fields::parse_object(std::string_view(message).substr(0, static_cast<std::size_t>(n)));
        if (!request) continue;
        const std::string type = text_of(*request, "type");
        if (type == "init") {
            apply_config(*request, surroundings_);
        } else if (type == "kernel" && along.size() >= kFirstDoor) {
            along_ = std::move(along);
            const int link = fork_kernel();
            if (link >= 0) return link;
            along_.clear();
        }
    }
}

int Zygote::fork_kernel() {
    // Failing here closes the descriptors, which tells PID 1 that no kernel comes.
    if (::setns(along_[3].get(), CLONE_NEWPID) != 0) return -1;
    std::jmp_buf kernel_begins;
    if (setjmp(kernel_begins) != 0) return be_kernel();
    run_helper(kernel_begins);
    // Back: whatever we forked next would be born there, and a sandbox that has ended would be kept
    // by our hold on it.
    const UniqueFd self(sys::pidfd_open(::getpid()));
    ::setns(self.get(), CLONE_NEWPID);
    return -1;
}

int Zygote::be_kernel() {
    std::vector<UniqueFd> along = std::move(along_);
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
    const auto config = fields::parse_object(word);
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
    // Python expects SIGPIPE and SIGXFSZ ignored, and SIGINT at the handler that it installed
    // itself.
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
    ::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an OSError, not an end
    // Before the capabilities go, which keep others of the same user from taking what we hold: the
    // zygote's own socket is among it.
    if (::dup2(kept_link, kLinkInKernel) < 0) ::_exit(126);
    sys::close_range(kLinkInKernel + 1, ~0u, 0);
    // Closed by number; their owners here must not close them again.
    for (auto& owner : along) [[maybe_unused]] const int closed = owner.release();
    [[maybe_unused]] const int closed = control_.release();
    if (!sys::confine_self(surroundings_.confinement(), failure)) refuse_to_live(failure);
    ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);  // /proc/self belongs to the user again
    return kLinkInKernel;
}

}  // namespace atl::guest

// What Python calls.
extern "C" [[gnu::visibility("default")]] int atoll_zygote_serve(int control_fd) {
    return atl::guest::Zygote(atl::UniqueFd(control_fd)).serve();
}

#include "sys/seccomp/policy.hpp"

#include "sys/confine.hpp"

#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

namespace atl::sys {

namespace {

// The errno (0 for success) that `attempt` meets in a child behind the filter.
template <class Attempt>
int errno_behind_filter(Profile profile, Attempt attempt) {
    const auto filter = compile_filter(profile);
    EXPECT_TRUE(filter.has_value()) << filter.error().message;
    if (!filter) return -1;
    const pid_t child = ::fork();
    if (child == 0) {
        StepFailure failure;
        if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) ::_exit(200);
        if (!install_filter(filter->data(), static_cast<unsigned short>(filter->size()), failure)) {
            ::_exit(201);
        }
        ::_exit(attempt() < 0 ? errno : 0);
    }
    int status = 0;
    if (::waitpid(child, &status, 0) != child) return -2;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

// Goal: what is refused is refused with the error that people and libraries can act on, and what
// ordinary programs do passes. One call a row, so that a failing row names the rule.
TEST(Filter, RefusesAndAllows) {
    struct Row {
        const char* name;
        int expected;
        long (*attempt)();
    };
    const Row rows[] = {
        {"getpid", 0, [] { return ::syscall(SYS_getpid); }},
        {"unix socket", 0, [] { return long{::socket(AF_UNIX, SOCK_STREAM, 0)}; }},
        {"tcp socket", 0, [] { return long{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)}; }},
        {"netlink", EAFNOSUPPORT, [] { return long{::socket(AF_NETLINK, SOCK_RAW, 0)}; }},
        {"packet", EAFNOSUPPORT, [] { return long{::socket(AF_PACKET, SOCK_RAW, 0)}; }},
        {"raw ip", EPERM, [] { return long{::socket(AF_INET, SOCK_RAW, 1)}; }},
        {"sctp", EPROTONOSUPPORT, [] { return long{::socket(AF_INET, SOCK_STREAM, 132)}; }},
        {"clone newuser", EPERM,
         [] { return ::syscall(SYS_clone, CLONE_NEWUSER | 17, 0, 0, 0, 0); }},
        {"a thread with descriptors of its own", EPERM,
         [] { return ::syscall(SYS_clone, CLONE_VM | CLONE_SIGHAND | CLONE_THREAD, 0, 0, 0, 0); }},
        {"a thread in a new namespace", EPERM,
         [] {
             return ::syscall(SYS_clone,
                              CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_FILES | CLONE_NEWNET,
                              0, 0, 0, 0);
         }},
        {"close_range", 0, [] { return ::syscall(SYS_close_range, 1000, 1000, 0); }},
        {"close_range on exec", 0, [] { return ::syscall(SYS_close_range, 1000, 1000, 4); }},
        {"close_range of an own table", EPERM,
         [] { return ::syscall(SYS_close_range, 1000, 1000, 2); }},
        {"close_range of an own table with high bits", EPERM,
         [] { return ::syscall(SYS_close_range, 1000, 1000, 0x100000002ul); }},
        {"clone3", ENOSYS, [] { return ::syscall(SYS_clone3, nullptr, 0); }},
        {"unshare", EPERM, [] { return long{::unshare(CLONE_NEWUSER)}; }},
        {"keyctl", EPERM, [] { return ::syscall(SYS_keyctl, 0, 0, 0, 0, 0); }},
        {"bpf", EPERM, [] { return ::syscall(SYS_bpf, 0, nullptr, 0); }},
        {"io_uring", EPERM, [] { return ::syscall(SYS_io_uring_setup, 1, nullptr); }},
        {"unknown call", ENOSYS, [] { return ::syscall(1000); }},
        {"TIOCSTI", EPERM, [] { return ::syscall(SYS_ioctl, 0, TIOCSTI, "x"); }},
        {"TIOCSTI with high bits", EPERM,
         [] { return ::syscall(SYS_ioctl, 0, 0x100000000ul | TIOCSTI, "x"); }},
        {"another terminal call", ENOTTY,
         [] {
             const int pipe_like = ::open("/dev/null", O_RDONLY);
             return ::syscall(SYS_ioctl, pipe_like, TCGETS, nullptr);
         }},
        {"a lease", EPERM, [] { return ::syscall(SYS_fcntl, 0, F_SETLEASE, F_RDLCK); }},
        {"a lease with high bits", EPERM,
         [] { return ::syscall(SYS_fcntl, 0, 0x100000000ul | F_SETLEASE, F_RDLCK); }},
        {"another file control", EBADF, [] { return ::syscall(SYS_fcntl, -1, F_GETFL); }},
        {"mknod of a device", EPERM,
         [] { return ::syscall(SYS_mknodat, AT_FDCWD, "/nowhere/x", S_IFCHR | 0600, 0); }},
        {"mknod of a fifo", ENOENT,
         [] { return ::syscall(SYS_mknodat, AT_FDCWD, "/nowhere/x", S_IFIFO | 0600, 0); }},
        {"mknod with set-user-id", EPERM,
         [] { return ::syscall(SYS_mknodat, AT_FDCWD, "/nowhere/x", S_IFREG | 04755, 0); }},
        {"chmod", ENOENT, [] { return ::syscall(SYS_fchmodat, AT_FDCWD, "/nowhere/x", 01777); }},
        {"chmod with set-user-id", EPERM,
         [] { return ::syscall(SYS_fchmodat, AT_FDCWD, "/nowhere/x", 04755); }},
        {"chmod with set-group-id", EPERM, [] { return ::syscall(SYS_fchmod, -1, 02755); }},
        {"a new file", ENOENT,
         [] { return ::syscall(SYS_openat, AT_FDCWD, "/nowhere/x", O_CREAT | O_WRONLY, 0666); }},
        {"a new file with both", EPERM,
         [] { return ::syscall(SYS_openat, AT_FDCWD, "/nowhere/x", O_CREAT | O_WRONLY, 06755); }},
        {"a nameless file with set-user-id", EPERM,
         [] { return ::syscall(SYS_openat, AT_FDCWD, "/nowhere", O_TMPFILE | O_RDWR, 04755); }},
        {"a mode that counts for nothing", ENOENT,
         [] { return ::syscall(SYS_openat, AT_FDCWD, "/nowhere/x", O_RDONLY, 06755); }},
        {"rename", ENOENT,
         [] {
             return ::syscall(SYS_renameat2, AT_FDCWD, "/nowhere/x", AT_FDCWD, "/nowhere/y", 1);
         }},
        {"rename that leaves a device", EPERM,
         [] {
             return ::syscall(SYS_renameat2, AT_FDCWD, "/nowhere/x", AT_FDCWD, "/nowhere/y",
                              0x100000004ul);
         }},
        {"io_setup", ENOSYS,
         [] {
             unsigned long context = 0;
             return ::syscall(SYS_io_setup, 1, &context);
         }},
        {"io_submit", ENOSYS, [] { return ::syscall(SYS_io_submit, 0, 0, nullptr); }},
        {"openat2", ENOSYS, [] { return ::syscall(SYS_openat2, AT_FDCWD, "/", nullptr, 0); }},
        {"own limits", 0,
         [] {
             rlimit64 limit{};
             return ::syscall(SYS_prlimit64, 0, RLIMIT_CORE, nullptr, &limit);
         }},
        {"another's limits, read", 0,
         [] {
             rlimit64 limit{};
             return ::syscall(SYS_prlimit64, ::getpid(), RLIMIT_CORE, nullptr, &limit);
         }},
        {"another's limits", EPERM,
         [] {
             const rlimit64 limit{1, 1};
             return ::syscall(SYS_prlimit64, ::getpid(), RLIMIT_CORE, &limit, nullptr);
         }},
        {"own nice", 0, [] { return ::syscall(SYS_setpriority, PRIO_PROCESS, 0, 19); }},
        {"another's nice", EPERM, [] { return ::syscall(SYS_setpriority, PRIO_PROCESS, 1, 19); }},
        {"everybody's nice", EPERM, [] { return ::syscall(SYS_setpriority, PRIO_USER, 0, 19); }},
        {"another's scheduler", EPERM,
         [] { return ::syscall(SYS_sched_setscheduler, 1, 0, nullptr); }},
        {"dumpable, as if", 0,
         [] {
             // The high bits are not the kernel's business.
             const long done = ::syscall(SYS_prctl, 0x100000000ul | PR_SET_DUMPABLE, 0, 0, 0, 0);
             return done == 0 && ::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 1 ? 0L : -1L;
         }},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(errno_behind_filter(Profile::User, row.attempt), row.expected);
    }
}

TEST(Filter, TheGuestMayCloneButNotReachTheKernelsInsides) {
    EXPECT_EQ(errno_behind_filter(Profile::Guest, [] { return ::syscall(SYS_bpf, 0, nullptr, 0); }),
              EPERM);
    EXPECT_EQ(errno_behind_filter(Profile::Guest, [] { return ::syscall(SYS_getpid); }), 0);
}

#ifdef __x86_64__
// A 32-bit call would be judged by the wrong table, so it ends the process.
TEST(Filter, KillsCallsOfOtherArchitectures) {
    EXPECT_EQ(errno_behind_filter(Profile::User,
                                  [] {
                                      long result = 20;  // getpid by its 32-bit number
                                      __asm__ volatile("int $0x80" : "+a"(result) : : "memory");
                                      return result;
                                  }),
              -SIGSYS);
    EXPECT_NE(errno_behind_filter(Profile::User, [] { return ::syscall(0x40000000 | SYS_getpid); }),
              0);
}
#endif

}  // namespace atl::sys

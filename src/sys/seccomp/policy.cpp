#include "sys/seccomp/policy.hpp"

#include "base/fd.hpp"

#include <asm/ioctls.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/filter.h>
#include <memory>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <span>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace atl::sys {

namespace {

// Grouped by what a program wants to do. A call that appears in no group does not exist inside.
constexpr const char* kAllowed[] = {
    // files and directories
    "access",
    "chdir",
    "chown",
    "close",
    "copy_file_range",
    "dup",
    "dup2",
    "dup3",
    "faccessat",
    "faccessat2",
    "fadvise64",
    "fallocate",
    "fchdir",
    "fchown",
    "fchownat",
    "fdatasync",
    "fgetxattr",
    "flistxattr",
    "flock",
    "fremovexattr",
    "fsetxattr",
    "fstat",
    "fstatfs",
    "fsync",
    "ftruncate",
    "futimesat",
    "getcwd",
    "getdents",
    "getdents64",
    "getxattr",
    "inotify_add_watch",
    "inotify_init",
    "inotify_init1",
    "inotify_rm_watch",
    "lchown",
    "lgetxattr",
    "link",
    "linkat",
    "listxattr",
    "llistxattr",
    "lremovexattr",
    "lseek",
    "lsetxattr",
    "lstat",
    "mkdir",
    "mkdirat",
    "newfstatat",
    "pread64",
    "preadv",
    "preadv2",
    "pwrite64",
    "pwritev",
    "pwritev2",
    "read",
    "readahead",
    "readlink",
    "readlinkat",
    "readv",
    "removexattr",
    "rename",
    "renameat",
    "rmdir",
    "sendfile",
    "setxattr",
    "splice",
    "stat",
    "statfs",
    "statx",
    "symlink",
    "symlinkat",
    "sync",
    "sync_file_range",
    "syncfs",
    "tee",
    "truncate",
    "umask",
    "unlink",
    "unlinkat",
    "utime",
    "utimensat",
    "utimes",
    "vmsplice",
    "write",
    "writev",
    "cachestat",
    // waiting
    "epoll_create",
    "epoll_create1",
    "epoll_ctl",
    "epoll_ctl_old",
    "epoll_pwait",
    "epoll_pwait2",
    "epoll_wait",
    "epoll_wait_old",
    "eventfd",
    "eventfd2",
    "poll",
    "ppoll",
    "pselect6",
    "select",
    "pipe",
    "pipe2",
    "signalfd",
    "signalfd4",
    "timerfd_create",
    "timerfd_gettime",
    "timerfd_settime",
    // memory
    "brk",
    "get_mempolicy",
    "madvise",
    "map_shadow_stack",
    "membarrier",
    "memfd_create",
    "mincore",
    "mlock",
    "mlock2",
    "mlockall",
    "mmap",
    "mprotect",
    "mremap",
    "mseal",
    "msync",
    "munlock",
    "munlockall",
    "munmap",
    "pkey_alloc",
    "pkey_free",
    "pkey_mprotect",
    "process_madvise",
    "process_mrelease",
    "remap_file_pages",
    "set_mempolicy",
    "mbind",
    // processes and threads (clone has its own rule below)
    "arch_prctl",
    "capget",
    "capset",
    "execve",
    "execveat",
    "exit",
    "exit_group",
    "fork",
    "futex",
    "futex_waitv",
    "futex_wait",
    "futex_wake",
    "futex_requeue",
    "get_robust_list",
    "get_thread_area",
    "getcpu",
    "getegid",
    "geteuid",
    "getgid",
    "getgroups",
    "getitimer",
    "getpgid",
    "getpgrp",
    "getpid",
    "getppid",
    "getpriority",
    "getrandom",
    "getresgid",
    "getresuid",
    "getrlimit",
    "getrusage",
    "getsid",
    "gettid",
    "getuid",
    "kill",
    "landlock_add_rule",
    "landlock_create_ruleset",
    "landlock_restrict_self",
    "pause",
    "pidfd_getfd",
    "pidfd_open",
    "pidfd_send_signal",
    "restart_syscall",
    "rseq",
    "rt_sigaction",
    "rt_sigpending",
    "rt_sigprocmask",
    "rt_sigqueueinfo",
    "rt_sigreturn",
    "rt_sigsuspend",
    "rt_sigtimedwait",
    "rt_tgsigqueueinfo",
    "sched_get_priority_max",
    "sched_get_priority_min",
    "sched_getaffinity",
    "sched_getattr",
    "sched_getparam",
    "sched_getscheduler",
    "sched_rr_get_interval",
    "sched_setaffinity",
    "sched_yield",
    "seccomp",
    "set_robust_list",
    "set_thread_area",
    "set_tid_address",
    "setfsgid",
    "setfsuid",
    "setgid",
    "setgroups",
    "setitimer",
    "setpgid",
    "setregid",
    "setresgid",
    "setresuid",
    "setreuid",
    "setrlimit",
    "setsid",
    "setuid",
    "sigaltstack",
    "tgkill",
    "time",
    "times",
    "tkill",
    "vfork",
    "wait4",
    "waitid",
    "ioprio_get",
    "ioprio_set",
    // time
    "alarm",
    "clock_getres",
    "clock_gettime",
    "clock_nanosleep",
    "gettimeofday",
    "nanosleep",
    "timer_create",
    "timer_delete",
    "timer_getoverrun",
    "timer_gettime",
    "timer_settime",
    // sockets (socket and socketpair have their own rules below)
    "accept",
    "accept4",
    "bind",
    "connect",
    "getpeername",
    "getsockname",
    "getsockopt",
    "listen",
    "recvfrom",
    "recvmmsg",
    "recvmsg",
    "sendmmsg",
    "sendmsg",
    "sendto",
    "setsockopt",
    "shutdown",
    // IPC inside the sandbox's own IPC namespace
    "mq_getsetattr",
    "mq_notify",
    "mq_open",
    "mq_timedreceive",
    "mq_timedsend",
    "mq_unlink",
    "msgctl",
    "msgget",
    "msgrcv",
    "msgsnd",
    "semctl",
    "semget",
    "semop",
    "semtimedop",
    "shmat",
    "shmctl",
    "shmdt",
    "shmget",
    // the system, read only
    "sysinfo",
    "uname",
};

// Known and refused. EPERM instead of ENOSYS tells a person that it is the sandbox who says no.
constexpr const char* kRefused[] = {
    "acct",
    "add_key",
    "adjtimex",
    "afs_syscall",
    "bpf",
    "chroot",
    "clock_adjtime",
    "clock_settime",
    "create_module",
    "delete_module",
    "fanotify_init",
    "fanotify_mark",
    "finit_module",
    "fsconfig",
    "fsmount",
    "fsopen",
    "fspick",
    "get_kernel_syms",
    "init_module",
    "io_uring_enter",
    "io_uring_register",
    "io_uring_setup",
    "ioperm",
    "iopl",
    "kcmp",
    "kexec_file_load",
    "kexec_load",
    "keyctl",
    "lookup_dcookie",
    "migrate_pages",
    "modify_ldt",
    "mount",
    "mount_setattr",
    "move_mount",
    "move_pages",
    "name_to_handle_at",
    "nfsservctl",
    "open_by_handle_at",
    "open_tree",
    "perf_event_open",
    "pivot_root",
    "process_vm_readv",
    "process_vm_writev",
    "ptrace",
    "query_module",
    "quotactl",
    "quotactl_fd",
    "reboot",
    "request_key",
    "set_mempolicy_home_node",
    "setdomainname",
    "sethostname",
    "setns",
    "settimeofday",
    "stime",
    "swapoff",
    "swapon",
    "sysfs",
    "_sysctl",
    "syslog",
    "tuxcall",
    "umount",
    "umount2",
    "unshare",
    "uselib",
    "userfaultfd",
    "ustat",
    "vhangup",
    "vserver",
};

// What even PID 1 of a sandbox and the zygote never need: the kernel's insides.
constexpr const char* kRefusedToGuest[] = {
    "acct",
    "add_key",
    "adjtimex",
    "bpf",
    "clock_adjtime",
    "clock_settime",
    "create_module",
    "delete_module",
    "fanotify_init",
    "finit_module",
    "init_module",
    "io_uring_enter",
    "io_uring_register",
    "io_uring_setup",
    "ioperm",
    "iopl",
    "kcmp",
    "kexec_file_load",
    "kexec_load",
    "keyctl",
    "lookup_dcookie",
    "modify_ldt",
    "nfsservctl",
    "open_by_handle_at",
    "perf_event_open",
    "process_vm_readv",
    "process_vm_writev",
    "ptrace",
    "query_module",
    "quotactl",
    "quotactl_fd",
    "reboot",
    "request_key",
    "setdomainname",
    "settimeofday",
    "swapoff",
    "swapon",
    "_sysctl",
    "syslog",
    "uselib",
    "userfaultfd",
    "vhangup",
};

// Namespaces a program might ask clone for. Thread and process creation pass; a new user
// namespace is the usual first step of a kernel exploit and never does.
constexpr std::uint64_t kNamespaceFlags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID |
                                          CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |
                                          CLONE_NEWCGROUP | 0x80 /* CLONE_NEWTIME */;

struct Release {
    void operator()(void* context) const noexcept { ::seccomp_release(context); }
};
using Context = std::unique_ptr<void, Release>;

class Builder {
public:
    explicit Builder(std::uint32_t otherwise) : context_(::seccomp_init(otherwise)) {}

    void rule(std::uint32_t action, const char* name,
              std::initializer_list<scmp_arg_cmp> conditions = {}) {
        const int call = ::seccomp_syscall_resolve_name(name);
        if (call == __NR_SCMP_ERROR || call < 0) return;  // not on this architecture
        check(
            ::seccomp_rule_add_array(context_.get(), action, call,
                                     static_cast<unsigned>(conditions.size()), conditions.begin()),
            name);
    }
    void check(int status, const char* what) {
        if (status < 0 && failure_.empty()) {
            failure_ = std::string(what) + ": " + std::strerror(-status);
        }
    }
    Result<std::vector<sock_filter>> finish();
    [[nodiscard]] void* context() const noexcept { return context_.get(); }

private:
    Context context_;
    std::string failure_;
};

Result<std::vector<sock_filter>> Builder::finish() {
    if (!context_) return Error{Code::Internal, "libseccomp could not be initialised"};
    // A call by another architecture's numbers (32-bit, x32) would slip past rules made for this
    // one, so the process that makes it ends.
    check(::seccomp_attr_set(context_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS),
          "bad architecture action");
    check(::seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_NNP, 0), "no_new_privs attribute");
    // A binary tree instead of a chain: some ten comparisons a call instead of three hundred.
    check(::seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2), "optimisation");
    if (!failure_.empty()) return Error{Code::Internal, "system call filter: " + failure_};
    const UniqueFd memory(::memfd_create("filter", MFD_CLOEXEC));
    if (::seccomp_export_bpf(context_.get(), memory.get()) < 0) {
        return Error{Code::Internal, "system call filter: export failed"};
    }
    struct stat info {};
    if (::fstat(memory.get(), &info) != 0) return Error{Code::Internal, "system call filter: size"};
    std::vector<sock_filter> program(static_cast<std::size_t>(info.st_size) / sizeof(sock_filter));
    const auto bytes = static_cast<ssize_t>(program.size() * sizeof(sock_filter));
    if (::pread(memory.get(), program.data(), static_cast<std::size_t>(bytes), 0) != bytes) {
        return Error{Code::Internal, "system call filter: read"};
    }
    return program;
}

void allow_sockets(Builder& builder) {
    const auto allow = SCMP_ACT_ALLOW;
    // Families by name: everything else (netlink, packet, vsock, alg, …) is attack surface that a
    // sandbox has no use for. Protocols too, since SCTP or DCCP would load a kernel module.
    for (const char* call : {"socket", "socketpair"}) {
        builder.rule(allow, call, {SCMP_A0(SCMP_CMP_EQ, AF_UNIX)});
    }
    for (const std::uint64_t family : {std::uint64_t{AF_INET}, std::uint64_t{AF_INET6}}) {
        for (const std::uint64_t type : {std::uint64_t{SOCK_STREAM}, std::uint64_t{SOCK_DGRAM}}) {
            for (const std::uint64_t protocol :
                 {std::uint64_t{0}, std::uint64_t{IPPROTO_TCP}, std::uint64_t{IPPROTO_UDP}}) {
                builder.rule(allow, "socket",
                             {SCMP_A0(SCMP_CMP_EQ, family), SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, type),
                              SCMP_A2(SCMP_CMP_EQ, protocol)});
            }
            builder.rule(SCMP_ACT_ERRNO(EPROTONOSUPPORT), "socket",
                         {SCMP_A0(SCMP_CMP_EQ, family), SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, type),
                          SCMP_A2(SCMP_CMP_GT, IPPROTO_UDP)});
        }
        for (std::uint64_t type = SOCK_RAW; type <= 0xf; ++type) {
            builder.rule(SCMP_ACT_ERRNO(EPERM), "socket",
                         {SCMP_A0(SCMP_CMP_EQ, family), SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, type)});
        }
    }
    // The answer that a kernel without these families gives, so that programs carry on without.
    for (const char* call : {"socket", "socketpair"}) {
        for (std::uint64_t family = AF_INET + 1; family < AF_INET6; ++family) {
            builder.rule(SCMP_ACT_ERRNO(EAFNOSUPPORT), call, {SCMP_A0(SCMP_CMP_EQ, family)});
        }
        builder.rule(SCMP_ACT_ERRNO(EAFNOSUPPORT), call, {SCMP_A0(SCMP_CMP_GT, AF_INET6)});
    }
}

// Terminal calls that type into, or take over, somebody else's terminal.
constexpr std::uint64_t kRefusedIoctls[] = {TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSETD, TIOCSSERIAL};

// Leases and delegations: whoever holds one makes all others wait in open() of that file, up to
// 45 s. An ordinary user's sandboxes own the files of their template, and could stop each other so.
constexpr std::uint64_t kRefusedFileControls[] = {F_SETLEASE, 1024 + 16 /* F_SETDELEG */};

// "Any request but those": a rule can only say what a masked argument equals, so the numbers are
// covered by the largest blocks that hold none of the refused ones. The kernel reads 32 bits of
// the request, so the upper half is masked away; else it could be used to dodge the comparison.
void allow_others(Builder& builder, const char* call, unsigned argument,
                  std::span<const std::uint64_t> listed, std::uint64_t block = 0,
                  unsigned free_bits = 32) {
    const std::uint64_t mask = 0xffffffff & ~((std::uint64_t{1} << free_bits) - 1);
    bool clean = true;
    for (const auto request : listed) clean = clean && (request & mask) != block;
    if (clean) {
        builder.rule(SCMP_ACT_ALLOW, call, {SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, mask, block)});
    } else if (free_bits > 0) {
        const std::uint64_t upper = block | (std::uint64_t{1} << (free_bits - 1));
        allow_others(builder, call, argument, listed, block, free_bits - 1);
        allow_others(builder, call, argument, listed, upper, free_bits - 1);
    }
}

void allow_requests(Builder& builder, const char* call, std::span<const std::uint64_t> refused) {
    allow_others(builder, call, 1, refused);
    for (const auto request : refused) {
        builder.rule(SCMP_ACT_ERRNO(EPERM), call,
                     {SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffff, request)});
    }
}

// A file that a sandbox makes in a folder of the host's belongs there to whoever gave the folder,
// root perhaps. With one of these bits it would lend that identity to all who can reach it. (mkdir
// is not here: the kernel itself ignores the bits in it.)
constexpr std::uint64_t kLendingBits = S_ISUID | S_ISGID;
constexpr std::uint64_t kLendingModes[] = {S_ISUID, S_ISGID, kLendingBits};
constexpr std::uint64_t kCreating = O_CREAT | (O_TMPFILE & ~O_DIRECTORY);

void allow_modes(Builder& builder) {
    struct Call {
        const char* name;
        unsigned mode;
    };
    for (const auto& [name, mode] : {Call{"chmod", 1}, Call{"fchmod", 1}, Call{"fchmodat", 2},
                                     Call{"fchmodat2", 2}, Call{"creat", 1}}) {
        builder.rule(SCMP_ACT_ALLOW, name, {SCMP_CMP(mode, SCMP_CMP_MASKED_EQ, kLendingBits, 0)});
        for (const auto bits : kLendingModes) {
            builder.rule(SCMP_ACT_ERRNO(EPERM), name,
                         {SCMP_CMP(mode, SCMP_CMP_MASKED_EQ, kLendingBits, bits)});
        }
    }
    // The mode counts where a file may be made; elsewhere it can be anything. openat2 is in no
    // list, since its mode lies in memory; on ENOSYS programs fall back to openat.
    for (const auto& [name, mode] : {Call{"open", 2}, Call{"openat", 3}}) {
        const unsigned flags = mode - 1;
        builder.rule(SCMP_ACT_ALLOW, name, {SCMP_CMP(mode, SCMP_CMP_MASKED_EQ, kLendingBits, 0)});
        for (const auto bits : kLendingModes) {
            const auto lends = SCMP_CMP(mode, SCMP_CMP_MASKED_EQ, kLendingBits, bits);
            builder.rule(SCMP_ACT_ALLOW, name,
                         {SCMP_CMP(flags, SCMP_CMP_MASKED_EQ, kCreating, 0), lends});
            for (const auto making : {std::uint64_t{O_CREAT}, kCreating & ~O_CREAT, kCreating}) {
                builder.rule(SCMP_ACT_ERRNO(EPERM), name,
                             {SCMP_CMP(flags, SCMP_CMP_MASKED_EQ, kCreating, making), lends});
            }
        }
    }
    for (const auto& [name, mode] : {Call{"mknod", 1}, Call{"mknodat", 2}}) {
        for (const std::uint64_t kind : {std::uint64_t{0}, std::uint64_t{S_IFREG},
                                         std::uint64_t{S_IFIFO}, std::uint64_t{S_IFSOCK}}) {
            builder.rule(SCMP_ACT_ALLOW, name,
                         {SCMP_CMP(mode, SCMP_CMP_MASKED_EQ, S_IFMT | kLendingBits, kind)});
            for (const auto bits : kLendingModes) {
                builder.rule(
                    SCMP_ACT_ERRNO(EPERM), name,
                    {SCMP_CMP(mode, SCMP_CMP_MASKED_EQ, S_IFMT | kLendingBits, kind | bits)});
            }
        }
        for (const std::uint64_t kind : {std::uint64_t{S_IFCHR}, std::uint64_t{S_IFBLK}}) {
            builder.rule(SCMP_ACT_ERRNO(EPERM), name,
                         {SCMP_CMP(mode, SCMP_CMP_MASKED_EQ, S_IFMT, kind)});
        }
    }
}

// RENAME_WHITEOUT leaves a character device behind, which mknod may not make either. (io_setup and
// the calls around it are in no list: the machine has one count of their contexts for everybody.)
constexpr std::uint64_t kWhiteout = 1u << 2;

void allow_renames(Builder& builder) {
    builder.rule(SCMP_ACT_ALLOW, "renameat2", {SCMP_A4(SCMP_CMP_MASKED_EQ, kWhiteout, 0)});
    builder.rule(SCMP_ACT_ERRNO(EPERM), "renameat2",
                 {SCMP_A4(SCMP_CMP_MASKED_EQ, kWhiteout, kWhiteout)});
}

// Where a sandbox is one user, PID 1 is that user too, and what an ordinary user may do to an own
// process would slow or blind it: so a process sets these for itself only. Reading is free.
void allow_upon_self(Builder& builder) {
    const auto allow = SCMP_ACT_ALLOW, refuse = SCMP_ACT_ERRNO(EPERM);
    const auto self = SCMP_A0(SCMP_CMP_EQ, 0), other = SCMP_A0(SCMP_CMP_NE, 0);
    builder.rule(allow, "prlimit64", {self});
    builder.rule(allow, "prlimit64", {other, SCMP_A2(SCMP_CMP_EQ, 0)});
    builder.rule(refuse, "prlimit64", {other, SCMP_A2(SCMP_CMP_NE, 0)});
    for (const char* call : {"sched_setattr", "sched_setparam", "sched_setscheduler"}) {
        builder.rule(allow, call, {self});
        builder.rule(refuse, call, {other});
    }
    // The first argument is the kind here, PRIO_PROCESS being 0.
    builder.rule(allow, "setpriority", {self, SCMP_A1(SCMP_CMP_EQ, 0)});
    builder.rule(refuse, "setpriority", {self, SCMP_A1(SCMP_CMP_NE, 0)});
    builder.rule(refuse, "setpriority", {other});
    // A process that shuts itself away from PID 1 could not be measured. Programs that ask for it
    // (ssh-agent) give up when refused, so it is answered as if it were done.
    constexpr std::uint64_t kDumpable[] = {PR_SET_DUMPABLE};
    allow_others(builder, "prctl", 0, kDumpable);
    const auto set_dumpable = SCMP_A0(SCMP_CMP_MASKED_EQ, 0xffffffff, PR_SET_DUMPABLE);
    builder.rule(allow, "prctl", {set_dumpable, SCMP_A1(SCMP_CMP_EQ, 1)});
    builder.rule(SCMP_ACT_ERRNO(0), "prctl", {set_dumpable, SCMP_A1(SCMP_CMP_NE, 1)});
}

// A thread has the descriptors of its process: whoever counts what a process holds (memory files,
// sockets, open files) looks at one table of them, and would not see those of another.
constexpr std::uint64_t kUnshareTable = 1u << 1;  // CLOSE_RANGE_UNSHARE

void allow_one_table(Builder& builder) {
    const auto allow = SCMP_ACT_ALLOW, refuse = SCMP_ACT_ERRNO(EPERM);
    const std::uint64_t kThread = CLONE_THREAD, kWhole = CLONE_THREAD | CLONE_FILES;
    builder.rule(allow, "clone", {SCMP_A0(SCMP_CMP_MASKED_EQ, kNamespaceFlags | kThread, 0)});
    builder.rule(allow, "clone", {SCMP_A0(SCMP_CMP_MASKED_EQ, kNamespaceFlags | kWhole, kWhole)});
    builder.rule(refuse, "clone", {SCMP_A0(SCMP_CMP_MASKED_EQ, kWhole, kThread)});
    builder.rule(allow, "close_range", {SCMP_A2(SCMP_CMP_MASKED_EQ, kUnshareTable, 0)});
    builder.rule(refuse, "close_range",
                 {SCMP_A2(SCMP_CMP_MASKED_EQ, kUnshareTable, kUnshareTable)});
}

void allow_by_argument(Builder& builder) {
    const auto allow = SCMP_ACT_ALLOW;
    allow_one_table(builder);
    for (unsigned bit = 0; bit < 32; ++bit) {
        const std::uint64_t flag = std::uint64_t{1} << bit;
        if ((kNamespaceFlags & flag) == 0) continue;
        builder.rule(SCMP_ACT_ERRNO(EPERM), "clone", {SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag)});
    }
    // clone3 is in no list, since its flags lie in memory, where a filter cannot look; on ENOSYS
    // glibc falls back to clone.
    allow_requests(builder, "ioctl", kRefusedIoctls);
    allow_requests(builder, "fcntl", kRefusedFileControls);
    allow_modes(builder);
    allow_renames(builder);
    allow_upon_self(builder);
    for (const std::uint64_t persona :
         {std::uint64_t{PER_LINUX}, std::uint64_t{ADDR_NO_RANDOMIZE}, std::uint64_t{0xffffffff}}) {
        builder.rule(allow, "personality", {SCMP_A0(SCMP_CMP_EQ, persona)});
    }
}

}  // namespace

Result<std::vector<sock_filter>> compile_filter(Profile profile) {
    if (profile == Profile::Guest) {
        Builder builder(SCMP_ACT_ALLOW);
        for (const char* name : kRefusedToGuest) builder.rule(SCMP_ACT_ERRNO(EPERM), name);
        return builder.finish();
    }
    Builder builder(SCMP_ACT_ERRNO(ENOSYS));
    for (const char* name : kAllowed) builder.rule(SCMP_ACT_ALLOW, name);
    for (const char* name : kRefused) builder.rule(SCMP_ACT_ERRNO(EPERM), name);
    allow_sockets(builder);
    allow_by_argument(builder);
    return builder.finish();
}

}  // namespace atl::sys

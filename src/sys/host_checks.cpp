#include "sys/host_checks.hpp"

#include "base/fd.hpp"
#include "sys/files.hpp"
#include "sys/syscalls.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace atl::sys {

namespace {

constexpr const char* kPlace = "/tmp";  // is on every host; mounts on it live in the child only

using Attempt = std::function<bool(StepFailure&)>;

// Runs the attempt in a child. A child that a filter killed, or that hung for 5 s, has failed too.
Probe in_child(const Attempt& attempt) {
    Probe probe;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        probe.failure.set("make a pipe");
        return probe;
    }
    const UniqueFd report(ends[0]);
    UniqueFd sender(ends[1]);
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::alarm(5);
        StepFailure failure;
        const bool good = attempt(failure);
        [[maybe_unused]] const auto unread = ::write(sender.get(), &failure, sizeof failure);
        ::_exit(good ? 0 : 1);
    }
    sender.reset();
    if (pid < 0) {
        probe.failure.set("fork");
        return probe;
    }
    const bool told = ::read(report.get(), &probe.failure, sizeof probe.failure) ==
                      static_cast<ssize_t>(sizeof probe.failure);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    probe.works = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!told && WIFSIGNALED(status)) {
        errno = EINTR;
        probe.failure.set("ended by signal ", ::strsignal(WTERMSIG(status)));
    }
    return probe;
}

bool put(const char* path, const std::string& text) { return bool(write_small_file(path, text)); }

bool enter_user_namespace(StepFailure& failure) {
    const auto uid = std::to_string(::geteuid());
    const auto gid = std::to_string(::getegid());
    if (::unshare(CLONE_NEWUSER) != 0) return failure.set("unshare a user namespace");
    if (!put("/proc/self/setgroups", "deny")) return failure.set("write setgroups");
    if (!put("/proc/self/uid_map", "0 " + uid + " 1")) return failure.set("write uid_map");
    if (!put("/proc/self/gid_map", "0 " + gid + " 1")) return failure.set("write gid_map");
    return true;
}

bool enter_mount_namespace(StepFailure& failure, int more = 0) {
    if (!enter_user_namespace(failure)) return false;
    if (::unshare(CLONE_NEWNS | more) != 0) return failure.set("unshare a mount namespace");
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
        return failure.set("make mounts private");
    }
    return true;
}

bool try_mounts(StepFailure& failure) {
    if (!enter_mount_namespace(failure)) return false;
    if (::mount("none", kPlace, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m") != 0) {
        return failure.set("mount a tmpfs");
    }
    const UniqueFd tree(
        open_tree(AT_FDCWD, "/usr", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE));
    if (!tree) return failure.set("open_tree /usr");
    mount_attr attr{};
    attr.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    if (mount_setattr(tree.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, attr) != 0) {
        return failure.set("mount_setattr read-only");
    }
    if (move_mount(tree.get(), "", AT_FDCWD, kPlace, MOVE_MOUNT_F_EMPTY_PATH) != 0) {
        return failure.set("move_mount");
    }
    return true;
}

bool try_proc(StepFailure& failure) {
    if (!enter_mount_namespace(failure, CLONE_NEWPID)) return false;
    // The first process of the new namespace may mount its /proc. Its memory is its own, so it
    // answers with errno as its exit status.
    const pid_t first = ::fork();
    if (first < 0) return failure.set("fork into a PID namespace");
    if (first == 0) {
        const bool mounted =
            ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0;
        ::_exit(mounted ? 0 : errno & 0xff);
    }
    int status = 0;
    ::waitpid(first, &status, 0);
    errno = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
    return errno == 0 || failure.set("mount proc");
}

bool try_overlay(StepFailure& failure) {
    if (!enter_mount_namespace(failure)) return false;
    if (::mount("none", kPlace, "tmpfs", 0, "size=1m") != 0) return failure.set("mount a tmpfs");
    for (const char* folder : {"lower", "upper", "work", "merged"}) {
        if (::chdir(kPlace) != 0 || ::mkdir(folder, 0755) != 0)
            return failure.set("mkdir ", folder);
    }
    if (::mount("overlay", "merged", "overlay", 0,
                "lowerdir=lower,upperdir=upper,workdir=work,userxattr") != 0) {
        return failure.set("mount an overlay");
    }
    return true;
}

bool try_seccomp(StepFailure& failure) {
    sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog program{1, allow};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failure.set("no_new_privs");
    if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) {
        return failure.set("install a filter");
    }
    return true;
}

bool try_openat2(StepFailure& failure) {
    open_how how{};
    how.flags = O_PATH | O_CLOEXEC;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    const UniqueFd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    const UniqueFd inside(openat2(root.get(), "usr", how));
    return inside ? true : failure.set("openat2");
}

bool try_pidfd(StepFailure& failure) {
    clone_args args{};
    int pidfd = -1;
    args.flags = CLONE_PIDFD;
    args.pidfd = reinterpret_cast<std::uint64_t>(&pidfd);
    args.exit_signal = SIGCHLD;
    const pid_t pid = clone3(args);
    if (pid < 0) return failure.set("clone3 with a pidfd");
    if (pid == 0) {
        for (;;) ::pause();
    }
    const UniqueFd held(pidfd);
    if (pidfd_send_signal(held.get(), SIGKILL) != 0) {
        const int cause = errno;
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
        errno = cause;
        return failure.set("pidfd_send_signal");
    }
    ::waitpid(pid, nullptr, 0);
    return true;
}

}  // namespace

std::string Probe::why() const {
    return std::string(failure.step) + ": " + std::strerror(failure.cause);
}

Probe probe_user_namespace() { return in_child(enter_user_namespace); }

Probe probe_namespace(int kind) {
    return in_child([kind](StepFailure& failure) {
        return enter_user_namespace(failure) && (::unshare(kind) == 0 || failure.set("unshare"));
    });
}

Probe probe_mounts() { return in_child(try_mounts); }
Probe probe_proc() { return in_child(try_proc); }
Probe probe_overlay() { return in_child(try_overlay); }
Probe probe_seccomp() { return in_child(try_seccomp); }
Probe probe_openat2() { return in_child(try_openat2); }
Probe probe_pidfd() { return in_child(try_pidfd); }

Probe probe_idmapped_mount(const std::string& path) {
    return in_child([&path](StepFailure& failure) {
        const UniqueFd tree(open_tree(AT_FDCWD, path.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
        if (!tree) return failure.set("open_tree");
        clone_args args{};
        args.flags = CLONE_NEWUSER;
        args.exit_signal = SIGCHLD;
        const pid_t carrier = clone3(args);  // exists to carry a map
        if (carrier < 0) return failure.set("make a user namespace");
        if (carrier == 0) {
            for (;;) ::pause();
        }
        const std::string process = "/proc/" + std::to_string(carrier);
        const bool mapped = put((process + "/uid_map").c_str(), "0 100000 1") &&
                            put((process + "/gid_map").c_str(), "0 100000 1");
        const UniqueFd space(::open((process + "/ns/user").c_str(), O_RDONLY | O_CLOEXEC));
        mount_attr attr{};
        attr.attr_set = MOUNT_ATTR_IDMAP;
        attr.userns_fd = static_cast<std::uint64_t>(space.get());
        const bool shifted = mapped && mount_setattr(tree.get(), "", AT_EMPTY_PATH, attr) == 0;
        if (!shifted) failure.set(mapped ? "map the owners of a mount" : "write id maps");
        ::kill(carrier, SIGKILL);
        ::waitpid(carrier, nullptr, 0);
        return shifted;
    });
}

}  // namespace atl::sys

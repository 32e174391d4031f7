#include "runtimes/native/enclosure.hpp"

#include "runtimes/native/argv.hpp"
#include "sys/confine.hpp"
#include "sys/files.hpp"
#include "sys/mounts.hpp"
#include "sys/syscalls.hpp"

#include <csignal>
#include <cstring>
#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

namespace atl::native {

namespace {

// The new root is built here. /tmp is there on every host and may be entered by everybody, and in
// the child's own mount namespace nobody else sees what is mounted on it.
constexpr const char* kStage = "/tmp";
constexpr unsigned kDescriptorShift = 512;  // out of the way of the numbers they will get

// Everything that the child needs, made before the clone: below it nothing allocates.
struct ChildPlan {
    const Plan& plan;
    std::vector<char*> argv;
    std::vector<char*> environment;
    std::vector<int> tree_fds;
    sock_fprog filter{};
};

bool open_trees(ChildPlan& child, sys::StepFailure& failure) noexcept {
    for (std::size_t i = 0; i < child.plan.trees.size(); ++i) {
        const Tree& tree = child.plan.trees[i];
        if (tree.mount_fd >= 0) {
            child.tree_fds[i] = tree.mount_fd;
            continue;
        }
        const int fd = sys::open_tree(AT_FDCWD, tree.source.c_str(),
                                      OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
        if (fd < 0 && tree.optional && errno == ENOENT) continue;
        if (fd < 0) return failure.set("open the tree ", tree.source.c_str());
        mount_attr attr{};
        attr.attr_set = MOUNT_ATTR_NOSUID;
        if (!tree.device) attr.attr_set |= MOUNT_ATTR_NODEV;
        if (!tree.writable && !tree.device) attr.attr_set |= MOUNT_ATTR_RDONLY;
        if (sys::mount_setattr(fd, "", AT_EMPTY_PATH | AT_RECURSIVE, attr) != 0) {
            return failure.set("restrict the tree ", tree.source.c_str());
        }
        child.tree_fds[i] = fd;
    }
    return true;
}

const char* below_stage(const std::string& path) noexcept { return path.c_str() + 1; }

bool make_entries(const Plan& plan, sys::StepFailure& failure) noexcept {
    for (const Entry& entry : plan.entries) {
        const char* path = below_stage(entry.path);
        bool made = false;
        switch (entry.kind) {
            case Entry::Kind::Folder: made = ::mkdir(path, entry.mode) == 0; break;
            case Entry::Kind::Link: made = ::symlink(entry.content.c_str(), path) == 0; break;
            case Entry::Kind::File: {
                const int fd = ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, entry.mode);
                made = fd >= 0 && ::write(fd, entry.content.data(), entry.content.size()) ==
                                      static_cast<ssize_t>(entry.content.size());
                if (fd >= 0) ::close(fd);
                break;
            }
        }
        if (!made && errno != EEXIST) return failure.set("make ", entry.path.c_str());
    }
    return true;
}

bool build_root(const ChildPlan& child, sys::StepFailure& failure) noexcept {
    if (!sys::make_mounts_private(failure)) return false;
    if (!sys::mount_tmpfs(kStage, {4u << 20, 4096}, "0755", failure)) return false;
    if (::chdir(kStage) != 0) return failure.set("enter the stage");
    if (!make_entries(child.plan, failure)) return false;
    for (std::size_t i = 0; i < child.tree_fds.size(); ++i) {
        const std::string& target = child.plan.trees[i].target;
        if (child.tree_fds[i] < 0) continue;
        if (sys::move_mount(child.tree_fds[i], "", AT_FDCWD, below_stage(target),
                            MOVE_MOUNT_F_EMPTY_PATH) != 0) {
            return failure.set("attach the tree at ", target.c_str());
        }
    }
    if (child.plan.own_tmp && !sys::mount_tmpfs("tmp", {64u << 20, 4096}, "1777", failure)) {
        return false;
    }
    return sys::mount_proc("proc", failure) && sys::enter_root(kStage, failure) &&
           sys::seal_root(failure);
}

// An ordinary user's id is not root inside, so its capabilities would end at exec. Ambient ones go
// through; the guest drops them for everything that it starts.
bool keep_capabilities(sys::StepFailure& failure) noexcept {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2] = {};
    if (::syscall(SYS_capget, &header, data) != 0) return failure.set("read capabilities");
    for (auto& half : data) half.inheritable = half.permitted;
    if (::syscall(SYS_capset, &header, data) != 0) return failure.set("keep capabilities");
    for (unsigned long cap = 0; cap < 64; ++cap) {
        if ((data[cap / 32].permitted & (1u << (cap % 32))) == 0) continue;
        if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0) != 0) {
            return failure.set("raise ambient capabilities");
        }
    }
    return true;
}

bool place_descriptors(const Plan& plan, sys::StepFailure& failure) noexcept {
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    const int output = plan.output_fd >= 0 ? plan.output_fd : nothing;
    if (::dup2(nothing, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(output, 2) < 0) {
        return failure.set("connect the standard streams");
    }
    // First all out of the way, then each to its number, so that none is overwritten.
    for (const auto& descriptor : plan.descriptors) {
        if (::dup2(descriptor.here, descriptor.inside + static_cast<int>(kDescriptorShift)) < 0) {
            return failure.set("move a descriptor");
        }
    }
    for (const auto& descriptor : plan.descriptors) {
        if (::dup2(descriptor.inside + static_cast<int>(kDescriptorShift), descriptor.inside) < 0) {
            return failure.set("place a descriptor");
        }
    }
    return true;
}

[[noreturn]] void be_enclosed(ChildPlan& child, int gate, int report) noexcept {
    sys::StepFailure failure;
    const Plan& plan = child.plan;
    const auto give_up = [&] {
        [[maybe_unused]] const auto unread = ::write(report, &failure, sizeof failure);
        ::_exit(127);
    };
    // Dies with its creator: nothing is left behind by a server that was killed.
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) failure.set("die with the creator"), give_up();
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int door : plan.cgroup_doors) {
        if (::write(door, "0", 1) != 1) failure.set("enter the cgroup"), give_up();
    }
    if (!open_trees(child, failure)) give_up();
    char byte = 0;
    if (::read(gate, &byte, 1) != 1) ::_exit(127);  // the creator failed or died
    if (!plan.ids.single()) {
        if (::syscall(SYS_setgroups, 0, nullptr) != 0) failure.set("leave all groups"), give_up();
        if (::syscall(SYS_setresgid, 0, 0, 0) != 0) failure.set("become group 0"), give_up();
        if (::syscall(SYS_setresuid, 0, 0, 0) != 0) failure.set("become user 0"), give_up();
    }
    if (!build_root(child, failure)) give_up();
    if (plan.ids.single() && plan.ids.inside != 0 && !keep_capabilities(failure)) give_up();
    if (!place_descriptors(plan, failure)) give_up();
    // The id change above cleared it.
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) failure.set("die with the creator"), give_up();
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        failure.set("forbid new privileges"), give_up();
    }
    if (child.filter.len > 0 &&
        !sys::install_filter(child.filter.filter, child.filter.len, failure)) {
        give_up();
    }
    int highest = 2;
    for (const auto& descriptor : plan.descriptors) {
        if (descriptor.inside > highest) highest = descriptor.inside;
    }
    // The report pipe closes by exec itself, which is how the creator learns that it worked.
    sys::close_range(static_cast<unsigned>(highest) + 1, ~0u, CLOSE_RANGE_CLOEXEC);
    ::execve(child.argv[0], child.argv.data(), child.environment.data());
    failure.set("run ", child.argv[0]);
    give_up();
    ::_exit(127);
}

std::string map_line(std::uint32_t inside, std::uint32_t outside, std::uint32_t count) {
    return std::to_string(inside) + " " + std::to_string(outside) + " " + std::to_string(count);
}

Result<void> write_maps(pid_t pid, const IdMap& ids) {
    const std::string process = "/proc/" + std::to_string(pid);
    if (ids.single()) {
        // Without this the kernel gives an ordinary user no group map: dropping a group could open
        // what was closed to that group.
        if (auto denied = sys::write_small_file(process + "/setgroups", "deny"); !denied)
            return denied;
    }
    if (auto uids = sys::write_small_file(process + "/uid_map",
                                          map_line(ids.inside, ids.outside, ids.count));
        !uids) {
        return uids;
    }
    const std::uint32_t group = ids.single() ? ids.outside_group : ids.outside;
    return sys::write_small_file(process + "/gid_map", map_line(ids.inside, group, ids.count));
}

}  // namespace

Result<Enclosure> raise_enclosure(const Plan& plan) {
    ChildPlan child{plan, pointers(plan.argv), pointers(plan.environment), {}, {}};
    child.tree_fds.assign(plan.trees.size(), -1);
    child.filter = {static_cast<unsigned short>(plan.filter.size()),
                    const_cast<sock_filter*>(plan.filter.data())};
    int gate_ends[2], report_ends[2];
    if (::pipe2(gate_ends, O_CLOEXEC) != 0) return sys::errno_error("make a pipe");
    UniqueFd gate(gate_ends[0]), go(gate_ends[1]);
    if (::pipe2(report_ends, O_CLOEXEC) != 0) return sys::errno_error("make a pipe");
    UniqueFd report(report_ends[0]), report_writer(report_ends[1]);

    int pidfd = -1;
    clone_args args{};
    args.flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
                 CLONE_NEWUTS | CLONE_PIDFD;
    args.pidfd = reinterpret_cast<std::uintptr_t>(&pidfd);
    args.exit_signal = SIGCHLD;
    const pid_t pid = sys::clone3(args);
    if (pid < 0) {
        const int cause = errno;
        std::string hint;
        if (cause == EPERM || cause == ENOSPC) {
            hint =
                "; this host does not allow user namespaces; `atoll doctor` says how to "
                "change that";
        }
        errno = cause;
        auto error = sys::errno_error("make namespaces", Code::Unavailable);
        error.message += hint;
        return error;
    }
    if (pid == 0) {
        ::close(go.release());
        be_enclosed(child, gate.get(), report_writer.get());
    }
    Enclosure enclosure{pid, UniqueFd(pidfd)};
    report_writer = UniqueFd();
    const auto give_up = [&](Error error) -> Error {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
        return error;
    };
    if (auto mapped = write_maps(pid, plan.ids); !mapped) {
        return give_up(mapped.error().during("give the sandbox its ids"));
    }
    if (::write(go.get(), "g", 1) != 1) return give_up(sys::errno_error("open the gate"));
    sys::StepFailure failure;
    ssize_t n = 0;
    do n = ::read(report.get(), &failure, sizeof failure);
    while (n < 0 && errno == EINTR);
    if (n == 0) return enclosure;
    errno = failure.cause;
    return give_up(
        sys::errno_error(std::string("build the sandbox: ") + failure.step, Code::Unavailable));
}

}  // namespace atl::native

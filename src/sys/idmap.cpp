#include "sys/idmap.hpp"

#include "sys/files.hpp"
#include "sys/syscalls.hpp"

#include <array>
#include <csignal>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace atl::sys {

namespace {

// Holds a namespace until it is killed. Nothing but system calls: it lives in its parent's memory.
int hold(void*) {
    ::syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    for (;;) ::syscall(SYS_pause);
}

// In the same memory: a copy of a server's takes milliseconds.
#ifdef __SANITIZE_THREAD__
constexpr int kShared = 0;  // its own clone() takes every child for one in memory of its own
#else
constexpr int kShared = CLONE_VM | CLONE_FILES;
#endif

}  // namespace

Result<UniqueFd> make_shift(const IdShift& shift) {
    alignas(16) std::array<char, 16 * 1024> stack;
    const pid_t pid =
        ::clone(hold, stack.data() + stack.size(), CLONE_NEWUSER | kShared | SIGCHLD, nullptr);
    if (pid < 0) return errno_error("make a user namespace", Code::Unavailable);
    const std::string process = "/proc/" + std::to_string(pid);
    const auto line = [](std::uint32_t from, std::uint32_t to) {
        return std::to_string(from) + " " + std::to_string(to) + " 1";
    };
    auto uids = write_small_file(process + "/uid_map", line(shift.uid_on_disk, shift.uid_shown));
    auto gids = write_small_file(process + "/gid_map", line(shift.gid_on_disk, shift.gid_shown));
    UniqueFd space(::open((process + "/ns/user").c_str(), O_RDONLY | O_CLOEXEC));
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    if (!uids) return uids.error();
    if (!gids) return gids.error();
    if (space.get() < 0) return errno_error("open the user namespace");
    return space;
}

Result<UniqueFd> make_shifted_mount(const std::string& source, bool writable, int shift_fd) {
    UniqueFd tree(
        open_tree(AT_FDCWD, source.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE));
    if (tree.get() < 0) return errno_error("open the tree " + source, Code::NotFound);
    mount_attr attr{};
    attr.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    if (!writable) attr.attr_set |= MOUNT_ATTR_RDONLY;
    if (mount_setattr(tree.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, attr) != 0) {
        return errno_error("restrict the tree " + source);
    }
    mount_attr shifted{};
    shifted.attr_set = MOUNT_ATTR_IDMAP;
    shifted.userns_fd = static_cast<std::uint64_t>(shift_fd);
    if (mount_setattr(tree.get(), "", AT_EMPTY_PATH, shifted) != 0 && errno != EINVAL) {
        return errno_error("map the owners of " + source);
    }
    return tree;
}

}  // namespace atl::sys

#pragma once
// Kernel calls that glibc 2.36 does not wrap, as thin inline functions that return -1 and set
// errno.
//
// All of them may be used below fork and below vfork: no allocation, no locks, no exceptions.
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

namespace atl::sys {

inline pid_t clone3(clone_args& args) noexcept {
    return static_cast<pid_t>(::syscall(SYS_clone3, &args, sizeof args));
}
inline int pidfd_open(pid_t pid) noexcept {
    return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
}
inline int pidfd_send_signal(int pidfd, int signal) noexcept {
    return static_cast<int>(::syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0));
}
inline int open_tree(int dirfd, const char* path, unsigned flags) noexcept {
    return static_cast<int>(::syscall(SYS_open_tree, dirfd, path, flags));
}
inline int move_mount(int from, const char* from_path, int to, const char* to_path,
                      unsigned flags) noexcept {
    return static_cast<int>(::syscall(SYS_move_mount, from, from_path, to, to_path, flags));
}
inline int mount_setattr(int dirfd, const char* path, unsigned flags, mount_attr& attr) noexcept {
    return static_cast<int>(::syscall(SYS_mount_setattr, dirfd, path, flags, &attr, sizeof attr));
}
inline int pivot_root(const char* to, const char* put_old) noexcept {
    return static_cast<int>(::syscall(SYS_pivot_root, to, put_old));
}
inline int openat2(int dirfd, const char* path, open_how how) noexcept {
    return static_cast<int>(::syscall(SYS_openat2, dirfd, path, &how, sizeof how));
}
inline int close_range(unsigned first, unsigned last, unsigned flags) noexcept {
    return static_cast<int>(::syscall(SYS_close_range, first, last, flags));
}
inline int landlock_create_ruleset(const landlock_ruleset_attr* attr, std::size_t size,
                                   std::uint32_t flags) noexcept {
    return static_cast<int>(::syscall(SYS_landlock_create_ruleset, attr, size, flags));
}
inline int landlock_add_rule(int ruleset, const landlock_path_beneath_attr& rule) noexcept {
    return static_cast<int>(
        ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0));
}
inline int landlock_restrict_self(int ruleset) noexcept {
    return static_cast<int>(::syscall(SYS_landlock_restrict_self, ruleset, 0));
}

}  // namespace atl::sys

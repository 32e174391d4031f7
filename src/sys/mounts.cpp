#include "sys/mounts.hpp"

#include "sys/syscalls.hpp"

#include <cstdio>
#include <sys/mount.h>
#include <sys/stat.h>

namespace atl::sys {

namespace {

// What of /proc tells about the host or steers it. Most of it an unprivileged user could not open
// anyhow; masking it means that a mistake elsewhere still opens nothing.
constexpr const char* kMasked[] = {
    "/proc/acpi",        "/proc/asound",     "/proc/bootconfig",   "/proc/bus",
    "/proc/cmdline",     "/proc/config.gz",  "/proc/driver",       "/proc/dynamic_debug",
    "/proc/fs",          "/proc/interrupts", "/proc/irq",          "/proc/kallsyms",
    "/proc/kcore",       "/proc/key-users",  "/proc/keys",         "/proc/kmsg",
    "/proc/kpagecgroup", "/proc/kpagecount", "/proc/kpageflags",   "/proc/latency_stats",
    "/proc/modules",     "/proc/mtrr",       "/proc/pagetypeinfo", "/proc/sched_debug",
    "/proc/schedstat",   "/proc/scsi",       "/proc/slabinfo",     "/proc/sysrq-trigger",
    "/proc/sysvipc",     "/proc/timer_list", "/proc/timer_stats",  "/proc/tty",
    "/proc/vmallocinfo", "/proc/zoneinfo",   "/proc/pressure",
};

bool set_attributes(int tree_fd, std::uint64_t attributes) noexcept {
    mount_attr attr{};
    attr.attr_set = attributes;
    return mount_setattr(tree_fd, "", AT_EMPTY_PATH | AT_RECURSIVE, attr) == 0;
}

}  // namespace

bool make_mounts_private(StepFailure& failure) noexcept {
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0) return true;
    return failure.set("make mounts private");
}

bool bind_tree(const char* from, const char* to, bool writable, StepFailure& failure) noexcept {
    const int tree = open_tree(AT_FDCWD, from, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
    if (tree < 0) return failure.set("open the tree ", from);
    std::uint64_t attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    if (!writable) attributes |= MOUNT_ATTR_RDONLY;
    const bool attached = set_attributes(tree, attributes) &&
                          move_mount(tree, "", AT_FDCWD, to, MOVE_MOUNT_F_EMPTY_PATH) == 0;
    if (!attached) failure.set("attach the tree at ", to);
    ::close(tree);
    return attached;
}

bool attach_tree(int tree_fd, const char* to, StepFailure& failure) noexcept {
    if (move_mount(tree_fd, "", AT_FDCWD, to, MOVE_MOUNT_F_EMPTY_PATH) == 0) return true;
    return failure.set("attach the mount at ", to);
}

bool attach_tree(int tree_fd, int at_fd, StepFailure& failure) noexcept {
    if (move_mount(tree_fd, "", at_fd, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) ==
        0) {
        return true;
    }
    return failure.set("attach the mount");
}

namespace {

bool tmpfs_options(char* out, std::size_t size, TmpfsQuota quota, const char* mode) noexcept {
    const int n = mode == nullptr
                      ? std::snprintf(out, size, "size=%llu,nr_inodes=%llu",
                                      static_cast<unsigned long long>(quota.bytes_max),
                                      static_cast<unsigned long long>(quota.inodes_max))
                      : std::snprintf(out, size, "size=%llu,nr_inodes=%llu,mode=%s",
                                      static_cast<unsigned long long>(quota.bytes_max),
                                      static_cast<unsigned long long>(quota.inodes_max), mode);
    return n > 0 && static_cast<std::size_t>(n) < size;
}

}  // namespace

bool mount_tmpfs(const char* at, TmpfsQuota quota, const char* mode,
                 StepFailure& failure) noexcept {
    char options[128];
    if (!tmpfs_options(options, sizeof options, quota, mode)) return failure.set("tmpfs options");
    if (::mount("tmpfs", at, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0) return true;
    return failure.set("mount tmpfs at ", at);
}

bool resize_tmpfs(const char* at, TmpfsQuota quota, StepFailure& failure) noexcept {
    char options[128];
    if (!tmpfs_options(options, sizeof options, quota, nullptr))
        return failure.set("tmpfs options");
    if (::mount("tmpfs", at, nullptr, MS_REMOUNT | MS_NOSUID | MS_NODEV, options) == 0) return true;
    return failure.set("resize tmpfs at ", at);
}

bool mount_proc(const char* at, StepFailure& failure) noexcept {
    if (::mount("proc", at, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0) return true;
    return failure.set("mount proc at ", at);
}

bool mask_proc(const char* empty_directory, StepFailure& failure) noexcept {
    for (const char* path : kMasked) {
        struct stat info {};
        if (::lstat(path, &info) != 0) continue;  // this kernel does not have it
        const char* cover = S_ISDIR(info.st_mode) ? empty_directory : "/dev/null";
        if (::mount(cover, path, nullptr, MS_BIND, nullptr) != 0) {
            return failure.set("mask ", path);
        }
    }
    const int tree = open_tree(AT_FDCWD, "/proc/sys", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    if (tree < 0) return failure.set("open /proc/sys");
    const bool attached =
        set_attributes(tree, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV) &&
        move_mount(tree, "", AT_FDCWD, "/proc/sys", MOVE_MOUNT_F_EMPTY_PATH) == 0;
    if (!attached) failure.set("make /proc/sys read-only");
    ::close(tree);
    return attached;
}

bool mount_devpts(const char* at, StepFailure& failure) noexcept {
    if (::mount("devpts", at, "devpts", MS_NOSUID | MS_NOEXEC,
                "newinstance,ptmxmode=0666,mode=0620,max=64") == 0) {
        return true;
    }
    return failure.set("mount devpts at ", at);
}

bool enter_root(const char* root, StepFailure& failure) noexcept {
    if (::chdir(root) != 0) return failure.set("enter ", root);
    // Old and new root on the same spot: the detach below then leaves no path to the old one.
    if (pivot_root(".", ".") != 0) return failure.set("pivot_root");
    if (::umount2(".", MNT_DETACH) != 0) return failure.set("detach the old root");
    if (::chdir("/") != 0) return failure.set("enter the new root");
    return true;
}

bool seal_root(StepFailure& failure) noexcept {
    mount_attr attr{};
    attr.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    if (mount_setattr(AT_FDCWD, "/", 0, attr) == 0) return true;
    return failure.set("make the root read-only");
}

}  // namespace atl::sys

#pragma once
// Checks whether this Linux kernel supports what walls are built from. Each check really does it,
// in a child process that ends at once, and leaves nothing behind.
//
// Reading version numbers and settings is not enough: containers, AppArmor and seccomp forbid calls
// that the kernel has.
// Threads   for a program that has only one: the children run C++ between fork and exit.
#include "sys/step.hpp"

#include <string>

namespace atl::sys {

struct Probe {
    bool works = false;
    StepFailure failure;
    [[nodiscard]] std::string why() const;  // "mount proc: Operation not permitted"
};

[[nodiscard]] Probe probe_user_namespace();
// One kind of namespace (CLONE_NEWPID, …) inside a new user namespace.
[[nodiscard]] Probe probe_namespace(int kind);
// A tree bound read-only with open_tree, mount_setattr and move_mount, and a tmpfs.
[[nodiscard]] Probe probe_mounts();
// A fresh /proc in a new PID namespace. The kernel refuses it where the own /proc is masked.
[[nodiscard]] Probe probe_proc();
[[nodiscard]] Probe probe_overlay();
[[nodiscard]] Probe probe_seccomp();
[[nodiscard]] Probe probe_openat2();
[[nodiscard]] Probe probe_pidfd();
// Files at `path` shown under other owners. Needs root.
[[nodiscard]] Probe probe_idmapped_mount(const std::string& path);

}  // namespace atl::sys

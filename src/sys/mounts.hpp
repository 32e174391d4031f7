#pragma once
// Mounts as a sandbox needs them: trees bound read-only, tmpfs with a quota, a masked /proc.
//
// Everything here runs below fork in the process that will live behind the walls: no allocation,
// no exceptions; false and a StepFailure on error.
// Trusts    the paths it is given: they are the host's, or were made in this mount namespace
//           before any untrusted byte ran in it.
#include "sys/step.hpp"

#include <cstdint>

namespace atl::sys {

struct TmpfsQuota {
    std::uint64_t bytes_max = 0;
    std::uint64_t inodes_max = 0;
};

// Turns propagation off, so that nothing mounted here shows on the host or the other way round.
bool make_mounts_private(StepFailure& failure) noexcept;

// A copy of the tree at `from` appears at `to`. Set-user-id bits and device files in it never
// work; `writable` decides the rest. Flags that the source has already are kept, which is what the
// kernel asks of us inside a user namespace.
bool bind_tree(const char* from, const char* to, bool writable, StepFailure& failure) noexcept;

// The same for a detached mount that the host made and sent as a descriptor.
bool attach_tree(int tree_fd, const char* to, StepFailure& failure) noexcept;
// At an open descriptor, because a path could be changed in between.
bool attach_tree(int tree_fd, int at_fd, StepFailure& failure) noexcept;

bool mount_tmpfs(const char* at, TmpfsQuota quota, const char* mode, StepFailure& failure) noexcept;
bool resize_tmpfs(const char* at, TmpfsQuota quota, StepFailure& failure) noexcept;

// A fresh /proc of the current PID namespace, with what leaks or steers the host masked.
bool mount_proc(const char* at, StepFailure& failure) noexcept;
bool mask_proc(const char* empty_directory, StepFailure& failure) noexcept;

// A terminal multiplexer of its own, so that no tty is shared with anybody.
bool mount_devpts(const char* at, StepFailure& failure) noexcept;

// `root` becomes /, the old one is gone from this namespace, and / itself is read-only.
bool enter_root(const char* root, StepFailure& failure) noexcept;
bool seal_root(StepFailure& failure) noexcept;

}  // namespace atl::sys

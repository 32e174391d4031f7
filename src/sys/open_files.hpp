#pragma once
// RLIMIT_NOFILE, which is two limits in one: descriptors of a process, and descriptors of a *user*
// that are on their way through unix sockets (SCM_RIGHTS).
//
// Where all sandboxes are one user of the host, the second is shared. Whoever sends compares all
// that are on their way with the own limit: a sandbox cannot push them much beyond its limit, so a
// server whose limit is far above that of any sandbox is never refused.
#include <cstdint>
#include <sys/types.h>

namespace atl::sys {

// The soft limit becomes the hard one, within reason: for the server, the nest and PID 1. Returns
// what it is now.
std::uint64_t allow_many_open_files() noexcept;

// What programs may have so that who serves them keeps a good distance: half of what this process
// may have at most.
[[nodiscard]] std::uint64_t open_files_for_programs(std::uint64_t wanted) noexcept;

// How many files the machine can have open (fs.file-max).
[[nodiscard]] std::uint64_t machine_open_files();
// How many it has open (fs.file-nr); 0 where nobody can tell.
[[nodiscard]] std::uint64_t machine_open_files_now();
// Descriptors of a process; 0 if it is gone, or not ours to look at.
[[nodiscard]] std::uint64_t open_files_of(pid_t pid);

}  // namespace atl::sys

#pragma once
// What programs read to find out how much they may use, with the sandbox's limits in it.
//
//     /proc/meminfo                      MemTotal is the memory limit
//     /sys/devices/system/cpu/online     as many processors as the CPU limit allows, rounded up
//     /sys/fs/cgroup                     memory.max and cpu.max, and version 1's names for them
//
// Ordinary read-only files on the scratch space, never a mount of the kernel's cgroup file system:
// that has files which run programs on the host. They say what the limits are. They do not say what
// is in use: nobody would keep such a figure true, so MemAvailable is MemTotal and there is no
// memory.current.
// Nothing here is a wall: the cgroup, or the guest's own watch, holds the limits.
#include "guest/lib/surroundings.hpp"
#include "sys/step.hpp"

namespace atl::guest {

// Below `folder`, which is on the scratch space, while it still is to be seen; /proc is there.
// Takes a descriptor of it into `surroundings`.
bool show_limits(const char* folder, Surroundings& surroundings, sys::StepFailure& failure);
// Once the limits have changed.
bool update_limits(const Surroundings& surroundings, sys::StepFailure& failure);
// Once the sandbox is somebody's: PID 1 holds nothing beside untrusted code that it does not need.
void limits_are_final(Surroundings& surroundings);

}  // namespace atl::guest

#pragma once
// What PID 1 knows about the sandbox it is in: the user, the limits, the environment that new
// processes and kernels get. Set when the walls are raised, narrowed or widened by the claim.
#include "sys/confine.hpp"
#include "sys/mounts.hpp"

#include <linux/filter.h>
#include <map>
#include <string>
#include <vector>

namespace atl::guest {

struct Surroundings {
    sys::UserIdentity user;
    sys::ResourceLimits limits;
    sys::TmpfsQuota disk;
    std::map<std::string, std::string> environment;
    std::vector<sock_filter> user_filter;
    std::vector<std::string> kernel_program;  // starts a kernel on descriptor 3, without a zygote
    std::vector<std::string> javascript_program;  // the same for a kernel of JavaScript
    int landlock_fd = -1;
    int scratch_fd = -1;    // root of the scratch space, whose folders appear at several places
    int all_kept_fd = -1;   // all sessions' folders, in a nest of an ordinary user; until claimed
    int all_shown_fd = -1;  // read-only folders of the host, by number; the same way
    int limits_fd = -1;     // what shows programs their limits (limits_view.hpp)
    int root_namespace_fd = -1;  // in which programs are root (root_namespace.hpp); once wanted
    int oom_score_fd = -1;       // of PID 1, open from before its own files were closed to it
    // Trees of the caller's that wait at a place of their own until the scratch folders exist.
    struct Waiting {
        std::string from, to;
    };
    std::vector<Waiting> mounts;
    // Memory that all processes together may use when no cgroup holds it; 0 = a cgroup does.
    std::uint64_t watched_memory_bytes_max = 0;
    // What programs are told of the limits that a cgroup holds; 0 = no limit.
    std::uint64_t shown_memory_bytes_max = 0;
    std::uint64_t shown_cpu_quota_us = 0;  // in 100 ms
    std::string cpus_online;               // as the host lists them

    [[nodiscard]] sys::Confinement confinement() const {
        sys::Confinement confinement;
        confinement.limits = limits;
        confinement.user = user;
        confinement.landlock_fd = landlock_fd;
        if (!user_filter.empty()) {
            confinement.filter = user_filter.data();
            confinement.filter_length = static_cast<unsigned short>(user_filter.size());
        }
        return confinement;
    }
};

}  // namespace atl::guest

#pragma once
// The last steps of a process before it runs untrusted code: who it is and what it may ask for.
//
// Runs in the process itself, below fork or vfork: no allocation, no exceptions, raw system calls
// only (glibc's setuid would signal threads that exist only in the parent).
// Order matters and is fixed here: limits, bounding set, ids, user namespace, capabilities,
// no_new_privs, Landlock, seccomp. docs/threat-model.md, "order of walls", says why.
#include "sys/step.hpp"

#include <cstddef>
#include <cstdint>

struct sock_filter;

namespace atl::sys {

struct ResourceLimits {
    std::uint64_t file_bytes_max = 0;  // RLIMIT_FSIZE
    std::uint64_t open_files_max = 0;  // RLIMIT_NOFILE
    std::uint64_t processes_max = 0;   // RLIMIT_NPROC, counted per user namespace
    std::uint64_t data_bytes_max = 0;  // RLIMIT_DATA, 0 = no limit (a cgroup holds memory)
    std::uint64_t pending_signals_max = 1024;
    std::uint64_t message_queue_bytes_max = 819'200;
    // How many processors a program takes itself to have, 0 = all of them, counted from a number
    // that spreads sandboxes over the machine. A hint, so that programs start as many threads as
    // fit: a program may change its affinity, and the cgroup's quota holds all the same.
    std::uint64_t cpus_max = 0;
    std::uint64_t first_cpu = 0;

    bool operator==(const ResourceLimits&) const = default;
};

struct UserIdentity {
    std::uint32_t uid = 1000;
    std::uint32_t gid = 1000;
    bool change_ids = true;  // false when the user namespace maps one id only
};

// Where a process has the ids that it is shown. All but `Own` are about a user namespace nested in
// the sandbox's, in which the user is called 0 and nobody else exists (decisions/0018).
enum class Names : std::uint8_t {
    Own,   // the sandbox's user namespace
    Made,  // a new one, whose ids nobody has written yet
    Root,  // the one at Confinement::root_namespace_fd
};

struct Confinement {
    ResourceLimits limits;
    UserIdentity user;
    Names names = Names::Own;
    int root_namespace_fd = -1;
    int landlock_fd = -1;  // a ruleset made ahead, or -1
    const sock_filter* filter = nullptr;
    unsigned short filter_length = 0;
};

bool confine_self(const Confinement& confinement, StepFailure& failure) noexcept;

// Parts of it that PID 1 and the zygote use by themselves.
bool set_limits(const ResourceLimits& limits, StepFailure& failure) noexcept;
bool drop_bounding_set(StepFailure& failure) noexcept;
bool drop_capabilities(StepFailure& failure) noexcept;
bool install_filter(const sock_filter* filter, unsigned short length,
                    StepFailure& failure) noexcept;

// A Landlock ruleset: reading and executing anywhere in the sandbox's tree, writing only below
// `writable` (a null-terminated list), and no signal or abstract socket beyond the domain where
// the kernel knows such scopes. -1 when the kernel has no Landlock.
int make_landlock_ruleset(const char* const* writable) noexcept;
int landlock_abi() noexcept;

}  // namespace atl::sys

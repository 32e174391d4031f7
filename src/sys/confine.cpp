#include "sys/confine.hpp"

#include "sys/syscalls.hpp"

#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace atl::sys {

namespace {

bool limit(int resource, std::uint64_t value, const char* name, StepFailure& failure) noexcept {
    // A caller may ask for more than an ordinary user's own hard limit: the lower of both holds.
    rlimit64 now{};
    if (::syscall(SYS_prlimit64, 0, resource, nullptr, &now) != 0) return failure.set(name);
    if (value > now.rlim_max) value = now.rlim_max;
    const rlimit64 wanted{value, value};
    if (::syscall(SYS_prlimit64, 0, resource, &wanted, nullptr) == 0) return true;
    return failure.set(name);
}

// Landlock's newer rights, named here because Debian 12's headers are older than the kernels that
// people run.
constexpr std::uint64_t kFsRefer = 1ull << 13;
constexpr std::uint64_t kFsTruncate = 1ull << 14;
constexpr std::uint64_t kScopeAbstractSocket = 1ull << 0;
constexpr std::uint64_t kScopeSignal = 1ull << 1;
struct RulesetAttr {
    std::uint64_t handled_access_fs;
    std::uint64_t handled_access_net;
    std::uint64_t scoped;
};

constexpr std::uint64_t kRead =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
// Every write right but the making of device files: those exist for nobody in a sandbox.
constexpr std::uint64_t kWrite = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                 LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                                 LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM;
constexpr std::uint64_t kDevices = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK;

bool allow(int ruleset, const char* path, std::uint64_t access) noexcept {
    const int at = ::open(path, O_PATH | O_CLOEXEC);
    if (at < 0) return errno == ENOENT;
    landlock_path_beneath_attr rule{};
    rule.allowed_access = access;
    rule.parent_fd = at;
    const bool added = landlock_add_rule(ruleset, rule) == 0;
    ::close(at);
    return added;
}

bool become(std::uint32_t uid, std::uint32_t gid, StepFailure& failure) noexcept {
    if (::syscall(SYS_setresgid, gid, gid, gid) != 0) return failure.set("become the group");
    if (::syscall(SYS_setresuid, uid, uid, uid) != 0) return failure.set("become the user");
    return true;
}

// Who enters a user namespace has every capability in it, whatever was given up before: the
// bounding set is full again, and exec as user 0 would fill the others from it.
bool forgo_capabilities_here(StepFailure& failure) noexcept {
    constexpr unsigned long kNone = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                    SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                    SECBIT_NO_CAP_AMBIENT_RAISE |
                                    SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
    if (::prctl(PR_SET_SECUREBITS, kNone, 0, 0, 0) != 0) {
        return failure.set("make user 0 one without capabilities");
    }
    return drop_bounding_set(failure);
}

bool take_ids(const Confinement& confinement, StepFailure& failure) noexcept {
    const UserIdentity& user = confinement.user;
    if (user.change_ids && ::syscall(SYS_setgroups, 0, nullptr) != 0) {
        return failure.set("leave all groups");
    }
    if (confinement.names == Names::Root) {
        // PID 1's own id until both have changed: no program of the sandbox can reach a process
        // that has capabilities in the namespace, and is not confined yet.
        if (::setns(confinement.root_namespace_fd, CLONE_NEWUSER) != 0) {
            return failure.set("enter the user namespace of root");
        }
        return become(0, 0, failure) && forgo_capabilities_here(failure);
    }
    if (user.change_ids && !become(user.uid, user.gid, failure)) return false;
    if (confinement.names == Names::Own) return true;
    // As the user, so that whatever Linux counts in the namespace counts as the user's own: the
    // limits of a sandbox hold for both together.
    if (::unshare(CLONE_NEWUSER) != 0) return failure.set("make a user namespace for root");
    return forgo_capabilities_here(failure);
}

constexpr std::size_t kCpusMax = 8192;  // what Linux can be built for
constexpr std::size_t kBitsAWord = 8 * sizeof(unsigned long);

void choose_cpus(std::uint64_t count, std::uint64_t first) noexcept {
    if (count == 0) return;
    unsigned long usable[kCpusMax / kBitsAWord] = {}, chosen[kCpusMax / kBitsAWord] = {};
    if (::syscall(SYS_sched_getaffinity, 0, sizeof usable, usable) <= 0) return;
    const auto has = [&](std::size_t cpu) {
        return (usable[cpu / kBitsAWord] >> (cpu % kBitsAWord) & 1) != 0;
    };
    std::uint64_t all = 0;
    for (std::size_t cpu = 0; cpu < kCpusMax; ++cpu) all += has(cpu) ? 1 : 0;
    if (all <= count) return;
    std::uint64_t number = 0;  // of a processor among those that are usable
    for (std::size_t cpu = 0; cpu < kCpusMax; ++cpu) {
        if (!has(cpu)) continue;
        if ((number + all - first % all) % all < count) {
            chosen[cpu / kBitsAWord] |= 1ul << (cpu % kBitsAWord);
        }
        ++number;
    }
    // Where it is refused, programs see all processors: no reason to have no sandbox.
    ::syscall(SYS_sched_setaffinity, 0, sizeof chosen, chosen);
}

}  // namespace

bool set_limits(const ResourceLimits& limits, StepFailure& failure) noexcept {
    choose_cpus(limits.cpus_max, limits.first_cpu);
    // 1, not 0: a core_pattern that pipes to a program ignores 0, and would feed it on the host
    // with what untrusted code prepared.
    return limit(RLIMIT_CORE, 1, "limit core files", failure) &&
           limit(RLIMIT_FSIZE, limits.file_bytes_max, "limit file size", failure) &&
           limit(RLIMIT_NOFILE, limits.open_files_max, "limit open files", failure) &&
           limit(RLIMIT_NPROC, limits.processes_max, "limit processes", failure) &&
           limit(RLIMIT_SIGPENDING, limits.pending_signals_max, "limit signals", failure) &&
           limit(RLIMIT_MSGQUEUE, limits.message_queue_bytes_max, "limit queues", failure) &&
           limit(RLIMIT_MEMLOCK, 8u << 20, "limit locked memory", failure) &&
           (limits.data_bytes_max == 0 ||
            limit(RLIMIT_DATA, limits.data_bytes_max, "limit data", failure));
}

bool drop_bounding_set(StepFailure& failure) noexcept {
    for (unsigned long cap = 0; cap < 64; ++cap) {
        if (::prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0) continue;
        if (errno == EINVAL) return true;  // past the last capability of this kernel
        return failure.set("drop the capability bounding set");
    }
    return true;
}

bool drop_capabilities(StepFailure& failure) noexcept {
    if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) {
        return failure.set("clear ambient capabilities");
    }
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct none[2] = {};
    if (::syscall(SYS_capset, &header, none) != 0) return failure.set("drop capabilities");
    return true;
}

bool install_filter(const sock_filter* filter, unsigned short length,
                    StepFailure& failure) noexcept {
    sock_fprog program{length, const_cast<sock_filter*>(filter)};
    if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0) return true;
    return failure.set("install the system call filter");
}

int landlock_abi() noexcept {
    return landlock_create_ruleset(nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

int make_landlock_ruleset(const char* const* writable) noexcept {
    const int abi = landlock_abi();
    if (abi < 1) return -1;
    std::uint64_t write = kWrite;
    if (abi >= 2) write |= kFsRefer;
    if (abi >= 3) write |= kFsTruncate;
    RulesetAttr attr{};
    attr.handled_access_fs = kRead | write | kDevices;
    if (abi >= 6) attr.scoped = kScopeAbstractSocket | kScopeSignal;
    const std::size_t size = abi >= 6 ? sizeof attr : (abi >= 4 ? 16 : 8);
    const int ruleset =
        landlock_create_ruleset(reinterpret_cast<const landlock_ruleset_attr*>(&attr), size, 0);
    if (ruleset < 0) return -1;
    bool complete = allow(ruleset, "/", kRead);
    for (; *writable != nullptr; ++writable) {
        complete = complete && allow(ruleset, *writable, kRead | write);
    }
    if (complete) return ruleset;
    ::close(ruleset);
    return -1;
}

bool confine_self(const Confinement& confinement, StepFailure& failure) noexcept {
    if (!set_limits(confinement.limits, failure)) return false;
    // While CAP_SETPCAP is still there: changing the user id takes it away.
    if (!drop_bounding_set(failure)) return false;
    if (!take_ids(confinement, failure) || !drop_capabilities(failure)) return false;
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failure.set("forbid new privileges");
    if (confinement.landlock_fd >= 0 && landlock_restrict_self(confinement.landlock_fd) != 0) {
        return failure.set("enter the Landlock domain");
    }
    if (confinement.filter != nullptr) {
        return install_filter(confinement.filter, confinement.filter_length, failure);
    }
    return true;
}

}  // namespace atl::sys

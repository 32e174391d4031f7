// The doctor on what walls are made of, and on who may limit what.
#include "cli/doctor_groups.hpp"

#include "runtimes/native/slots.hpp"
#include "sys/confine.hpp"
#include "sys/files.hpp"
#include "sys/host_checks.hpp"

#include <fstream>
#include <sched.h>
#include <sstream>
#include <sys/utsname.h>
#include <unistd.h>

namespace atl::cli {

namespace {

using Status = Check::Status;

bool is_root() { return ::geteuid() == 0; }

Check kernel_version() {
    utsname about{};
    ::uname(&about);
    const std::string release = about.release;
    Check check{"Kernel", "version", Status::Ok, release, "", ""};
    if (!version_at_least(release, 5, 12)) {
        check.status = Status::Fail;
        check.cost = "no read-only bound trees (mount_setattr came with 5.12): no sandboxes";
        check.fix = "install a kernel from 5.12 on";
    } else if (!version_at_least(release, 5, 13)) {
        check.status = Status::Warn;
        check.cost = "no Landlock (5.13)";
        check.fix = "install a newer kernel";
    } else if (!version_at_least(release, 5, 14)) {
        check.status = Status::Warn;
        check.cost = "no cgroup.kill (5.14): processes are ended one by one";
        check.fix = "install a newer kernel";
    }
    return check;
}

// What most often stands in the way, named by its own switch.
std::string user_namespace_fix() {
    if (setting_of("/proc/sys/user/max_user_namespaces") == "0") {
        return "sysctl -w user.max_user_namespaces=15000";
    }
    if (setting_of("/proc/sys/kernel/unprivileged_userns_clone") == "0") {
        return "sysctl -w kernel.unprivileged_userns_clone=1";
    }
    if (setting_of("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1") {
        return "run as root, or sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or an "
               "AppArmor profile for atoll with `userns,`";
    }
    return "in a container: allow user namespaces and mounts (Docker: --privileged, or "
           "--security-opt seccomp=unconfined --security-opt apparmor=unconfined)";
}

// Most probes begin with a user namespace: without one they say nothing about what they are for.
std::string fix_for(const sys::Probe& probe, const std::string& fix) {
    const bool first_step = std::string_view(probe.failure.step).starts_with("unshare a user");
    return first_step ? user_namespace_fix() : fix;
}

Check needed(const char* name, const sys::Probe& probe, const char* works, const char* cost,
             const std::string& fix) {
    if (probe.works) return {"Kernel", name, Status::Ok, works, "", ""};
    return {"Kernel",           name, Status::Fail, "refused (" + probe.why() + ")", cost,
            fix_for(probe, fix)};
}

Check namespaces() {
    struct Kind {
        const char* name;
        int flag;
    };
    constexpr Kind kKinds[] = {{"mount", CLONE_NEWNS}, {"pid", CLONE_NEWPID},
                               {"net", CLONE_NEWNET},  {"ipc", CLONE_NEWIPC},
                               {"uts", CLONE_NEWUTS},  {"cgroup", CLONE_NEWCGROUP}};
    Check check{"Kernel", "other namespaces", Status::Ok, "", "", ""};
    std::string refused;
    for (const auto& kind : kKinds) {
        const auto probe = sys::probe_namespace(kind.flag);
        auto& list = probe.works ? check.found : refused;
        if (!list.empty()) list += ' ';
        list += kind.name;
    }
    if (refused.empty()) return check;
    check.status = Status::Fail;
    check.found = "refused: " + refused;
    check.cost = "a sandbox would share these with the host, so none is started";
    check.fix = user_namespace_fix();
    return check;
}

Check landlock() {
    const int abi = sys::landlock_abi();
    if (abi > 0) {
        Check check{"Kernel", "Landlock", Status::Ok, "version " + std::to_string(abi), "", ""};
        if (abi < 6) { check.found += " (6 adds signals and abstract sockets)"; }
        return check;
    }
    return {"Kernel",
            "Landlock",
            Status::Warn,
            "not there",
            "one wall less around files; mounts and ids still hold",
            "boot with lsm=landlock,… or a kernel from 5.13 on with CONFIG_SECURITY_LANDLOCK"};
}

Check overlay() {
    const auto probe = sys::probe_overlay();
    if (probe.works)
        return {"Kernel", "overlayfs", Status::Ok, "works in a user namespace", "", ""};
    return {
        "Kernel",
        "overlayfs",
        Status::Warn,
        "refused (" + probe.why() + ")",
        "layered file systems in sandboxes are not possible; templates do not need them",
        fix_for(probe, "a kernel from 5.11 on with the overlay module loaded (modprobe overlay)")};
}

// "0 0 4294967295": whether ids that sandboxes get exist here at all.
bool has_id(std::uint32_t id) {
    std::ifstream lines("/proc/self/uid_map");
    std::uint64_t inside = 0, outside = 0, count = 0;
    while (lines >> inside >> outside >> count) {
        if (id >= inside && id < inside + count) return true;
    }
    return false;
}

Check user_ids() {
    Check check{"Limits", "user ids", Status::Ok, "", "", ""};
    if (is_root()) {
        check.found = "root: each sandbox gets ids of its own";
        if (!has_id(native::kFirstId)) {
            check.status = Status::Fail;
            check.found = "root of a user namespace without id " + std::to_string(native::kFirstId);
            check.cost = "no ids to give to sandboxes";
            check.fix = "run on the host itself, or as an ordinary user";
        }
        return check;
    }
    check.status = Status::Warn;
    check.found = "ordinary user: all sandboxes share one user id";
    const bool ranges = !program_on_path("newuidmap").empty();
    if (!ranges) check.found += "; newuidmap is not installed";
    check.cost = "code that escaped all walls would act as this user";
    check.fix = "run Atoll as root";
    return check;
}

}  // namespace

Checks examine_kernel() {
    Checks checks;
    const auto fix = user_namespace_fix();
    checks.push_back(kernel_version());
    checks.push_back(needed("user namespaces", sys::probe_user_namespace(), "works",
                            "no sandboxes: all other walls depend on this", fix));
    checks.push_back(namespaces());
    checks.push_back(needed("mounts", sys::probe_mounts(), "read-only trees and tmpfs work",
                            "sandboxes cannot have their own file system", fix));
    checks.push_back(needed("fresh /proc", sys::probe_proc(), "works",
                            "no PID namespace with a /proc of its own",
                            "in a container /proc is masked: start it with --privileged or "
                            "--security-opt systempaths=unconfined"));
    checks.push_back(needed("seccomp filter", sys::probe_seccomp(), "works",
                            "rarely used system calls would be allowed",
                            "a kernel with CONFIG_SECCOMP_FILTER"));
    checks.push_back(landlock());
    checks.push_back(needed("openat2", sys::probe_openat2(), "works",
                            "files of a sandbox could not be opened safely from outside",
                            "a kernel from 5.6 on; in a container, a newer seccomp profile"));
    checks.push_back(needed("clone3 and pidfd", sys::probe_pidfd(), "works",
                            "a process could be mistaken for another",
                            "a kernel from 5.4 on; in a container, a newer seccomp profile"));
    checks.push_back(overlay());
    return checks;
}

Checks examine_limits(const sys::CgroupHost& cgroups) {
    Checks checks{user_ids()};
    using Version = sys::CgroupHost::Version;
    Check groups{"Limits", "cgroups", Status::Ok, "", "", ""};
    if (cgroups.version == Version::None) {
        groups.status = Status::Warn;
        groups.found = cgroups.why_not.empty() ? "none" : cgroups.why_not;
        groups.cost =
            "memory limits are enforced by polling, CPU cannot be limited, a sandbox cannot "
            "be frozen";
        groups.fix = is_root() ? "mount cgroup2 at /sys/fs/cgroup with memory and pids"
                               : "run as root, or start Atoll in a delegated unit: systemd-run "
                                 "--user --scope -p Delegate=yes atoll …";
        checks.push_back(groups);
        return checks;
    }
    groups.found = cgroups.version == Version::V1 ? "version 1:" : "version 2:";
    for (const auto& base : cgroups.bases) groups.found += " " + base.controller;
    if (!cgroups.has("cpu")) {
        groups.status = Status::Warn;
        groups.cost = "CPU cannot be limited";
        groups.fix = "enable the cpu controller";
    }
    checks.push_back(groups);

    const auto swap =
        meminfo_bytes(sys::read_small_file("/proc/meminfo").value_or(""), "SwapTotal");
    Check accounting{"Limits", "swap accounting", Status::Ok, "works", "", ""};
    bool counted = true;
    for (const auto& base : cgroups.bases) {
        if (base.controller != "memory") continue;
        counted =
            ::access((base.path + (cgroups.version == Version::V1 ? "/memory.memsw.limit_in_bytes"
                                                                  : "/memory.swap.max"))
                         .c_str(),
                     F_OK) == 0;
    }
    if (!counted && swap > 0) {
        accounting = {"Limits",
                      "swap accounting",
                      Status::Warn,
                      "not there, and the host has swap",
                      "a sandbox may push memory beyond its limit into swap",
                      "boot with swapaccount=1, or switch swap off"};
    } else if (!counted) {
        accounting.found = "not there, and not needed without swap";
    }
    checks.push_back(accounting);
    return checks;
}

}  // namespace atl::cli

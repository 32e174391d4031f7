// The doctor on what the host has to give, and on settings that make it a safer one.
#include "cli/doctor_groups.hpp"

#include "core/spec.hpp"
#include "sys/files.hpp"
#include "sys/host_checks.hpp"

#include <cstdlib>
#include <sched.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace atl::cli {

namespace {

using Status = Check::Status;
constexpr std::uint64_t kGiB = 1ull << 30;

std::string shown(rlim_t value) {
    return value == RLIM_INFINITY ? "unlimited" : std::to_string(value);
}

Check limit(const char* name, __rlimit_resource which, rlim_t wanted, const char* cost,
            const char* fix) {
    rlimit values{};
    ::getrlimit(which, &values);
    Check check{"Resources", name, Status::Ok, shown(values.rlim_max), "", ""};
    if (values.rlim_max != RLIM_INFINITY && values.rlim_max < wanted) {
        check.status = Status::Warn;
        check.cost = cost;
        check.fix = fix;
    }
    return check;
}

Check user_namespace_count() {
    const auto text = setting_of("/proc/sys/user/max_user_namespaces");
    Check check{"Resources", "namespaces a user", Status::Ok, "at most " + text, "", ""};
    const auto count = std::strtoull(text.c_str(), nullptr, 10);
    if (!text.empty() && count < 1000) {
        check.status = Status::Warn;
        check.cost = "fewer than " + text + " sandboxes at a time";
        check.fix = "sysctl -w user.max_user_namespaces=15000";
    }
    return check;
}

Check processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    ::sched_getaffinity(0, sizeof set, &set);
    return {"Resources", "processors", Status::Ok, std::to_string(CPU_COUNT(&set)), "", ""};
}

Check memory() {
    const auto text = sys::read_small_file("/proc/meminfo").value_or("");
    const auto free = meminfo_bytes(text, "MemAvailable");
    const auto swap = meminfo_bytes(text, "SwapTotal");
    Check check{"Resources",
                "memory",
                Status::Ok,
                core::format_bytes(free) + " available of " +
                    core::format_bytes(meminfo_bytes(text, "MemTotal")) + ", swap " +
                    (swap == 0 ? "none" : core::format_bytes(swap)),
                "",
                ""};
    if (free < kGiB) {
        check.status = Status::Warn;
        check.cost = "the default template alone takes some 250 MiB, each sandbox what it uses";
        check.fix = "free memory, or give sandboxes a lower limit (--memory)";
    }
    return check;
}

Check disk(const std::string& folder) {
    struct statvfs about {};
    if (::statvfs(folder.c_str(), &about) != 0) {
        return {"Resources",    "disk",
                Status::Warn,   folder + " cannot be read",
                "no templates", "choose another place with ATOLL_DATA_DIR"};
    }
    const std::uint64_t free = std::uint64_t(about.f_bavail) * about.f_frsize;
    Check check{"Resources", "disk", Status::Ok, core::format_bytes(free) + " free at " + folder,
                "",          ""};
    if (free < 2 * kGiB) {
        check.status = Status::Warn;
        check.cost = "the default template needs 1 GiB, and as much again while it is rebuilt";
        check.fix = "free some space, or choose another place with ATOLL_DATA_DIR";
    }
    return check;
}

Check shared_memory() {
    if (::access("/dev/shm", W_OK | X_OK) == 0) {
        return {"Resources", "/dev/shm", Status::Ok, "writable", "", ""};
    }
    return {"Resources",
            "/dev/shm",
            Status::Warn,
            "not writable",
            "programs on the host that share memory fail; sandboxes have their own",
            "mount -t tmpfs -o mode=1777 tmpfs /dev/shm"};
}

Check idmapped_mounts(const std::string& folder) {
    Check check{"Resources", "idmapped mounts", Status::Ok, "work at " + folder, "", ""};
    if (::geteuid() != 0) {
        check.found = "need root, and an ordinary user needs none: ids are the same inside";
        return check;
    }
    if (const auto probe = sys::probe_idmapped_mount(folder); !probe.works) {
        check.status = Status::Warn;
        check.found = "refused at " + folder + " (" + probe.why() + ")";
        check.cost =
            "folders mounted into a sandbox show under their own owner: what only the "
            "owner may read cannot be read inside";
        check.fix = "keep the data on ext4, xfs or btrfs with a kernel from 5.19 on";
    }
    return check;
}

Check huge_pages() {
    const auto text = setting_of("/sys/kernel/mm/transparent_hugepage/enabled");
    const auto open = text.find('['), close = text.find(']');
    const std::string mode = open == std::string::npos || close == std::string::npos
                                 ? "not there"
                                 : text.substr(open + 1, close - open - 1);
    Check check{"Resources", "transparent huge pages", Status::Ok, mode, "", ""};
    if (mode == "always") {
        check.status = Status::Warn;
        check.cost = "sandboxes may take more private memory than they use";
        check.fix = "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled";
    }
    return check;
}

// A setting of the kernel that is good from `good` on.
Check hardening(const char* name, const char* path, long good, const char* cost, const char* fix) {
    const auto text = setting_of(path);
    Check check{"Hardening", name, Status::Ok, text, "", ""};
    if (text.empty()) {
        check.found = "this kernel has no such setting, or hides it";
    } else if (std::strtol(text.c_str(), nullptr, 10) < good) {
        check.status = Status::Warn;
        check.cost = cost;
        check.fix = fix;
    }
    return check;
}

}  // namespace

Checks examine_resources(const std::string& data_folder) {
    return {processors(),
            memory(),
            disk(data_folder),
            limit("open files", RLIMIT_NOFILE, 8192,
                  "each live sandbox uses several descriptors: fewer than 1000 at a time",
                  "ulimit -Hn 65536, or LimitNOFILE= of the service"),
            limit("processes", RLIMIT_NPROC, 4096, "sandboxes count towards it when not root",
                  "ulimit -Hu unlimited, or LimitNPROC= of the service"),
            user_namespace_count(),
            shared_memory(),
            idmapped_mounts(data_folder),
            huge_pages()};
}

Checks examine_hardening() {
    Checks checks{
        hardening("ptrace scope", "/proc/sys/kernel/yama/ptrace_scope", 1,
                  "a process may look into any other of the same user",
                  "sysctl -w kernel.yama.ptrace_scope=1"),
        hardening("unprivileged BPF off", "/proc/sys/kernel/unprivileged_bpf_disabled", 1,
                  "sandboxes cannot reach it, other programs of the host can",
                  "sysctl -w kernel.unprivileged_bpf_disabled=1"),
        hardening("kernel log restricted", "/proc/sys/kernel/dmesg_restrict", 1,
                  "sandboxes cannot read it, every user of the host can: it holds addresses",
                  "sysctl -w kernel.dmesg_restrict=1"),
    };
    const auto pattern = setting_of("/proc/sys/kernel/core_pattern");
    Check core{"Hardening", "core dumps", Status::Ok, pattern.empty() ? "none" : pattern, "", ""};
    if (pattern.starts_with('|')) {
        core.status = Status::Warn;
        core.cost = "a program that crashes inside a sandbox starts this one on the host, as root";
        core.fix = "sysctl -w kernel.core_pattern=core";
    }
    checks.push_back(core);
    const auto merging = setting_of("/sys/kernel/mm/ksm/run");
    Check ksm{"Hardening", "memory merging (KSM)", Status::Ok, merging == "1" ? "on" : "off", "",
              ""};
    if (merging == "1") {
        ksm.status = Status::Warn;
        ksm.cost = "timing can reveal the memory contents of another sandbox";
        ksm.fix = "echo 2 > /sys/kernel/mm/ksm/run";
    }
    checks.push_back(ksm);
    return checks;
}

}  // namespace atl::cli

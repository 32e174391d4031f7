#include "guest/lib/limits_view.hpp"

#include "base/fd.hpp"
#include "sys/files.hpp"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

namespace atl::guest {

namespace {

constexpr const char* kOnline = "/sys/devices/system/cpu/online";
constexpr const char* kMeminfo = "/proc/meminfo";
constexpr const char* kCgroup = "/sys/fs/cgroup";
constexpr std::uint64_t kCpuPeriodUs = 100'000;

std::uint64_t memory_bytes(const Surroundings& surroundings) {
    struct sysinfo host {};
    ::sysinfo(&host);
    const std::uint64_t all = std::uint64_t{host.totalram} * host.mem_unit;
    const std::uint64_t limit = surroundings.shown_memory_bytes_max;
    return limit == 0 ? all : std::min(limit, all);
}

// The fields that free, psutil and runtimes look for.
std::string meminfo(std::uint64_t bytes) {
    std::string text;
    const auto line = [&](const char* name, std::uint64_t kib) {
        char buffer[64];
        std::snprintf(buffer, sizeof buffer, "%-15s %8llu kB\n", name,
                      static_cast<unsigned long long>(kib));
        text += buffer;
    };
    for (const char* name : {"MemTotal:", "MemFree:", "MemAvailable:"}) line(name, bytes / 1024);
    for (const char* name :
         {"Buffers:", "Cached:", "SwapCached:", "Active:", "Inactive:", "SwapTotal:", "SwapFree:",
          "Dirty:", "Writeback:", "AnonPages:", "Mapped:", "Shmem:", "Slab:", "SReclaimable:",
          "SUnreclaim:", "CommitLimit:", "Committed_AS:"}) {
        line(name, 0);
    }
    return text;
}

std::string number_line(std::uint64_t number) { return std::to_string(number) + "\n"; }

std::string online(const Surroundings& surroundings) {
    const auto all = surroundings.cpus_online;
    const auto count = static_cast<unsigned>(surroundings.limits.cpus_max);
    cpu_set_t usable;
    CPU_ZERO(&usable);
    if (count == 0 || ::sched_getaffinity(0, sizeof usable, &usable) != 0 ||
        static_cast<unsigned>(CPU_COUNT(&usable)) <= count) {
        return all;
    }
    return count == 1 ? "0\n" : "0-" + number_line(count - 1);
}

bool write(int folder, const char* name, const std::string& text, sys::StepFailure& failure) {
    const UniqueFd file(
        ::openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0444));
    if (file.get() < 0 ||
        ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        return failure.set("write the limits for ", name);
    }
    return true;
}

bool show(const std::string& from, const char* at, sys::StepFailure& failure) {
    if (::mount(from.c_str(), at, nullptr, MS_BIND, nullptr) == 0 &&
        ::mount(nullptr, at, nullptr,
                MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
                nullptr) == 0) {
        return true;
    }
    return failure.set("show the limits at ", at);
}

}  // namespace

bool update_limits(const Surroundings& surroundings, sys::StepFailure& failure) {
    const int folder = surroundings.limits_fd;
    const std::uint64_t quota = surroundings.shown_cpu_quota_us;
    const std::string memory = number_line(memory_bytes(surroundings));
    const std::string period = number_line(kCpuPeriodUs);
    return write(folder, "meminfo", meminfo(memory_bytes(surroundings)), failure) &&
           write(folder, "online", online(surroundings), failure) &&
           write(folder, "cgroup/cgroup.controllers", "cpu memory\n", failure) &&
           write(folder, "cgroup/memory.max", memory, failure) &&
           write(folder, "cgroup/memory/memory.limit_in_bytes", memory, failure) &&
           write(folder, "cgroup/cpu.max",
                 (quota == 0 ? "max" : std::to_string(quota)) + " " + period, failure) &&
           write(folder, "cgroup/cpu/cpu.cfs_quota_us", quota == 0 ? "-1\n" : number_line(quota),
                 failure) &&
           write(folder, "cgroup/cpu/cpu.cfs_period_us", period, failure);
}

void limits_are_final(Surroundings& surroundings) {
    if (surroundings.limits_fd >= 0) ::close(surroundings.limits_fd);
    surroundings.limits_fd = -1;
}

bool show_limits(const char* folder, Surroundings& surroundings, sys::StepFailure& failure) {
    const std::string base = folder;
    for (const char* part : {"", "/cgroup", "/cgroup/memory", "/cgroup/cpu"}) {
        const std::string path = base + part;
        if (::mkdir(path.c_str(), 0755) != 0) return failure.set("make a folder for the limits");
    }
    surroundings.cpus_online = sys::read_small_file(kOnline).value_or("0\n");
    surroundings.limits_fd = ::open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return update_limits(surroundings, failure) && show(base + "/meminfo", kMeminfo, failure) &&
           show(base + "/online", kOnline, failure) && show(base + "/cgroup", kCgroup, failure);
}

}  // namespace atl::guest

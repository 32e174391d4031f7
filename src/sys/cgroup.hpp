#pragma once
// Limits and accounting of one sandbox through cgroups, version 1 and 2 behind one face.
//
// Owns      the cgroup directories it made; remove() takes them away again. A Cgroup that was
//           never made (no controllers for an ordinary user) is "absent": every call is a no-op
//           that says so, and the caller falls back to rlimits.
// Threads   none of its own; used from the runtime's thread.
// Trusts    the cgroup file system. No cgroup mount is ever visible inside a sandbox: with a
//           writable one, version 1's release_agent runs programs as root on the host.
// Not here  which limits a sandbox gets (core/spec.hpp).
#include "base/fd.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace atl::sys {

struct CgroupLimits {
    std::uint64_t memory_bytes_max = 0;
    std::uint32_t processes_max = 0;
    double cpus_max = 0;  // 0 = all

    bool operator==(const CgroupLimits&) const = default;
};

struct CgroupUse {
    std::uint64_t memory_bytes = 0;
    std::uint64_t memory_peak_bytes = 0;
    std::uint64_t cpu_us = 0;
    std::uint64_t processes = 0;
    std::uint64_t oom_kills = 0;
};

// What this host offers: found once at start.
struct CgroupHost {
    enum class Version { None, V1, V2 };
    Version version = Version::None;
    // v1: one directory for each controller; v2: one in all. Each is where we may make children.
    struct Base {
        std::string controller;
        std::string path;
    };
    std::vector<Base> bases;
    std::string why_not;  // for people, when version is None or a controller is missing

    [[nodiscard]] bool has(std::string_view controller) const;
    [[nodiscard]] static CgroupHost detect();
};

// The lowest memory limit of the cgroups that sandboxes are in, theirs not counted: a container's.
// The largest number where there is none.
[[nodiscard]] std::uint64_t memory_limit_above(const CgroupHost& host);

class Cgroup {
public:
    Cgroup() = default;  // absent
    // Makes `name` in every hierarchy; an existing one of that name is an error (Conflict).
    static Result<Cgroup> create(const CgroupHost& host, const std::string& name);

    // What was moved from is absent. With a host and no name it would be the base of them all.
    Cgroup(Cgroup&& other) noexcept
        : host_(std::exchange(other.host_, nullptr)), name_(std::move(other.name_)) {}
    Cgroup& operator=(Cgroup&& other) noexcept {
        host_ = std::exchange(other.host_, nullptr);
        name_ = std::move(other.name_);
        return *this;
    }

    [[nodiscard]] bool present() const noexcept { return host_ != nullptr; }
    Result<void> set_limits(const CgroupLimits& limits);
    Result<void> add(pid_t pid);
    // Descriptors through which a process can enter by itself, writing "0" to each: on v1 that
    // takes microseconds, while add() waits for the whole machine to pass a grace period, some 20
    // ms when nobody moved lately. Empty where the kernel offers no such way (v2): then add() it
    // is.
    [[nodiscard]] Result<std::vector<UniqueFd>> doors() const;
    [[nodiscard]] CgroupUse use() const;
    [[nodiscard]] std::uint64_t cpu_us() const;  // one file of the five that use() reads
    Result<void> freeze(bool frozen);
    // Its weight against its siblings. Background work (filling a pool, tearing down) gives way to
    // what somebody waits for; what is being started runs our own code alone and goes before
    // programs that spin.
    enum class Weight { Background, Usual, Starting };
    void set_weight(Weight weight);
    // SIGKILL to every process in it, until none is left or `attempts` rounds went by.
    void kill_all() const;
    [[nodiscard]] std::vector<pid_t> processes() const;
    // False while processes are still leaving; call again.
    bool remove();

private:
    [[nodiscard]] std::string path_of(std::string_view controller) const;
    const CgroupHost* host_ = nullptr;
    std::string name_;
};

// Removes cgroups of ours that a killed process left behind: empty ones whose name begins with
// `prefix` and that are older than 20 s (a younger one may be about to be entered). A frozen one
// whose processes are already condemned is thawed, so that they die and the next sweep removes it.
void sweep_cgroups(const CgroupHost& host, const std::string& prefix);

}  // namespace atl::sys

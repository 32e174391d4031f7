#pragma once
// Limits and accounting of one sandbox through cgroups, versions 1 and 2 behind one interface.
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
#include <functional>
#include <memory>
#include <optional>
#include <set>
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
    // Names of the cgroups that this process made and still holds: a sweep passes over them.
    // Shared by all copies of this record.
    using Names = std::set<std::string, std::less<>>;
    std::shared_ptr<Names> held = std::make_shared<Names>();

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
        : host_(std::exchange(other.host_, nullptr)),
          name_(std::move(other.name_)),
          held_(std::move(other.held_)),
          cpu_file_(std::move(other.cpu_file_)) {}
    Cgroup& operator=(Cgroup&& other) noexcept {
        let_go();
        host_ = std::exchange(other.host_, nullptr);
        name_ = std::move(other.name_);
        held_ = std::move(other.held_);
        cpu_file_ = std::move(other.cpu_file_);
        return *this;
    }
    // One that was not removed is left to the next sweep.
    ~Cgroup() { let_go(); }

    [[nodiscard]] bool present() const noexcept { return host_ != nullptr; }
    Result<void> set_limits(const CgroupLimits& limits);
    Result<void> add(pid_t pid);
    // Descriptors through which a process can enter by itself, writing "0" to each: on v1 that
    // takes microseconds, while add() waits for the whole machine to pass a grace period, some 20
    // ms when nobody moved lately. Empty where the kernel offers no such way (v2): then add() it
    // is.
    [[nodiscard]] Result<std::vector<UniqueFd>> doors() const;
    [[nodiscard]] CgroupUse use() const;
    // Single figures of use(), for callers that ask often: each is one file of the five.
    [[nodiscard]] std::uint64_t cpu_us() const;
    [[nodiscard]] std::uint64_t memory_peak_bytes() const;
    [[nodiscard]] std::uint64_t oom_kills() const;
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
    void let_go() noexcept;
    const CgroupHost* host_ = nullptr;
    std::string name_;
    std::shared_ptr<CgroupHost::Names> held_;
    // Kept open, since a session's processor time is asked for every two seconds: 0.7 µs instead
    // of 34 for open, read and close.
    mutable UniqueFd cpu_file_;
};

// Removes cgroups of ours that a killed process left behind: empty ones whose name begins with
// `prefix` and that are older than 20 s (a younger one may be about to be entered). A frozen one
// whose processes are already condemned is thawed, so that they die and the next sweep removes it.
// Those that this process holds are not touched: with a thousand of them, trying each took longer
// than all else that an idle server does.
void sweep_cgroups(const CgroupHost& host, const std::string& prefix);

}  // namespace atl::sys

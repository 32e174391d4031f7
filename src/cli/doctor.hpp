#pragma once
// What this host offers to Atoll: each finding with what its absence costs and how to fix it.
//
// Owns      nothing. Probes run in children (sys/host_checks.hpp) and leave nothing behind; nothing
//           is sent to a network.
// Trusts    the kernel's own files.
// Not here  whether a whole sandbox can be raised: `atoll run -c 1` shows that.
#include <string>
#include <vector>

namespace atl::cli {

struct Check {
    // Fail: native sandboxes are impossible without it. Warn: they work, at the cost that is named.
    enum class Status { Ok, Warn, Fail };
    std::string group;
    std::string name;
    Status status = Status::Ok;
    std::string found;
    std::string cost;  // of what is missing; empty when nothing is
    std::string fix;
};

struct Diagnosis {
    std::vector<Check> checks;
    std::string setting;  // "as root, cgroup v2, Landlock 4", for the last line

    [[nodiscard]] bool ok() const;
    [[nodiscard]] std::string verdict() const;
};

[[nodiscard]] Diagnosis examine_host();

[[nodiscard]] std::string as_table(const Diagnosis& diagnosis, bool utf8);
[[nodiscard]] std::string as_json(const Diagnosis& diagnosis);

// "6.1.0-18-amd64" is at least 5.12; text that is no version is not.
[[nodiscard]] bool version_at_least(const std::string& release, int major, int minor);
// The number after `key` in text like /proc/meminfo, in bytes; 0 when it is not there.
[[nodiscard]] unsigned long long meminfo_bytes(const std::string& text, const std::string& key);

}  // namespace atl::cli

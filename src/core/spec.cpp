#include "core/spec.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace atl::core {

namespace {

constexpr std::uint64_t kMiB = 1ull << 20;

Error invalid(std::string message) { return {Code::InvalidArgument, std::move(message)}; }

bool template_name_is_valid(const std::string& name) {
    if (name.empty() || name.size() > 64 || name.front() == '-' || name.front() == '.')
        return false;
    return std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isalnum(c) || c == '-' || c == '_' || c == '.';
    });
}

Result<void> check(const Limits& limits) {
    // A Python with its packages needs some memory to start at all; below that every run would
    // end as "memory" and nobody would know why.
    if (limits.memory_bytes_max < 32 * kMiB) {
        return invalid("memory is " + format_bytes(limits.memory_bytes_max) +
                       ": at least 32 MiB are needed to start a program");
    }
    if (limits.memory_bytes_max > (1ull << 46)) return invalid("memory is more than 64 TiB");
    if (limits.processes_max < 4) {
        return invalid("processes is " + std::to_string(limits.processes_max) +
                       ": at least 4 are needed (the guest, a kernel and a program)");
    }
    if (limits.processes_max > 4'000'000) return invalid("processes is more than 4,000,000");
    if (limits.cpus_max < 0 || limits.cpus_max > 4096 || std::isnan(limits.cpus_max)) {
        return invalid("cpus must be between 0.01 and 4096, or 0 for all");
    }
    if (limits.cpus_max > 0 && limits.cpus_max < 0.01) return invalid("cpus is below 0.01");
    if (limits.open_files_max < 16 || limits.open_files_max > 1'048'576) {
        return invalid("open files must be between 16 and 1,048,576");
    }
    if (limits.file_bytes_max == 0) return invalid("file size is 0: nothing could be written");
    if (limits.disk_bytes_max < kMiB) return invalid("disk is below 1 MiB");
    if (limits.disk_bytes_max > (1ull << 46)) return invalid("disk is more than 64 TiB");
    if (limits.disk_files_max < 64) return invalid("disk files is below 64");
    if (limits.output_bytes_max == 0) return invalid("output is 0: no result could be returned");
    if (limits.wall_time_max.count() < 0) return invalid("timeout is negative");
    return {};
}

std::size_t json_bytes(const std::string& text) {
    std::size_t bytes = 2;  // its quotes
    for (const unsigned char c : text) {
        if (c < 0x20)
            bytes += 6;
        else
            bytes += c == '"' || c == '\\' ? 2 : 1;
    }
    return bytes;
}

Result<void> check(const std::map<std::string, std::string>& variables) {
    for (const auto& [name, value] : variables) {
        if (name.empty() || name.find('=') != std::string::npos ||
            name.find('\0') != std::string::npos || value.find('\0') != std::string::npos) {
            return invalid("environment variable \"" + name.substr(0, 256) +
                           "\" is not a valid name");
        }
    }
    // A sandbox is asked for in one message, and a message that does not fit must be refused here,
    // where it is one caller's.
    if (const auto bytes = environment_bytes(variables); bytes > kEnvironmentBytesMax) {
        return invalid("the environment takes " + std::to_string(bytes) +
                       " bytes as JSON text, names and values together: at most " +
                       std::to_string(kEnvironmentBytesMax) + " (" +
                       format_bytes(kEnvironmentBytesMax) + ") fit");
    }
    return {};
}

Result<void> check(const Mount& mount) {
    const std::string what = "mount " + mount.source + " at " + mount.target;
    if (mount.source.empty()) return invalid("a mount has no source");
    if (mount.target.empty() || mount.target.front() != '/') {
        return invalid(what + ": the place inside must be an absolute path");
    }
    if (mount.target.find("/../") != std::string::npos || mount.target.ends_with("/..")) {
        return invalid(what + ": the path inside must not contain ..");
    }
    // What we mount ourselves stays ours: a tree over /proc or /usr would undo a wall.
    constexpr std::array kMountRoots = {"/data/", "/session/", "/work/", "/home/user/", "/tmp/"};
    const bool below = std::any_of(kMountRoots.begin(), kMountRoots.end(), [&](const char* root) {
        return mount.target.rfind(root, 0) == 0 && mount.target.size() > std::string(root).size();
    });
    if (!below && mount.target != "/data" && mount.target != "/session" &&
        mount.target != "/work") {
        return invalid(what +
                       ": choose a place at or below /data, /session or /work, or below "
                       "/home/user or /tmp");
    }
    return {};
}

}  // namespace

std::size_t environment_bytes(const std::map<std::string, std::string>& variables) {
    std::size_t bytes = 2;
    for (const auto& [name, value] : variables) bytes += json_bytes(name) + json_bytes(value) + 2;
    return bytes;
}

SpecBuilder& SpecBuilder::from_template(std::string name) {
    spec_.template_name_ = std::move(name);
    return *this;
}
SpecBuilder& SpecBuilder::limits(Limits limits) {
    spec_.limits_ = limits;
    return *this;
}
SpecBuilder& SpecBuilder::environment(std::string name, std::string value) {
    spec_.environment_[std::move(name)] = std::move(value);
    return *this;
}
SpecBuilder& SpecBuilder::mount(const GrantedMount& mount) {
    spec_.mounts_.push_back(mount.mount());
    return *this;
}
SpecBuilder& SpecBuilder::keep_in(const GrantedFolder& folder) {
    spec_.kept_folder_ = folder.path();
    return *this;
}

Result<SandboxSpec> SpecBuilder::build() const {
    if (!template_name_is_valid(spec_.template_name_)) {
        return invalid("template name \"" + spec_.template_name_ +
                       "\": letters, digits, dot, dash and underscore, at most 64");
    }
    if (auto good = check(spec_.limits_); !good) return good.error();
    for (const auto& mount : spec_.mounts_) {
        if (auto good = check(mount); !good) return good.error();
    }
    if (!spec_.kept_folder_.empty() && spec_.kept_folder_.front() != '/') {
        return invalid("the folder that is kept must be an absolute path");
    }
    if (auto good = check(spec_.environment_); !good) return good.error();
    return spec_;
}

Result<std::uint64_t> parse_bytes(const std::string& text) {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    std::string unit(end);
    std::transform(unit.begin(), unit.end(), unit.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::string shown = "size \"" + text + "\"";
    if (end == text.c_str() || !std::isfinite(number)) {
        return invalid(shown + " is not a number; write it as 512m, 2g or 1048576");
    }
    if (number < 0) return invalid(shown + " is negative");
    std::uint64_t factor = 1;
    const std::string letter = unit.substr(0, 1);
    if (letter == "k")
        factor = 1ull << 10;
    else if (letter == "m")
        factor = 1ull << 20;
    else if (letter == "g")
        factor = 1ull << 30;
    else if (letter == "t")
        factor = 1ull << 40;
    const std::string rest = factor == 1 ? unit : unit.substr(1);
    if (!(rest.empty() || rest == "b" || (rest == "ib" && factor > 1))) {
        return invalid(shown + " has the unknown unit \"" + unit + "\"; use k, m, g or t");
    }
    const double bytes = number * static_cast<double>(factor);
    if (bytes > 7e13) return invalid(shown + " is beyond 64 TiB");
    return static_cast<std::uint64_t>(bytes);
}

Result<std::chrono::milliseconds> parse_duration(const std::string& text) {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    const std::string unit(end);
    const std::string shown = "time \"" + text + "\"";
    if (end == text.c_str() || !std::isfinite(number)) {
        return invalid(shown + " is not a number; write it as 500ms, 30s, 2m or 1h");
    }
    if (number < 0) return invalid(shown + " is negative");
    double factor = 0;
    if (unit == "ms")
        factor = 1;
    else if (unit.empty() || unit == "s")
        factor = 1000;
    else if (unit == "m" || unit == "min")
        factor = 60'000;
    else if (unit == "h")
        factor = 3'600'000;
    else
        return invalid(shown + " has the unknown unit \"" + unit + "\"; use ms, s, m or h");
    const double ms = number * factor;
    if (ms > 86'400'000.0 * 366) return invalid(shown + " is beyond a year");
    return std::chrono::milliseconds(static_cast<std::int64_t>(ms));
}

std::string format_bytes(std::uint64_t bytes) {
    constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < kUnits.size()) {
        value /= 1024;
        ++unit;
    }
    char text[32];
    std::snprintf(text, sizeof text, value == std::floor(value) ? "%.0f %s" : "%.1f %s", value,
                  kUnits.at(unit));
    return text;
}

}  // namespace atl::core

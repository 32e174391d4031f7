#include "cli/doctor.hpp"

#include "cli/doctor_groups.hpp"
#include "sys/confine.hpp"
#include "sys/files.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <unistd.h>

namespace atl::cli {

namespace {

namespace json = boost::json;

const char* status_name(Check::Status status) {
    switch (status) {
        case Check::Status::Ok: return "ok";
        case Check::Status::Warn: return "warn";
        case Check::Status::Fail: return "fail";
    }
    return "";
}

const char* mark(Check::Status status, bool utf8) {
    if (!utf8)
        return status == Check::Status::Ok     ? "ok  "
               : status == Check::Status::Warn ? "!   "
                                               : "FAIL";
    return status == Check::Status::Ok ? "✓" : status == Check::Status::Warn ? "!" : "✗";
}

// Every place where a cgroup of ours may lie before anything of it was made.
std::set<std::string> cgroups_before() {
    std::set<std::string> found;
    std::string own;
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        if (line.starts_with("0::/")) own = line.substr(3, line.rfind('/') - 3);
    }
    std::ifstream mounts("/proc/self/mounts");
    for (std::string line; std::getline(mounts, line);) {
        std::istringstream words(line);
        std::string device, at;
        words >> device >> at;
        for (const auto& base : {at + "/atoll", at + own + "/atoll"}) {
            if (::access(base.c_str(), F_OK) == 0) found.insert(base);
        }
    }
    return found;
}

// Looking for cgroups makes the folder that sandboxes would go into; a doctor leaves no folders.
void forget_cgroups(const sys::CgroupHost& cgroups, const std::set<std::string>& before) {
    for (const auto& base : cgroups.bases) {
        if (!before.contains(base.path)) ::rmdir(base.path.c_str());
    }
}

std::string setting_in_words(const sys::CgroupHost& cgroups) {
    std::string text = ::geteuid() == 0 ? "as root" : "as an ordinary user";
    switch (cgroups.version) {
        case sys::CgroupHost::Version::V1: text += ", cgroup v1"; break;
        case sys::CgroupHost::Version::V2: text += ", cgroup v2"; break;
        case sys::CgroupHost::Version::None: text += ", no cgroups"; break;
    }
    const int abi = sys::landlock_abi();
    return text + (abi > 0 ? ", Landlock " + std::to_string(abi) : ", no Landlock");
}

void add(Checks& to, Checks more) {
    for (auto& check : more) to.push_back(std::move(check));
}

std::size_t count(const Diagnosis& diagnosis, Check::Status status) {
    return static_cast<std::size_t>(
        std::count_if(diagnosis.checks.begin(), diagnosis.checks.end(),
                      [&](const Check& check) { return check.status == status; }));
}

}  // namespace

bool Diagnosis::ok() const { return count(*this, Check::Status::Fail) == 0; }

std::string Diagnosis::verdict() const {
    if (ok()) {
        const auto warnings = count(*this, Check::Status::Warn);
        return "This host can run Atoll: native walls, " + setting +
               (warnings == 0   ? "."
                : warnings == 1 ? "; 1 remark above."
                                : "; " + std::to_string(warnings) + " remarks above.");
    }
    std::string missing;
    for (const auto& check : checks) {
        if (check.status != Check::Status::Fail) continue;
        missing += (missing.empty() ? "" : ", ") + check.name;
    }
    return "This host cannot run Atoll's native sandboxes: " + missing + ".";
}

Diagnosis examine_host() {
    Diagnosis diagnosis;
    const auto before = cgroups_before();
    const auto cgroups = sys::CgroupHost::detect();
    std::optional<native::Paths> paths;
    std::string why_not;
    if (auto found = native::Paths::find(); found) {
        paths = *found;
    } else {
        why_not = found.error().message;
    }
    add(diagnosis.checks, examine_kernel());
    add(diagnosis.checks, examine_limits(cgroups));
    add(diagnosis.checks, examine_resources(paths ? paths->data : "/"));
    add(diagnosis.checks, examine_parts(paths, why_not));
    add(diagnosis.checks, examine_hardening());
    add(diagnosis.checks, examine_neighbours());
    diagnosis.setting = setting_in_words(cgroups);
    forget_cgroups(cgroups, before);
    return diagnosis;
}

std::string as_table(const Diagnosis& diagnosis, bool utf8) {
    std::size_t width = 0;
    for (const auto& check : diagnosis.checks) width = std::max(width, check.name.size());
    const std::string indent(width + (utf8 ? 6 : 9), ' ');
    std::string text, group;
    for (const auto& check : diagnosis.checks) {
        if (check.group != group) {
            text += (group.empty() ? "" : "\n") + check.group + "\n";
            group = check.group;
        }
        text += std::string("  ") + mark(check.status, utf8) + " " + check.name +
                std::string(width - check.name.size() + 2, ' ') + check.found + "\n";
        if (!check.cost.empty()) text += indent + "costs: " + check.cost + "\n";
        if (!check.fix.empty()) text += indent + "fix:   " + check.fix + "\n";
    }
    return text + "\n" + diagnosis.verdict() + "\n";
}

std::string as_json(const Diagnosis& diagnosis) {
    json::array checks;
    for (const auto& check : diagnosis.checks) {
        checks.push_back(json::object{{"group", check.group},
                                      {"name", check.name},
                                      {"status", status_name(check.status)},
                                      {"found", check.found},
                                      {"cost", check.cost},
                                      {"fix", check.fix}});
    }
    return json::serialize(
        json::object{{"ok", diagnosis.ok()}, {"verdict", diagnosis.verdict()}, {"checks", checks}});
}

bool version_at_least(const std::string& release, int major, int minor) {
    int found_major = 0, found_minor = 0;
    if (std::sscanf(release.c_str(), "%d.%d", &found_major, &found_minor) != 2) return false;
    return found_major > major || (found_major == major && found_minor >= minor);
}

unsigned long long meminfo_bytes(const std::string& text, const std::string& key) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(key + ":")) continue;
        return 1024 * std::strtoull(line.c_str() + key.size() + 1, nullptr, 10);
    }
    return 0;
}

std::string setting_of(const std::string& path) {
    auto text = sys::read_small_file(path).value_or("");
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

}  // namespace atl::cli

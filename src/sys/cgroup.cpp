#include "sys/cgroup.hpp"

#include "base/fd.hpp"
#include "sys/files.hpp"
#include "sys/open_files.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <limits>
#include <span>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::sys {

namespace {

constexpr const char* kV1Controllers[] = {"memory", "pids", "cpu", "cpuacct", "freezer"};
constexpr std::uint64_t kTcpPart = 4;            // of the memory, in addition to it
constexpr std::uint64_t kCpuPeriodUs = 100'000;  // the kernel's own default
constexpr std::size_t kFieldsBytesMax = 4096;    // of cpu.stat and its like, some 300 bytes

std::uint64_t number_of(std::string_view text, std::uint64_t otherwise = 0) {
    std::uint64_t value = otherwise;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

// "key value" lines, as in memory.oom_control and cpu.stat.
std::uint64_t field_of(std::string_view text, std::string_view key) {
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const auto space = line.find(' ');
        if (space == std::string_view::npos || line.substr(0, space) != key) continue;
        return number_of(line.substr(space + 1));
    }
    return 0;
}

// A figure of the kernel's comes whole with one read: these files are shorter than the buffer.
std::string_view read_figure(int fd, std::span<char> into) {
    ssize_t n = 0;
    do n = ::pread(fd, into.data(), into.size(), 0);
    while (n < 0 && errno == EINTR);
    return {into.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
}

std::uint64_t number_in(const std::string& path, std::uint64_t otherwise = 0) {
    char buffer[64];
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    return file.get() < 0 ? otherwise : number_of(read_figure(file.get(), buffer), otherwise);
}

std::uint64_t field_in(const std::string& path, std::string_view key) {
    char buffer[kFieldsBytesMax];
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    return file.get() < 0 ? 0 : field_of(read_figure(file.get(), buffer), key);
}

// Where this process's own cgroup lies in a mounted hierarchy, from /proc/self/cgroup.
std::string own_cgroup(std::string_view controller) {
    std::ifstream lines("/proc/self/cgroup");
    std::string line;
    while (std::getline(lines, line)) {
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        std::istringstream names(line.substr(first + 1, second - first - 1));
        std::string name;
        if (controller.empty() && second == first + 1) return line.substr(second + 1);
        while (std::getline(names, name, ',')) {
            if (name == controller) return line.substr(second + 1);
        }
    }
    return {};
}

struct Mount {
    std::string type, at, options;
};

std::vector<Mount> cgroup_mounts() {
    std::vector<Mount> found;
    std::ifstream lines("/proc/self/mounts");
    std::string device, at, type, options, rest;
    while (lines >> device >> at >> type >> options && std::getline(lines, rest)) {
        if (type == "cgroup" || type == "cgroup2") found.push_back({type, at, options});
    }
    return found;
}

bool has_option(const std::string& options, std::string_view wanted) {
    std::istringstream parts(options);
    std::string part;
    while (std::getline(parts, part, ',')) {
        if (part == wanted) return true;
    }
    return false;
}

bool can_make_children(const std::string& path) { return ::access(path.c_str(), W_OK) == 0; }

// v1: each controller is mounted somewhere; our base is <mount>/atoll, made on first use.
void detect_v1(CgroupHost& host, const std::vector<Mount>& mounts) {
    for (const char* controller : kV1Controllers) {
        for (const auto& mount : mounts) {
            if (mount.type != "cgroup" || !has_option(mount.options, controller)) continue;
            const std::string base = mount.at + "/atoll";
            if (::mkdir(base.c_str(), 0755) != 0 && errno != EEXIST) {
                host.why_not = "cgroup v1 at " + mount.at + " is not writable for this user";
                continue;
            }
            if (can_make_children(base)) host.bases.push_back({controller, base});
        }
    }
    if (host.has("memory") && host.has("pids")) host.version = CgroupHost::Version::V1;
}

// v2: controllers must be enabled in the parent's subtree_control, which only works in a cgroup
// without processes of its own. Root takes /atoll; an ordinary user takes what systemd delegated.
void detect_v2(CgroupHost& host, const std::vector<Mount>& mounts) {
    const auto mount = std::find_if(mounts.begin(), mounts.end(),
                                    [](const Mount& m) { return m.type == "cgroup2"; });
    if (mount == mounts.end()) return;
    const auto offered = read_small_file(mount->at + "/cgroup.controllers").value_or("");
    if (offered.find("memory") == std::string::npos) {
        if (host.why_not.empty()) host.why_not = "cgroup v2 is mounted without controllers";
        return;
    }
    std::string parent = mount->at;
    if (::geteuid() != 0) {
        // Our own cgroup holds this process, so the children go beside it, in its parent.
        const auto own = own_cgroup("");
        const auto cut = own.rfind('/');
        parent += own.substr(0, cut == std::string::npos ? 0 : cut);
    }
    const std::string base = parent + "/atoll";
    if (::mkdir(base.c_str(), 0755) != 0 && errno != EEXIST) {
        host.why_not = "cgroup v2 at " + parent + " is not delegated to this user";
        return;
    }
    for (const char* controller : {"memory", "pids", "cpu"}) {
        const std::string enable = std::string("+") + controller;
        (void)write_small_file(parent + "/cgroup.subtree_control", enable);
        if (write_small_file(base + "/cgroup.subtree_control", enable)) {
            host.bases.push_back({controller, base});
        }
    }
    if (host.has("memory") && host.has("pids")) {
        host.version = CgroupHost::Version::V2;
    } else {
        host.why_not = "cgroup v2 at " + base + ": memory and pids could not be enabled";
    }
}

}  // namespace

bool CgroupHost::has(std::string_view controller) const {
    return std::any_of(bases.begin(), bases.end(),
                       [&](const Base& base) { return base.controller == controller; });
}

CgroupHost CgroupHost::detect() {
    CgroupHost host;
    const auto mounts = cgroup_mounts();
    if (mounts.empty()) host.why_not = "no cgroup file system is mounted";
    detect_v1(host, mounts);
    if (host.version == Version::V1) return host;
    host.bases.clear();
    detect_v2(host, mounts);
    if (host.version == Version::None) host.bases.clear();
    return host;
}

std::uint64_t memory_limit_above(const CgroupHost& host) {
    std::vector<std::string> paths;
    for (const auto& base : host.bases) {
        if (base.controller == "memory") paths.push_back(base.path);
    }
    // Without cgroups of their own they are in ours.
    for (const auto& mount : paths.empty() ? cgroup_mounts() : std::vector<Mount>()) {
        if (mount.type == "cgroup2") paths.push_back(mount.at + own_cgroup(""));
        if (has_option(mount.options, "memory")) paths.push_back(mount.at + own_cgroup("memory"));
    }
    constexpr auto kNone = std::numeric_limits<std::uint64_t>::max();
    auto lowest = kNone;
    for (auto path : paths) {
        // Up to the mount and beyond it, where no such files are. "max" is no number.
        for (; path.size() > 1; path.resize(path.rfind('/'))) {
            lowest = std::min({lowest, number_in(path + "/memory.max", kNone),
                               number_in(path + "/memory.limit_in_bytes", kNone)});
        }
    }
    return lowest;
}

Result<Cgroup> Cgroup::create(const CgroupHost& host, const std::string& name) {
    Cgroup made;
    if (host.version == CgroupHost::Version::None) return made;
    made.host_ = &host;
    made.name_ = name;
    made.held_ = host.held;
    made.held_->insert(name);
    std::vector<std::string> done;
    for (const auto& base : host.bases) {
        const std::string path = base.path + "/" + name;
        if (std::find(done.begin(), done.end(), path) != done.end()) continue;  // v2: one for all
        if (::mkdir(path.c_str(), 0755) == 0) {
            done.push_back(path);
            continue;
        }
        const int cause = errno;
        for (const auto& undo : done) ::rmdir(undo.c_str());
        return Error{cause == EEXIST ? Code::Conflict : Code::Unavailable,
                     "make the cgroup " + path + ": " + std::strerror(cause)};
    }
    return made;
}

void Cgroup::let_go() noexcept {
    if (held_) held_->erase(name_);
    held_.reset();
    host_ = nullptr;
    cpu_file_.reset();
}

std::string Cgroup::path_of(std::string_view controller) const {
    for (const auto& base : host_->bases) {
        if (base.controller == controller) return base.path + "/" + name_;
    }
    return {};
}

Result<void> Cgroup::set_limits(const CgroupLimits& limits) {
    if (!present()) return {};
    const bool v1 = host_->version == CgroupHost::Version::V1;
    const std::string memory = path_of("memory");
    const std::string bytes = std::to_string(limits.memory_bytes_max);
    if (v1) {
        // memory+swap may never be below memory, so the order depends on the direction: widen the
        // sum first, then set memory, then pull the sum down to it. A kernel without swap
        // accounting has no such file.
        const std::string sum = memory + "/memory.memsw.limit_in_bytes";
        const bool has_sum = ::access(sum.c_str(), F_OK) == 0;
        if (has_sum) (void)write_small_file(sum, "-1");
        if (auto set = write_small_file(memory + "/memory.limit_in_bytes", bytes); !set) return set;
        if (has_sum) (void)write_small_file(sum, bytes);
        (void)write_small_file(memory + "/memory.swappiness", "0");
        // Version 1 counts buffers of TCP apart, and without a limit.
        (void)write_small_file(memory + "/memory.kmem.tcp.limit_in_bytes",
                               std::to_string(limits.memory_bytes_max / kTcpPart));
    } else {
        if (auto set = write_small_file(memory + "/memory.max", bytes); !set) return set;
        (void)write_small_file(memory + "/memory.swap.max", "0");
    }
    if (auto set =
            write_small_file(path_of("pids") + "/pids.max", std::to_string(limits.processes_max));
        !set) {
        return set;
    }
    if (const std::string cpu = path_of("cpu"); !cpu.empty()) {
        const auto quota =
            static_cast<std::uint64_t>(limits.cpus_max * static_cast<double>(kCpuPeriodUs));
        if (v1) {
            return write_small_file(cpu + "/cpu.cfs_quota_us",
                                    quota == 0 ? "-1" : std::to_string(quota));
        }
        return write_small_file(cpu + "/cpu.max", (quota == 0 ? "max" : std::to_string(quota)) +
                                                      " " + std::to_string(kCpuPeriodUs));
    }
    return {};
}

Result<void> Cgroup::add(pid_t pid) {
    if (!present()) return {};
    std::string last;
    for (const auto& base : host_->bases) {
        const std::string path = base.path + "/" + name_ + "/cgroup.procs";
        if (path == last) continue;
        last = path;
        if (auto added = write_small_file(path, std::to_string(pid)); !added) return added;
    }
    return {};
}

Result<std::vector<UniqueFd>> Cgroup::doors() const {
    std::vector<UniqueFd> opened;
    if (!present()) return opened;
    const char* file = host_->version == CgroupHost::Version::V1 ? "/tasks" : "/cgroup.procs";
    std::string last;
    for (const auto& base : host_->bases) {
        const std::string path = base.path + "/" + name_ + file;
        if (path == last) continue;
        last = path;
        opened.emplace_back(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
        if (opened.back().get() < 0) return errno_error("open " + path);
    }
    return opened;
}

CgroupUse Cgroup::use() const {
    CgroupUse use;
    if (!present()) return use;
    const std::string memory = path_of("memory");
    use.processes = number_in(path_of("pids") + "/pids.current");
    if (host_->version == CgroupHost::Version::V1) {
        use.memory_bytes = number_in(memory + "/memory.usage_in_bytes");
    } else {
        use.memory_bytes = number_in(memory + "/memory.current");
    }
    use.memory_peak_bytes = std::max(memory_peak_bytes(), use.memory_bytes);
    use.oom_kills = oom_kills();
    use.cpu_us = cpu_us();
    return use;
}

std::uint64_t Cgroup::memory_peak_bytes() const {
    if (!present()) return 0;
    if (host_->version == CgroupHost::Version::V1) {
        return number_in(path_of("memory") + "/memory.max_usage_in_bytes");
    }
    // Linux 5.19 has a peak; before it, what is used now has to do.
    const auto peak = number_in(path_of("memory") + "/memory.peak");
    return peak != 0 ? peak : number_in(path_of("memory") + "/memory.current");
}

std::uint64_t Cgroup::oom_kills() const {
    if (!present()) return 0;
    const bool v1 = host_->version == CgroupHost::Version::V1;
    return field_in(path_of("memory") + (v1 ? "/memory.oom_control" : "/memory.events"),
                    "oom_kill");
}

std::uint64_t Cgroup::cpu_us() const {
    if (!present()) return 0;
    const bool v1 = host_->version == CgroupHost::Version::V1;
    UniqueFd opened;
    if (cpu_file_.get() < 0) {
        const std::string path =
            v1 ? path_of("cpuacct") + "/cpuacct.usage" : path_of("cpu") + "/cpu.stat";
        opened = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
        if (opened.get() < 0) return 0;
        // Where few files may be open, none is spent on this.
        constexpr auto kAll = std::numeric_limits<std::uint64_t>::max();
        const auto number = static_cast<std::uint64_t>(opened.get());
        if (number < open_files_for_programs(kAll)) cpu_file_ = std::move(opened);
    }
    char buffer[kFieldsBytesMax];
    const auto text = read_figure(opened.get() >= 0 ? opened.get() : cpu_file_.get(), buffer);
    return v1 ? number_of(text) / 1000 : field_of(text, "usage_usec");
}

Result<void> Cgroup::freeze(bool frozen) {
    if (!present()) return Error{Code::Unavailable, "this host gives us no cgroup to freeze"};
    if (host_->version == CgroupHost::Version::V1) {
        const std::string freezer = path_of("freezer");
        if (freezer.empty()) return Error{Code::Unavailable, "the freezer controller is missing"};
        return write_small_file(freezer + "/freezer.state", frozen ? "FROZEN" : "THAWED");
    }
    return write_small_file(path_of("memory") + "/cgroup.freeze", frozen ? "1" : "0");
}

void Cgroup::set_weight(Weight weight) {
    if (!present() || path_of("cpu").empty()) return;
    // Around the default of each version. A host that refuses only loses fairness.
    const bool v1 = host_->version == CgroupHost::Version::V1;
    const char* number = v1 ? "1024" : "100";
    if (weight == Weight::Background) number = v1 ? "64" : "6";
    if (weight == Weight::Starting) number = v1 ? "32768" : "3200";
    (void)write_small_file(path_of("cpu") + (v1 ? "/cpu.shares" : "/cpu.weight"), number);
}

std::vector<pid_t> Cgroup::processes() const {
    std::vector<pid_t> found;
    if (!present()) return found;
    std::ifstream lines(path_of("pids") + "/cgroup.procs");
    pid_t pid = 0;
    while (lines >> pid) found.push_back(pid);
    return found;
}

void Cgroup::kill_all() const {
    if (!present()) return;
    if (host_->version == CgroupHost::Version::V2 &&
        write_small_file(path_of("memory") + "/cgroup.kill", "1")) {
        return;
    }
    // A frozen process does not die before it is thawed (v1).
    if (const auto freezer = path_of("freezer"); !freezer.empty()) {
        (void)write_small_file(freezer + "/freezer.state", "THAWED");
    }
    // The pid namespace's init is among them and takes the rest along, so a pid that was reused
    // between the read and the kill is the only danger, and PID 1 holds its number until we reap.
    for (const pid_t pid : processes()) ::kill(pid, SIGKILL);
}

bool Cgroup::remove() {
    if (!present()) return true;
    bool gone = true;
    for (const auto& base : host_->bases) {
        const std::string path = base.path + "/" + name_;
        if (::rmdir(path.c_str()) != 0 && errno != ENOENT) gone = false;
    }
    if (gone) let_go();
    return gone;
}

namespace {

// Whether SIGKILL waits for a process. In a frozen cgroup (v1) it waits for ever.
bool condemned(const std::string& pid) {
    std::ifstream status("/proc/" + pid + "/status");
    std::string name, mask;
    while (status >> name) {
        if (name == "SigPnd:" || name == "ShdPnd:") {
            status >> mask;
            const auto pending = std::strtoull(mask.c_str(), nullptr, 16);
            if ((pending >> (SIGKILL - 1) & 1) != 0) return true;
        }
        status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return false;
}

// A server that is killed while sessions are frozen leaves them so, SIGKILL of their dead parent
// pending. Nobody who is alive has both frozen and killed: that is a moment in Cgroup::kill_all,
// which thaws.
void thaw_condemned(const std::string& path) {
    std::ifstream state(path + "/freezer.state");
    std::string text;
    if (!(state >> text) || text == "THAWED") return;
    std::ifstream members(path + "/cgroup.procs");
    std::string pid;
    while (members >> pid) {
        if (!condemned(pid)) continue;
        (void)write_small_file(path + "/freezer.state", "THAWED");
        return;
    }
}

}  // namespace

void sweep_cgroups(const CgroupHost& host, const std::string& prefix) {
    constexpr std::time_t kYoung = 20;
    const std::time_t now = std::time(nullptr);
    for (const auto& base : host.bases) {
        DIR* directory = ::opendir(base.path.c_str());
        if (directory == nullptr) continue;
        while (const dirent* entry = ::readdir(directory)) {
            const std::string_view name = entry->d_name;
            if (name.rfind(prefix, 0) != 0 || host.held->find(name) != host.held->end()) continue;
            const std::string path = base.path + "/" + entry->d_name;
            struct stat info {};
            thaw_condemned(path);
            if (::stat(path.c_str(), &info) != 0 || now - info.st_ctime < kYoung) continue;
            ::rmdir(path.c_str());  // fails, as it should, while a process is in it
        }
        ::closedir(directory);
    }
}

}  // namespace atl::sys

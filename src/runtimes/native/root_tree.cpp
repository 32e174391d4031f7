#include "runtimes/native/root_tree.hpp"

#include "sys/files.hpp"

#include <filesystem>
#include <set>

namespace atl::native {

namespace fs = std::filesystem;

namespace {

// Names for the ids that exist inside. The guest is root there; untrusted code is `user`, and may
// see itself as root (guest/lib/root_namespace.hpp).
constexpr const char* kPasswd =
    "root:x:0:0:root:/root:/bin/bash\n"
    "user:x:1000:1000:user:/home/user:/bin/bash\n"
    "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n";
constexpr const char* kGroup = "root:x:0:\ntty:x:5:\nuser:x:1000:\nnogroup:x:65534:\n";
constexpr const char* kHosts = "127.0.0.1 localhost atoll\n::1 localhost\n";
constexpr const char* kNsswitch = "passwd: files\ngroup: files\nhosts: files dns\n";

// What of the host's /etc programs need and may see. Never the whole of it: it holds secrets.
constexpr const char* kEtc[] = {
    "/etc/alternatives", "/etc/fonts",      "/etc/ld.so.cache", "/etc/localtime",
    "/etc/ssl/certs",    "/etc/mime.types", "/etc/protocols",   "/etc/services",
};

constexpr const char* kDevices[] = {"null", "zero", "full", "random", "urandom", "tty"};

class Planner {
public:
    explicit Planner(Plan& plan) : plan_(plan) {}

    void folder(const std::string& path, unsigned mode = 0755) {
        if (path.empty() || path == "/" || !made_.insert(path).second) return;
        folder(fs::path(path).parent_path().string());
        plan_.entries.push_back({Entry::Kind::Folder, path, "", mode});
    }
    void file(const std::string& path, const std::string& content, unsigned mode = 0644) {
        folder(fs::path(path).parent_path().string());
        plan_.entries.push_back({Entry::Kind::File, path, content, mode});
    }
    void link(const std::string& path, const std::string& target) {
        folder(fs::path(path).parent_path().string());
        plan_.entries.push_back({Entry::Kind::Link, path, target, 0});
    }
    // Read-only, with a place to mount on of the same kind as the source.
    void tree(const std::string& source, const std::string& target, bool optional = false) {
        std::error_code failed;
        const bool is_folder = fs::is_directory(source, failed);
        if (optional && !fs::exists(source, failed)) return;
        if (is_folder)
            folder(target);
        else
            file(target, "");
        plan_.trees.push_back(
            {fs::canonical(source, failed).string(), target, false, false, optional, -1});
    }
    void device(const std::string& name) {
        file("/dev/" + name, "", 0666);
        plan_.trees.push_back({"/dev/" + name, "/dev/" + name, true, true, false, -1});
    }

private:
    Plan& plan_;
    std::set<std::string> made_;
};

}  // namespace

void plan_root(Plan& plan, const Paths& paths, const Template& from) {
    Planner root(plan);
    root.tree("/usr", "/usr");
    for (const char* name : {"bin", "sbin", "lib", "lib32", "lib64"}) {
        const std::string path = std::string("/") + name;
        std::error_code failed;
        if (fs::is_symlink(path, failed)) {
            root.link(path, fs::read_symlink(path, failed).string());
        } else if (fs::is_directory(path, failed)) {
            root.tree(path, path);  // a host whose /bin is not yet merged into /usr
        }
    }
    for (const char* path : kEtc) root.tree(path, path, true);
    root.file("/etc/passwd", kPasswd);
    root.file("/etc/group", kGroup);
    root.file("/etc/hosts", kHosts);
    root.file("/etc/nsswitch.conf", kNsswitch);
    root.file("/etc/resolv.conf", "");
    for (const char* name : kDevices) root.device(name);
    root.link("/dev/ptmx", "pts/ptmx");
    root.link("/dev/fd", "/proc/self/fd");
    root.link("/dev/stdin", "/proc/self/fd/0");
    root.link("/dev/stdout", "/proc/self/fd/1");
    root.link("/dev/stderr", "/proc/self/fd/2");
    for (const char* path : {"/dev/pts", "/dev/shm", "/proc", "/session", "/data", "/work", "/tmp",
                             "/var/tmp", "/home/user", "/run", "/mnt", "/root", "/opt/atoll"}) {
        root.folder(path);
    }
    // No sysfs inside: it describes the host. What numeric libraries and runtimes ask it for is
    // there, and each sandbox shows its own limits in it (guest/lib/limits_view.hpp).
    root.folder("/sys/fs/cgroup");
    for (const char* name : {"online", "possible", "present"}) {
        const std::string path = std::string("/sys/devices/system/cpu/") + name;
        root.file(path, sys::read_small_file(path).value_or("0\n"));
    }
    root.tree(paths.guest, kGuestInside);
    root.tree(from.folder + "/env", kEnvironmentInside);
    root.tree(from.folder + "/cache", std::string(kTemplateInside) + "/cache");
    root.tree(from.folder + "/etc", std::string(kTemplateInside) + "/etc");
    for (const auto& tree : from.trees) root.tree(tree.source, tree.target);
}

std::map<std::string, std::string> base_environment(const Template& from) {
    std::map<std::string, std::string> environment{
        // First what a session installed for itself with pip.
        {"PATH", std::string("/home/user/.local/bin:") + kEnvironmentInside +
                     "/bin:" + kGuestInside + "/typescript:" + kGuestInside +
                     "/bin:/usr/local/bin:/usr/bin:/bin"},
        {"HOME", "/home/user"},
        {"USER", "user"},
        {"LOGNAME", "user"},
        {"SHELL", "/bin/bash"},
        {"LANG", "C.UTF-8"},
        {"TMPDIR", "/tmp"},
        {"VIRTUAL_ENV", kEnvironmentInside},
        {"MPLBACKEND", "agg"},
        {"PYTHONDONTWRITEBYTECODE", "1"},
    };
    environment["MATPLOTLIBRC"] = std::string(kTemplateInside) + "/etc/matplotlibrc";
    if (!from.font_cache.empty()) {
        environment["ATOLL_FONT_CACHE"] =
            std::string(kTemplateInside) + "/cache/" + from.font_cache;
    }
    for (const auto& [name, value] : from.environment) environment[name] = value;
    return environment;
}

}  // namespace atl::native

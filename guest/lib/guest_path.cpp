#include "guest/lib/guest_path.hpp"

#include "sys/syscalls.hpp"

#include <cerrno>
#include <linux/magic.h>
#include <string_view>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace atl::guest {

namespace {

// What /proc tells a process about itself alone (map_files, fd, task …) it tells us about PID 1,
// and whoever asked would learn what no program of the sandbox may know.
bool is_about_us(int fd) {
    struct statfs system {};
    if (::fstatfs(fd, &system) != 0 || system.f_type != PROC_SUPER_MAGIC) return false;
    char path[64];
    const ssize_t n = ::readlink(name_of_descriptor(fd).c_str(), path, sizeof path);
    const std::string_view shown(path, n > 0 ? static_cast<std::size_t>(n) : 0);
    const std::string own = "/proc/" + std::to_string(::getpid());
    return shown == own || shown.starts_with(own + "/");
}

UniqueFd open_from(int root, const std::string& path, int flags, std::uint64_t resolve) {
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
    how.resolve = RESOLVE_NO_MAGICLINKS | resolve;
    UniqueFd opened(sys::openat2(root, path.c_str(), how));
    if (opened.get() >= 0 && is_about_us(opened.get())) {
        opened = UniqueFd();
        errno = EACCES;
    }
    return opened;
}

// "/a/b/" → "/a/" and "b". A path without a name at its end (the root, "..") is its own folder.
std::pair<std::string, std::string> split(std::string path) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    const auto slash = path.rfind('/');
    const std::size_t at = slash == std::string::npos ? 0 : slash + 1;
    std::string name = path.substr(at);
    if (name.empty() || name == "." || name == "..") return {path.empty() ? "." : path, "."};
    return {at == 0 ? "." : path.substr(0, at), std::move(name)};
}

}  // namespace

UniqueFd open_path(const std::string& path, int flags) {
    return open_from(AT_FDCWD, path, flags, 0);
}

bool look_at_path(const std::string& path, struct stat& info) {
    const UniqueFd at = open_path(path, O_PATH | O_NOFOLLOW);
    return at.get() >= 0 && ::fstat(at.get(), &info) == 0;
}

DirectoryEntry entry_of(const std::string& path) {
    auto [folder, name] = split(path);
    return {open_path(folder, O_PATH | O_DIRECTORY), std::move(name)};
}

DirectoryEntry entry_below(int root, const std::string& path) {
    auto [folder, name] = split(path);
    return {open_from(root, folder, O_PATH | O_DIRECTORY, RESOLVE_BENEATH), std::move(name)};
}

DirectoryEntry entry_with_parents(const std::string& path) {
    DirectoryEntry entry = entry_of(path);
    if (entry.folder.get() >= 0 || errno != ENOENT) return entry;
    const std::string folder = split(path).first;
    UniqueFd here = open_path("/", O_PATH | O_DIRECTORY);
    for (std::size_t at = 0; at < folder.size() && here.get() >= 0;) {
        const std::size_t end = std::min(folder.find('/', at), folder.size());
        const std::string part = folder.substr(at, end - at);
        at = end + 1;
        if (part.empty()) continue;
        UniqueFd next = open_from(here.get(), part, O_PATH | O_DIRECTORY, 0);
        if (next.get() < 0 && errno == ENOENT) {
            if (::mkdirat(here.get(), part.c_str(), 0755) != 0 && errno != EEXIST) {
                return {UniqueFd(), std::move(entry.name)};
            }
            next = open_from(here.get(), part, O_PATH | O_DIRECTORY, 0);
        }
        here = std::move(next);
    }
    entry.folder = std::move(here);
    return entry;
}

int watch_folder(int inotify, int folder, std::uint32_t events) {
    return ::inotify_add_watch(inotify, name_of_descriptor(folder).c_str(), events | IN_ONLYDIR);
}

std::string name_of_descriptor(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

}  // namespace atl::guest

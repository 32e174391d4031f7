#include "guest/lib/file_entry.hpp"

#include "guest/lib/guest_path.hpp"
#include "guest/lib/names.hpp"

#include <algorithm>
#include <climits>
#include <fcntl.h>
#include <string>
#include <sys/xattr.h>
#include <unistd.h>

namespace atl::guest {

const char* type_of(mode_t mode) {
    switch (mode & S_IFMT) {
        case S_IFREG: return "file";
        case S_IFDIR: return "directory";
        case S_IFLNK: return "symlink";
        case S_IFIFO: return "fifo";
        case S_IFSOCK: return "socket";
        default: return "device";
    }
}

std::int64_t mtime_ns(const struct stat& info) {
    return info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec;
}

boost::json::object describe(std::string_view name, const struct stat& info) {
    boost::json::object entry;
    put_name(entry, "name", name);
    entry["type"] = type_of(info.st_mode);
    entry["size"] = info.st_size;
    entry["mode"] = info.st_mode & 07777;
    entry["mtime_ns"] = mtime_ns(info);
    entry["inode"] = info.st_ino;
    entry["uid"] = info.st_uid;
    entry["gid"] = info.st_gid;
    return entry;
}

namespace {

constexpr std::size_t kNameListBytesMax = 16 * 1024;
constexpr std::size_t kValueBytesMax = 4096;

// Where a link leads in the end, as the kernel shows it.
void add_resolved(boost::json::object& entry, int fd) {
    struct stat info {};
    char path[PATH_MAX];
    const ssize_t n = ::readlink(name_of_descriptor(fd).c_str(), path, sizeof path);
    if (n <= 0 || ::fstat(fd, &info) != 0) return;
    put_name(entry, "resolved", {path, static_cast<std::size_t>(n)});
    entry["resolved_type"] = type_of(info.st_mode);
}

void add_attributes(boost::json::object& entry, int fd, const std::string& prefix) {
    // An O_PATH descriptor has no attributes of its own; its name in /proc leads to the file's.
    const std::string file = name_of_descriptor(fd);
    std::string names(kNameListBytesMax, '\0');
    const ssize_t n = ::listxattr(file.c_str(), names.data(), names.size());
    boost::json::object attributes;
    for (std::string_view rest(names.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
         !rest.empty();) {
        const std::string name(rest.substr(0, rest.find('\0')));
        rest.remove_prefix(std::min(rest.size(), name.size() + 1));
        if (!name.starts_with(prefix)) continue;
        char value[kValueBytesMax];
        const ssize_t length = ::getxattr(file.c_str(), name.c_str(), value, sizeof value);
        if (length < 0) continue;
        attributes[printable(name.substr(prefix.size()))] =
            printable({value, static_cast<std::size_t>(length)});
    }
    if (!attributes.empty()) entry["attributes"] = std::move(attributes);
}

}  // namespace

void add_details(boost::json::object& entry, const std::string& path, const struct stat& info,
                 const std::string& attributes) {
    if (!S_ISLNK(info.st_mode) && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return;
    const UniqueFd there = open_path(path, O_PATH);
    if (there.get() < 0) return;  // a link that leads nowhere
    if (S_ISLNK(info.st_mode)) add_resolved(entry, there.get());
    if (!attributes.empty()) add_attributes(entry, there.get(), attributes);
}

}  // namespace atl::guest

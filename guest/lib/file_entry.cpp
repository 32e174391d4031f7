#include "guest/lib/file_entry.hpp"

#include "guest/lib/names.hpp"

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
    return entry;
}

}  // namespace atl::guest

#include "guest/archive/beneath.hpp"

#include "guest/archive/failure.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace atl::archive {

namespace {

// openat2 says of a link that it is one; O_NOFOLLOW with O_DIRECTORY only that it is no directory.
int open_part(int at, const char* part, int flags) {
    const int fd = ::openat(at, part, flags | O_NOFOLLOW | O_CLOEXEC);
    struct stat info {};
    if (fd < 0 && errno == ENOTDIR) {
        const bool known = ::fstatat(at, part, &info, AT_SYMLINK_NOFOLLOW) == 0;
        errno = known && S_ISLNK(info.st_mode) ? ELOOP : ENOTDIR;
    }
    return fd;
}

// Where there is no openat2, as inside a sandbox, whose filter cannot look into its arguments. One
// part at a time, none of them ".." and none followed: the same promise, at one call a part.
int open_by_parts(int root, const std::string& path, int flags) {
    UniqueFd here;
    int at_fd = root;
    std::size_t at = 0;
    for (;;) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        const std::string part = path.substr(at, end - at);
        if (end == path.size()) return open_part(at_fd, part.c_str(), flags);
        const int next = open_part(at_fd, part.c_str(), O_PATH | O_DIRECTORY);
        if (next < 0) return -1;
        here = UniqueFd(next);
        at_fd = next;
        at = end + 1;
    }
}

}  // namespace

Result<UniqueFd> open_root(const std::string& path) {
    const int fd = ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return errno_error("open " + path);
    return UniqueFd(fd);
}

Result<UniqueFd> open_beneath(int root, const std::string& path, int flags) {
    flags |= O_CLOEXEC;
    const std::string& inner = path.empty() ? "." : path;
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags);
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    // Without O_NOFOLLOW, which would turn the clear "it is a link" of a last part into a vague
    // "not a directory".
    int fd = static_cast<int>(::syscall(SYS_openat2, root, inner.c_str(), &how, sizeof how));
    if (fd < 0 && errno == ENOSYS) fd = open_by_parts(root, inner, flags);
    if (fd < 0) return errno_error("open");
    return UniqueFd(fd);
}

}  // namespace atl::archive

#include "stores/folders/hostile.hpp"

#include "sys/syscalls.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

namespace atl::folders {

namespace {

constexpr std::size_t kBufferBytes = 32 * 1024;
constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
constexpr int kFileFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

bool we_are_root() { return ::geteuid() == 0; }

bool kernel_has_openat2() {
    // Asked once with a path that opens everywhere: what a container's filter answers to a call
    // that it does not know (ENOSYS, EPERM) is not told apart from a failure later.
    static const bool kHas = [] {
        open_how how{};
        how.flags = O_PATH | O_CLOEXEC;
        return static_cast<bool>(UniqueFd(sys::openat2(AT_FDCWD, "/", how)));
    }();
    return kHas;
}

int open_inside(int parent, const char* name, int flags) {
    if (!kernel_has_openat2()) return ::openat(parent, name, flags);
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags);
    // Devices are compared as well, but a bind mount may show the very file system it is on.
    how.resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    return sys::openat2(parent, name, how);
}

// Through O_PATH and /proc: chmod by name would follow a link that was just put there.
struct ByNumber {
    explicit ByNumber(int fd) { std::snprintf(text, sizeof text, "/proc/self/fd/%d", fd); }
    char text[32];
};

// Opens what exists and shuts its owner out, after adding `bits` to its mode. 0 or an errno.
int open_shut(int parent, const char* name, int flags, mode_t kind, mode_t bits, Opened& out) {
    const UniqueFd handle(open_inside(parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!handle) return errno;
    if (::fstat(handle.get(), &out.info) != 0) return errno;
    if ((out.info.st_mode & S_IFMT) != kind) return kind == S_IFDIR ? ENOTDIR : EINVAL;
    const ByNumber path(handle.get());
    if (::chmod(path.text, (out.info.st_mode & 07777) | bits) != 0) return errno;
    out.loosened = true;
    out.fd = UniqueFd(::open(path.text, flags & ~O_NOFOLLOW));
    return out.fd ? 0 : errno;
}

bool clear_flags(int fd) {
    int flags = 0;
    if (::ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0) return false;
    if ((flags & (FS_IMMUTABLE_FL | FS_APPEND_FL)) == 0) return false;
    flags &= ~(FS_IMMUTABLE_FL | FS_APPEND_FL);
    return ::ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
}

}  // namespace

int open_folder(int parent, const char* name, Opened& out) {
    out = Opened{};
    out.fd = UniqueFd(open_inside(parent, name, kFolderFlags));
    if (!out.fd) {
        const int cause = errno;
        if (cause != EACCES || we_are_root()) return cause;
        return open_shut(parent, name, kFolderFlags, S_IFDIR, 0700, out);
    }
    if (::fstat(out.fd.get(), &out.info) != 0) return errno;
    // Readable, but perhaps not to be searched.
    if (!we_are_root() && (out.info.st_mode & 0700) != 0700) {
        if (::fchmod(out.fd.get(), (out.info.st_mode & 07777) | 0700) != 0) return errno;
        out.loosened = true;
    }
    return 0;
}

int open_file(int parent, const char* name, Opened& out) {
    out = Opened{};
    out.fd = UniqueFd(open_inside(parent, name, kFileFlags));
    if (!out.fd) {
        const int cause = errno;
        if (cause != EACCES || we_are_root()) return cause;
        const int shut = open_shut(parent, name, kFileFlags, S_IFREG, 0400, out);
        if (shut != 0) return shut;
        // Open it stays open; the session shall find the mode that it chose.
        if (::fchmod(out.fd.get(), out.info.st_mode & 07777) != 0) return errno;
        out.loosened = false;
        return 0;
    }
    if (::fstat(out.fd.get(), &out.info) != 0) return errno;
    return S_ISREG(out.info.st_mode) ? 0 : EINVAL;
}

bool loosen_folder(int folder) {
    bool changed = clear_flags(folder);
    struct stat info {};
    if (::fstat(folder, &info) == 0 && (info.st_mode & 0700) != 0700) {
        changed = ::fchmod(folder, 0700) == 0 || changed;
    }
    return changed;
}

bool loosen_entry(int folder, const char* name) {
    Opened entry;
    if (open_folder(folder, name, entry) == 0) {
        return loosen_folder(entry.fd.get()) || entry.loosened;
    }
    return open_file(folder, name, entry) == 0 && clear_flags(entry.fd.get());
}

int remove_entry(int folder, const char* name, int flags) {
    if (::unlinkat(folder, name, flags) == 0) return 0;
    const int cause = errno;
    if (cause != EACCES && cause != EPERM) return cause;
    const bool loosened = loosen_folder(folder);
    if (!loosen_entry(folder, name) && !loosened) return cause;
    return ::unlinkat(folder, name, flags) == 0 ? 0 : errno;
}

int rename_new(int from, const char* name, int to, const char* new_name) {
    if (::renameat2(from, name, to, new_name, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    // This file system cannot promise it. Ours are folders with folders in them, which a plain
    // rename replaces neither.
    return ::renameat(from, name, to, new_name) == 0 ? 0 : errno;
}

Names::Names(int folder, off_t from)
    : folder_(folder),
      position_(from),
      moved_(true),
      buffer_(new std::uint64_t[kBufferBytes / sizeof(std::uint64_t)]) {}

void Names::rewind() {
    position_ = 0;
    moved_ = true;
    at_ = filled_ = 0;
}

int Names::next(Entry& entry) {
    while (true) {
        if (at_ >= filled_) {
            if (moved_ && ::lseek(folder_, position_, SEEK_SET) < 0) return errno;
            moved_ = false;
            const ssize_t n = ::getdents64(folder_, buffer_.get(), kBufferBytes);
            if (n < 0) return errno;
            entry = Entry{};
            at_ = 0;
            filled_ = static_cast<std::size_t>(n);
            if (n == 0) return 0;
        }
        const auto* record =
            reinterpret_cast<const dirent64*>(reinterpret_cast<const char*>(buffer_.get()) + at_);
        at_ += record->d_reclen;
        position_ = record->d_off;
        if (std::strcmp(record->d_name, ".") == 0 || std::strcmp(record->d_name, "..") == 0) {
            continue;
        }
        entry.name = record->d_name;
        entry.type = record->d_type;
        return 0;
    }
}

}  // namespace atl::folders

// Faults on order, for tests: loaded into a server with LD_PRELOAD, it makes chosen system calls
// fail.
//
// What fails is read from a small file that is mapped by both sides (tests/harness/faults.py writes
// it), so a server is started healthy, is given a fault at run time, and counts back how many calls
// it saw. Only the process that was started with it is affected: LD_PRELOAD is taken out of the
// environment, and a fork or clone of that process has another process id.
//
// Threads   any: the plan is words that are read and counted atomically.
// Never part of the product. Calls that libc makes inside itself (fopen, malloc) are not seen.
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

// The same numbers stand in tests/harness/faults.py.
enum Kind : std::uint32_t {
    kDescriptor = 1,  // anything that answers with a new descriptor
    kWatch = 2,       // epoll_ctl
    kWrite = 4,       // to a regular file
    kSync = 8,
    kName = 16,  // rename, link, unlink, mkdir
    kMap = 32,   // mmap
    kFork = 64,
    kRead = 128,  // of a regular file
};

struct Plan {
    std::atomic<std::uint32_t> kinds;  // 0: nothing fails, nothing is counted
    std::atomic<std::int32_t> cause;   // an errno; 0: count only
    std::atomic<std::uint64_t> first;  // the n-th call that matches, from 1
    std::atomic<std::uint64_t> count;  // how many from there on
    std::atomic<std::uint64_t> seen;
    std::atomic<std::uint64_t> failed;
    char path[464];  // a text in the path of the file, or empty
};
static_assert(sizeof(Plan) == 504);

Plan* plan = nullptr;
pid_t owner = 0;

template <class Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

#define REAL(function) static const auto call = real<decltype(::function)>(#function)

__attribute__((constructor)) void begin() {
    const char* path = std::getenv("ATOLL_FAULTS");
    if (path != nullptr) {
        const int file = ::open(path, O_RDWR | O_CLOEXEC);
        void* mapped =
            file < 0 ? MAP_FAILED
                     : ::mmap(nullptr, sizeof(Plan), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (file >= 0) ::close(file);
        if (mapped == MAP_FAILED) {
            std::fprintf(stderr, "faults: %s cannot be mapped\n", path);
            std::_Exit(125);
        }
        owner = ::getpid();
        plan = static_cast<Plan*>(mapped);
    }
    ::unsetenv("LD_PRELOAD");
    ::unsetenv("ATOLL_FAULTS");
}

bool armed(std::uint32_t kind) {
    return plan != nullptr && (plan->kinds.load(std::memory_order_acquire) & kind) != 0 &&
           ::getpid() == owner;
}

// With the plan's kind known to match.
bool fails_now() {
    const std::uint64_t nth = ++plan->seen;
    const std::uint64_t first = plan->first.load();
    const int cause = plan->cause.load();
    if (cause == 0 || nth < first || nth - first >= plan->count.load()) return false;
    ++plan->failed;
    errno = cause;
    return true;
}

// Where a descriptor leads, by its /proc name.
bool leads_to(int fd, const char* text) {
    char link[64], target[4096];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    static const auto read_link = real<decltype(::readlink)>("readlink");
    const ssize_t n = read_link(link, target, sizeof target - 1);
    if (n <= 0) return false;
    target[n] = '\0';
    return std::strstr(target, text) != nullptr;
}

bool fails(std::uint32_t kind) { return armed(kind) && plan->path[0] == '\0' && fails_now(); }

bool fails_at(std::uint32_t kind, int folder, const char* path) {
    if (!armed(kind)) return false;
    if (plan->path[0] != '\0') {
        const bool here = path != nullptr && std::strstr(path, plan->path) != nullptr;
        const bool below = path != nullptr && path[0] != '/' && folder >= 0;
        if (!here && !(below && leads_to(folder, plan->path))) return false;
    }
    return fails_now();
}

bool fails_with(std::uint32_t kind, int fd) {
    if (!armed(kind)) return false;
    struct stat info {};
    if (::fstat(fd, &info) != 0) return false;
    if (!S_ISREG(info.st_mode) && !(kind == kSync && S_ISDIR(info.st_mode))) return false;
    if (plan->path[0] != '\0' && !leads_to(fd, plan->path)) return false;
    return fails_now();
}

mode_t mode_of(int flags, va_list rest) {
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
}

// As the kernel does at a full table: the bytes come, the descriptors do not.
void drop_descriptors(msghdr* message) {
    for (cmsghdr* one = CMSG_FIRSTHDR(message); one != nullptr; one = CMSG_NXTHDR(message, one)) {
        if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (one->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(one) + i * sizeof(int), sizeof fd);
            ::close(fd);
        }
    }
    message->msg_controllen = 0;
    message->msg_flags |= MSG_CTRUNC;
}

bool has_descriptors(msghdr* message) {
    for (cmsghdr* one = CMSG_FIRSTHDR(message); one != nullptr; one = CMSG_NXTHDR(message, one)) {
        if (one->cmsg_level == SOL_SOCKET && one->cmsg_type == SCM_RIGHTS) return true;
    }
    return false;
}

}  // namespace

extern "C" {

#define OPEN(name)                                            \
    int name(const char* path, int flags, ...) {              \
        REAL(name);                                           \
        va_list rest;                                         \
        va_start(rest, flags);                                \
        const mode_t mode = mode_of(flags, rest);             \
        va_end(rest);                                         \
        if (fails_at(kDescriptor, AT_FDCWD, path)) return -1; \
        return call(path, flags, mode);                       \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                         \
    int name(int folder, const char* path, int flags, ...) { \
        REAL(name);                                          \
        va_list rest;                                        \
        va_start(rest, flags);                               \
        const mode_t mode = mode_of(flags, rest);            \
        va_end(rest);                                        \
        if (fails_at(kDescriptor, folder, path)) return -1;  \
        return call(folder, path, flags, mode);              \
    }
OPENAT(openat)
OPENAT(openat64)

long syscall(long number, ...) noexcept {
    static const auto call = real<long(long, long, long, long, long, long, long)>("syscall");
    va_list rest;
    va_start(rest, number);
    long a[6];
    for (long& one : a) one = va_arg(rest, long);
    va_end(rest);
    switch (number) {
        case SYS_openat2:
            if (fails_at(kDescriptor, static_cast<int>(a[0]),
                         reinterpret_cast<const char*>(a[1]))) {
                return -1;
            }
            break;
        case SYS_pidfd_open:
        case SYS_memfd_create:
            if (fails(kDescriptor)) return -1;
            break;
        case SYS_renameat2:
            if (fails_at(kName, static_cast<int>(a[0]), reinterpret_cast<const char*>(a[1]))) {
                return -1;
            }
            break;
        case SYS_clone:
        case SYS_clone3:
            if (fails(kFork)) return -1;
            break;
        default: break;
    }
    return call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#define DESCRIPTOR(result, name, parameters, arguments) \
    result name parameters {                            \
        REAL(name);                                     \
        if (fails(kDescriptor)) return -1;              \
        return call arguments;                          \
    }
DESCRIPTOR(int, socket, (int domain, int type, int protocol) noexcept, (domain, type, protocol))
DESCRIPTOR(int, accept, (int fd, sockaddr* address, socklen_t* length), (fd, address, length))
DESCRIPTOR(int, accept4, (int fd, sockaddr* address, socklen_t* length, int flags),
           (fd, address, length, flags))
DESCRIPTOR(int, dup, (int fd) noexcept, (fd))
DESCRIPTOR(int, epoll_create1, (int flags) noexcept, (flags))
DESCRIPTOR(int, epoll_create, (int size) noexcept, (size))
DESCRIPTOR(int, eventfd, (unsigned int value, int flags) noexcept, (value, flags))
DESCRIPTOR(int, pipe2, (int* ends, int flags) noexcept, (ends, flags))
DESCRIPTOR(int, socketpair, (int domain, int type, int protocol, int* ends) noexcept,
           (domain, type, protocol, ends))
DESCRIPTOR(int, memfd_create, (const char* name, unsigned int flags) noexcept, (name, flags))

ssize_t recvmsg(int fd, msghdr* message, int flags) {
    REAL(recvmsg);
    const ssize_t n = call(fd, message, flags);
    if (n >= 0 && has_descriptors(message) && fails(kDescriptor)) drop_descriptors(message);
    return n;
}

int epoll_ctl(int epoll, int operation, int fd, epoll_event* event) noexcept {
    REAL(epoll_ctl);
    if (operation == EPOLL_CTL_ADD && fails(kWatch)) return -1;
    return call(epoll, operation, fd, event);
}

#define ON_FILE(kind, result, name, parameters, arguments) \
    result name parameters {                               \
        REAL(name);                                        \
        if (fails_with(kind, fd)) return -1;               \
        return call arguments;                             \
    }
ON_FILE(kWrite, ssize_t, write, (int fd, const void* bytes, size_t n), (fd, bytes, n))
ON_FILE(kWrite, ssize_t, writev, (int fd, const iovec* parts, int n), (fd, parts, n))
ON_FILE(kWrite, ssize_t, pwrite, (int fd, const void* bytes, size_t n, off_t at),
        (fd, bytes, n, at))
ON_FILE(kWrite, ssize_t, pwrite64, (int fd, const void* bytes, size_t n, off64_t at),
        (fd, bytes, n, at))
ON_FILE(kWrite, ssize_t, copy_file_range,
        (int from, off64_t* at, int fd, off64_t* to, size_t n, unsigned int flags),
        (from, at, fd, to, n, flags))
ON_FILE(kWrite, int, ftruncate, (int fd, off_t length) noexcept, (fd, length))
ON_FILE(kWrite, int, ftruncate64, (int fd, off64_t length) noexcept, (fd, length))
ON_FILE(kSync, int, fsync, (int fd), (fd))
ON_FILE(kSync, int, fdatasync, (int fd), (fd))
ON_FILE(kRead, ssize_t, read, (int fd, void* bytes, size_t n), (fd, bytes, n))
ON_FILE(kRead, ssize_t, pread, (int fd, void* bytes, size_t n, off_t at), (fd, bytes, n, at))
ON_FILE(kRead, ssize_t, pread64, (int fd, void* bytes, size_t n, off64_t at), (fd, bytes, n, at))

#define ON_NAME(name, folder, path, parameters, arguments) \
    int name parameters noexcept {                         \
        REAL(name);                                        \
        if (fails_at(kName, folder, path)) return -1;      \
        return call arguments;                             \
    }
ON_NAME(rename, AT_FDCWD, from, (const char* from, const char* to), (from, to))
ON_NAME(renameat, a, from, (int a, const char* from, int b, const char* to), (a, from, b, to))
ON_NAME(renameat2, a, from, (int a, const char* from, int b, const char* to, unsigned int flags),
        (a, from, b, to, flags))
ON_NAME(link, AT_FDCWD, from, (const char* from, const char* to), (from, to))
ON_NAME(linkat, b, to, (int a, const char* from, int b, const char* to, int flags),
        (a, from, b, to, flags))
ON_NAME(unlink, AT_FDCWD, path, (const char* path), (path))
ON_NAME(unlinkat, folder, path, (int folder, const char* path, int flags), (folder, path, flags))
ON_NAME(mkdir, AT_FDCWD, path, (const char* path, mode_t mode), (path, mode))
ON_NAME(mkdirat, folder, path, (int folder, const char* path, mode_t mode), (folder, path, mode))

pid_t fork() noexcept {
    REAL(fork);
    if (fails(kFork)) return -1;
    return call();
}

void* mmap(void* address, size_t length, int protection, int flags, int fd, off_t at) noexcept {
    REAL(mmap);
    if (fails(kMap)) return MAP_FAILED;
    return call(address, length, protection, flags, fd, at);
}

void* mmap64(void* address, size_t length, int protection, int flags, int fd, off64_t at) noexcept {
    REAL(mmap64);
    if (fails(kMap)) return MAP_FAILED;
    return call(address, length, protection, flags, fd, at);
}

}  // extern "C"

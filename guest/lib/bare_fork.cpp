#include "guest/lib/bare_fork.hpp"

#include <csignal>
#include <cstdint>
#include <cstring>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace atl::guest {

namespace {

constexpr std::size_t kLookBytes = 1024;  // of libc's own record of a thread
int* kept_id = nullptr;

int value_at(std::size_t offset) noexcept {
    int value = 0;
    std::memcpy(&value, reinterpret_cast<const char*>(::pthread_self()) + offset, sizeof value);
    return value;
}

}  // namespace

void prepare_bare_fork() noexcept {
    int pipe_ends[2];
    if (::pipe(pipe_ends) != 0) return;
    const int before = static_cast<int>(::syscall(SYS_gettid));
    const pid_t child = ::fork();
    if (child == 0) {
        // libc's fork has just put the new id where it belongs.
        const int now = static_cast<int>(::syscall(SYS_gettid));
        for (std::uint32_t offset = 0; offset < kLookBytes; offset += sizeof(int)) {
            if (value_at(offset) != now) continue;
            [[maybe_unused]] const auto unread = ::write(pipe_ends[1], &offset, sizeof offset);
        }
        ::_exit(0);
    }
    ::close(pipe_ends[1]);
    std::uint32_t offset = 0;
    while (child > 0 && ::read(pipe_ends[0], &offset, sizeof offset) == sizeof offset) {
        if (value_at(offset) == before && kept_id == nullptr) {
            kept_id = reinterpret_cast<int*>(reinterpret_cast<char*>(::pthread_self()) + offset);
        }
    }
    ::close(pipe_ends[0]);
    if (child > 0) ::waitpid(child, nullptr, 0);
}

pid_t bare_fork() noexcept {
    const long flags =
        SIGCHLD | (kept_id != nullptr ? CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID : 0);
#if defined(__x86_64__)
    return static_cast<pid_t>(::syscall(SYS_clone, flags, 0, nullptr, kept_id, 0));
#else
    return static_cast<pid_t>(::syscall(SYS_clone, flags, 0, nullptr, 0, kept_id));
#endif
}

}  // namespace atl::guest

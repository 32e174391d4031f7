#pragma once
// Sole ownership of a kernel file descriptor. Whatever outlives one function (pidfds, cgroup
// directories, sockets) is held by this, so that no early return leaks a way into the host.
#include <unistd.h>
#include <utility>

namespace atl {

// Owns a descriptor; a plain int is a borrowed one, everywhere. Moved from, or made without one, it
// holds -1.
class [[nodiscard]] UniqueFd {
public:
    UniqueFd() = default;
    explicit UniqueFd(int fd) noexcept : fd_(fd) {}
    UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
    UniqueFd& operator=(UniqueFd other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~UniqueFd() {
        // No retry on EINTR: Linux has freed the number already, and a second close could hit a
        // descriptor that another thread was just given.
        if (fd_ >= 0) ::close(fd_);
    }

    [[nodiscard]] int get() const noexcept { return fd_; }
    [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }
    void reset() noexcept { *this = UniqueFd(); }
    explicit operator bool() const noexcept { return fd_ >= 0; }

private:
    int fd_ = -1;
};

}  // namespace atl

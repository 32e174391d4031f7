#pragma once
// write(2) until all of it is written.
#include <cerrno>
#include <string_view>
#include <unistd.h>

namespace atl {

// 0, or the errno of the write that failed.
[[nodiscard]] inline int write_all(int fd, std::string_view bytes) noexcept {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return 0;
}

}  // namespace atl

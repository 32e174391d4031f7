#include "sys/files.hpp"

#include "base/fd.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace atl::sys {

Error errno_error(const std::string& what, Code code) {
    const int cause = errno;  // building the string may change it
    return {code, what + ": " + std::strerror(cause)};
}

std::optional<std::string> read_small_file(const std::string& path) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.get() < 0) return std::nullopt;
    std::string text;
    char piece[4096];
    for (;;) {
        const ssize_t n = ::read(fd.get(), piece, sizeof piece);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return std::nullopt;
        if (n == 0 || text.size() > (1u << 20)) return text;
        text.append(piece, static_cast<std::size_t>(n));
    }
}

Result<void> write_small_file(const std::string& path, std::string_view text) {
    const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (fd.get() < 0) return errno_error("open " + path);
    if (::write(fd.get(), text.data(), text.size()) < 0) {
        return errno_error("write " + std::string(text) + " to " + path);
    }
    return {};
}

}  // namespace atl::sys

#include "main/private_file.hpp"

#include "base/fd.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::main {

namespace {

constexpr std::size_t kPrivateBytesMax = 64u << 10;

Error trouble(const char* what, const std::string& path, int cause) {
    return {Code::Internal, std::string(what) + " " + path + ": " + std::strerror(cause)};
}

}  // namespace

Result<std::string> read_private_file(const std::string& path) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!file) {
        if (errno == ENOENT) return std::string();
        return trouble("open", path, errno);
    }
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) return trouble("look at", path, errno);
    if (!S_ISREG(info.st_mode) || (info.st_mode & 077) != 0 || info.st_uid != ::geteuid()) {
        return Error{Code::Internal, path + " must be a file of this user alone (chmod 600)"};
    }
    std::string text(kPrivateBytesMax + 1, '\0');
    std::size_t size = 0;
    while (size < text.size()) {
        const auto got = ::read(file.get(), text.data() + size, text.size() - size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return trouble("read", path, errno);
        if (got == 0) break;
        size += static_cast<std::size_t>(got);
    }
    if (size > kPrivateBytesMax) return Error{Code::Internal, path + " is larger than 64 KiB"};
    text.resize(size);
    return text;
}

Result<void> write_private_file(const std::string& path, const std::string& text) {
    const std::string made = path + ".new";
    ::unlink(made.c_str());  // of a server that was killed in between
    const UniqueFd file(
        ::open(made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return trouble("make", made, errno);
    const auto failed = [&](const char* what) {
        const int cause = errno;
        ::unlink(made.c_str());
        return trouble(what, made, cause);
    };
    for (std::size_t done = 0; done < text.size();) {
        const auto wrote = ::write(file.get(), text.data() + done, text.size() - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) return failed("write");
        done += static_cast<std::size_t>(wrote);
    }
    if (::fsync(file.get()) != 0) return failed("write");
    if (::rename(made.c_str(), path.c_str()) != 0) return failed("rename");
    return {};
}

}  // namespace atl::main

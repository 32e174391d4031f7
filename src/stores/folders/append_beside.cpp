#include "stores/folders/append_beside.hpp"

#include "base/result.hpp"
#include "base/write_all.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace atl::folders {

namespace {

int append(int fd, const std::string& bytes) {
    const int cause = write_all(fd, bytes);
    if (cause != 0) return cause;
    // The disk begins now, so that nobody has to wait for gigabytes at the end. That it could not
    // be told is no failure: the sync at the end does it all.
    const auto size = static_cast<off_t>(bytes.size());
    const off_t end = ::lseek(fd, 0, SEEK_CUR);
    if (end >= size) ::sync_file_range(fd, end - size, size, SYNC_FILE_RANGE_WRITE);
    return 0;
}

}  // namespace

boost::asio::awaitable<void> append_beside(Workers& workers, int fd, std::string bytes,
                                           const char* what) {
    const auto write = [fd, &bytes] { return append(fd, bytes); };
    const int cause = co_await workers.run(write);
    if (cause == 0) co_return;
    const auto code = cause == ENOSPC || cause == EDQUOT ? Code::DiskFull : Code::Internal;
    throw ErrorException({code, std::string(what) + ": " + std::strerror(cause)});
}

}  // namespace atl::folders

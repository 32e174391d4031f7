#include "stores/sqlite/data_lock.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <set>
#include <sys/stat.h>

namespace atl::sqlite {

namespace {

struct Held {
    std::mutex mutex;
    std::set<std::pair<dev_t, ino_t>> files;
};
Held& held() {
    static Held all;
    return all;
}

Error failed(const std::string& what, const std::string& path, int cause) {
    return {Code::Unavailable, what + " " + path + ": " + std::strerror(cause)};
}

Error taken(const std::string& path, const std::string& by) {
    return {Code::Conflict, "an Atoll server is already running (" + by +
                                ") with this data folder, by the lock " + path +
                                "; use it, stop it, or choose another data folder"};
}

}  // namespace

Result<DataLock> DataLock::take(const std::string& path) {
    auto& mine = held();
    const std::lock_guard guard(mine.mutex);
    struct stat there {};
    // Asked before opening: to close a second descriptor would let go of the lock of the first.
    if (::stat(path.c_str(), &there) == 0 && mine.files.count({there.st_dev, there.st_ino}) != 0) {
        return taken(path, "this process itself");
    }
    UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return failed("open", path, errno);
    struct flock whole {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    if (::fcntl(file.get(), F_SETLK, &whole) != 0) {
        const int cause = errno;
        if (cause != EACCES && cause != EAGAIN) return failed("lock", path, cause);
        struct flock holder = whole;
        const bool known = ::fcntl(file.get(), F_GETLK, &holder) == 0 && holder.l_type != F_UNLCK &&
                           holder.l_pid > 0;
        return taken(path, known ? "process " + std::to_string(holder.l_pid) : "another process");
    }
    if (::fstat(file.get(), &there) != 0) return failed("look at", path, errno);
    mine.files.insert({there.st_dev, there.st_ino});
    return DataLock(std::move(file), there.st_dev, there.st_ino);
}

DataLock::DataLock(DataLock&& other) noexcept
    : file_(std::move(other.file_)), device_(other.device_), inode_(other.inode_) {}

DataLock::~DataLock() {
    if (!file_) return;
    auto& mine = held();
    const std::lock_guard guard(mine.mutex);
    mine.files.erase({device_, inode_});
    file_.reset();
}

}  // namespace atl::sqlite

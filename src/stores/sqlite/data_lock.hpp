#pragma once
// One server per data folder: a lock next to the database that ends with the process that holds it.
//
// It is a POSIX record lock, not flock(), whose lock is shared with every child that was forked
// while it was held: a sandbox that outlived a killed server would keep the next one out. A POSIX
// lock is released by any second open and close in the same process, so this process keeps a list
// of what it holds. The lock file is never removed: that could let two servers in.
#include "base/fd.hpp"
#include "base/result.hpp"

#include <string>
#include <sys/types.h>

namespace atl::sqlite {

class DataLock {
public:
    // Conflict, and which process it is, when another holds it.
    [[nodiscard]] static Result<DataLock> take(const std::string& path);
    DataLock(DataLock&& other) noexcept;
    DataLock& operator=(DataLock&&) = delete;
    ~DataLock();

private:
    DataLock(UniqueFd file, dev_t device, ino_t inode)
        : file_(std::move(file)), device_(device), inode_(inode) {}
    UniqueFd file_;
    dev_t device_;
    ino_t inode_;
};

}  // namespace atl::sqlite

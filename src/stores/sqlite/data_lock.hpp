#pragma once
// One server a data folder: a lock beside the database that ends with the process that holds it.
//
// It is a POSIX record lock, and not flock(), because flock's lock is shared with every child that
// was forked meanwhile: a sandbox that outlived a killed server would keep the next one out. The
// other side of POSIX locks, that a second open and close in the same process lets go of them, is
// met by a list of what this process holds. The lock file is never removed: whoever removed it
// could let two in.
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

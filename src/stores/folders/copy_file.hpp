#pragma once
// The bytes of one file into another: shared where the file system can (reflink), else copied by
// the kernel, else by us. Holes stay holes.
//
// The source may change during the copy: no more than its size at the beginning is read. Owns both
// descriptors. One thread.
#include "base/fd.hpp"
#include "base/result.hpp"
#include "stores/folders/slice.hpp"

#include <cstdint>
#include <optional>
#include <sys/stat.h>
#include <vector>

namespace atl::folders {

struct CopyLimits {
    std::uint64_t bytes_max = 16ull << 30;  // data, without holes
    std::uint64_t files_max = 1'000'000;    // folders and links as well
};

// What one copy of a session knows across its files.
struct CopyProgress {
    CopyLimits left;
    // Until the file system has said no, the cheaper way is tried.
    bool can_clone = true;
    bool kernel_copies = true;
};

class CopyFile {
public:
    CopyFile(UniqueFd from, UniqueFd to, const struct stat& info, CopyProgress& progress);
    // Nothing while there is more to do.
    [[nodiscard]] std::optional<Result<void>> step(const Slice& slice);
    [[nodiscard]] int target() const { return to_.get(); }
    [[nodiscard]] const struct stat& info() const { return info_; }

private:
    [[nodiscard]] Result<bool> clone();
    [[nodiscard]] Result<bool> find_data();
    [[nodiscard]] Result<void> copy_piece();
    [[nodiscard]] Result<std::size_t> copy_by_hand(std::size_t bytes);
    [[nodiscard]] Result<void> charge(std::uint64_t bytes);

    UniqueFd from_, to_;
    struct stat info_;
    CopyProgress& progress_;
    bool tried_clone_ = false;
    off_t at_ = 0;
    off_t data_end_ = 0;  // of the stretch without holes that at_ is in
    std::vector<char> buffer_;
};

}  // namespace atl::folders

#pragma once
// What a hostile tree takes on the disk: blocks, each inode once. Folders count as files do, for
// they cost as much.
//
// Bounded in entries, in time of its own and in memory; what is left out makes it incomplete, and
// then the numbers are at least. Owns the walk. One thread.
#include "base/result.hpp"
#include "core/folders.hpp"
#include "stores/folders/slice.hpp"
#include "stores/folders/walk.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <unordered_set>

namespace atl::folders {

struct MeasureLimits {
    std::uint64_t entries_max = 1'000'000;
    std::chrono::milliseconds time_max{5000};  // of work; waiting does not count
};

class MeasureTree {
public:
    MeasureTree(TreeWalk walk, MeasureLimits limits);
    // Nothing while there is more to do.
    [[nodiscard]] std::optional<Result<core::FolderUse>> step(const Slice& slice);

private:
    [[nodiscard]] std::optional<Result<core::FolderUse>> go_on(const Slice& slice);
    void count(const struct stat& info);
    [[nodiscard]] Result<core::FolderUse> give_up();

    TreeWalk walk_;
    MeasureLimits limits_;
    std::uint64_t entries_ = 0;
    Slice::Clock::duration worked_{};
    std::unordered_set<ino_t> linked_;  // inodes with several names, seen already
    core::FolderUse use_;
};

}  // namespace atl::folders

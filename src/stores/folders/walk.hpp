#pragma once
// A walk through a hostile tree that stays as it is: for measuring and copying.
//
//     levels   0   1   2   3  ...  n-8  n-7  ...  n      memory: 40 bytes a level
//     open     x   -   -   -  ...   -    x   ...  x      at most 9 descriptors, whatever the depth
//
// Folders above the window are closed, and opened again through ".." of the one below on the way
// back. What ".." leads to must be the folder that we came from (device and inode): if a
// program moves folders during the walk, it fails with Conflict and leads nowhere else.
//
// Owns its descriptors. One thread. A folder that had to be chmodded gets its mode back when the
// walk leaves it, also when the walk is given up.
#include "base/fd.hpp"
#include "base/result.hpp"
#include "stores/folders/hostile.hpp"

#include <cstdint>
#include <memory>
#include <sys/stat.h>
#include <vector>

namespace atl::folders {

inline constexpr std::size_t kWindow = 8;          // open levels below the top
inline constexpr std::size_t kDepthMax = 200'000;  // 4 KiB each on most disks

class TreeWalk {
public:
    explicit TreeWalk(Opened top);
    TreeWalk(TreeWalk&&) = default;
    TreeWalk& operator=(TreeWalk&&) = delete;
    ~TreeWalk();

    // The folder where the walk stands, and its mode before anybody loosened it.
    [[nodiscard]] int folder() const { return levels_.back().fd.get(); }
    [[nodiscard]] mode_t mode() const { return levels_.back().mode; }
    [[nodiscard]] bool at_top() const { return levels_.size() == 1; }
    [[nodiscard]] const struct stat& top() const { return top_; }

    // The next name here; a null name at the end.
    [[nodiscard]] Result<Names::Entry> next();
    // False when the name leads to no folder (any more), or to another mount: go on.
    [[nodiscard]] Result<bool> enter(const char* name);
    // Back up; not from the top.
    [[nodiscard]] Result<void> leave();

private:
    struct Level {
        ino_t inode = 0;
        mode_t mode = 0;
        bool loosened = false;
        UniqueFd fd;
        std::unique_ptr<Names> names;  // none yet, or closed: then it goes on at `position`
        off_t position = 0;
    };

    [[nodiscard]] Result<void> open_parent();
    void put_mode_back(const Level& level) noexcept;

    struct stat top_ {};
    std::vector<Level> levels_;
    std::size_t loosened_ = 0;  // levels that want their mode back
};

}  // namespace atl::folders

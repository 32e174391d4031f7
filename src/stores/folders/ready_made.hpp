#pragma once
// Session folders made ahead of time: to create a session is to rename one of them.
//
// They lie in `<root>/.making/` under names of ours until then. To make ten folders with owners and
// modes costs a fraction of a millisecond on a quiet disk, and several on ext4 after many files
// were removed: it passes over inodes that were deleted seconds ago. A rename needs no inode.
//
// They are built in `.making/bench/`: to make a folder locks the one that it is made in, and
// whoever renames one out of `.making` shall not wait for that.
//
// Borrows the folder that they lie in. Any thread.
#include "base/fd.hpp"
#include "base/result.hpp"
#include "stores/folders/ids.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace atl::folders {

class ReadyMade {
public:
    // Owner: whose they become; nobody's but ours when there is none.
    ReadyMade(int making, std::optional<Ids> owner, std::size_t ready_max);

    // The name of one that is ready, if there is any.
    [[nodiscard]] std::optional<std::string> take();
    // Of one that is made now.
    [[nodiscard]] Result<std::string> make();
    void give_back(std::string name);
    // True when so few are left that somebody should begin to add, and has not yet; then add()
    // until there are enough, and filled().
    [[nodiscard]] bool wants_more();
    // Makes one more. False when there are enough.
    [[nodiscard]] Result<bool> add();
    void filled();

private:
    [[nodiscard]] Result<void> make_inside(int folder);

    const int making_;
    UniqueFd bench_;  // or none: they are built where they lie
    const std::optional<Ids> owner_;
    const std::size_t ready_max_;
    std::atomic<std::uint64_t> number_{0};

    std::mutex mutex_;
    std::deque<std::string> ready_;
    bool filling_ = false;
};

}  // namespace atl::folders

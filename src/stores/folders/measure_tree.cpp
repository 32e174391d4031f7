#include "stores/folders/measure_tree.hpp"

#include "stores/folders/hostile.hpp"
#include "stores/folders/names.hpp"

#include <cerrno>
#include <fcntl.h>

namespace atl::folders {

namespace {

constexpr std::size_t kLinkedMax = 200'000;  // about 8 MB

}  // namespace

MeasureTree::MeasureTree(TreeWalk walk, MeasureLimits limits)
    : walk_(std::move(walk)), limits_(limits) {
    count(walk_.top());
}

void MeasureTree::count(const struct stat& info) {
    if (!S_ISDIR(info.st_mode) && info.st_nlink > 1) {
        if (linked_.contains(info.st_ino)) return;
        if (linked_.size() >= kLinkedMax) {
            use_.complete = false;
            return;
        }
        linked_.insert(info.st_ino);
    }
    use_.bytes += bytes_on_disk(info);
    ++use_.files;
}

Result<core::FolderUse> MeasureTree::give_up() {
    use_.complete = false;
    return use_;
}

std::optional<Result<core::FolderUse>> MeasureTree::step(const Slice& slice) {
    const auto began = Slice::Clock::now();
    auto done = go_on(slice);
    worked_ += Slice::Clock::now() - began;
    if (!done && worked_ >= limits_.time_max) return give_up();
    return done;
}

std::optional<Result<core::FolderUse>> MeasureTree::go_on(const Slice& slice) {
    while (!slice.over()) {
        const auto entry = walk_.next();
        if (!entry) return Result<core::FolderUse>(entry.error());
        if (entry->name == nullptr) {
            if (walk_.at_top()) return Result<core::FolderUse>(use_);
            // Moved about while we read: what was counted is there, and that is all one can say.
            if (!walk_.leave()) return give_up();
            continue;
        }
        if (++entries_ > limits_.entries_max) return give_up();
        struct stat info {};
        if (::fstatat(walk_.folder(), entry->name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
            if (errno == ENOENT) continue;
            return Result<core::FolderUse>(failure("look at " + printable(entry->name), errno));
        }
        if (info.st_dev != walk_.top().st_dev) continue;
        if (!S_ISDIR(info.st_mode)) {
            count(info);
            continue;
        }
        const auto entered = walk_.enter(entry->name);
        if (!entered && entered.error().code == Code::Exhausted) return give_up();
        if (!entered) return Result<core::FolderUse>(entered.error());
        if (*entered) count(info);
    }
    return std::nullopt;
}

}  // namespace atl::folders

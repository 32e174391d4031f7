#include "stores/folders/walk.hpp"

#include "stores/folders/names.hpp"

#include <cerrno>

namespace atl::folders {

TreeWalk::TreeWalk(Opened top) : top_(top.info) {
    Level first;
    first.inode = top.info.st_ino;
    first.mode = top.info.st_mode & 07777;
    first.loosened = top.loosened;
    first.fd = std::move(top.fd);
    loosened_ += first.loosened ? 1 : 0;
    levels_.push_back(std::move(first));
}

TreeWalk::~TreeWalk() {
    while (loosened_ > 0 && levels_.size() > 1) {
        if (!leave()) return;
    }
    if (loosened_ > 0 && !levels_.empty()) put_mode_back(levels_.front());
}

void TreeWalk::put_mode_back(const Level& level) noexcept {
    if (!level.loosened) return;
    --loosened_;
    // It may be gone; then nobody misses its mode.
    [[maybe_unused]] const int unchecked = ::fchmod(level.fd.get(), level.mode);
}

Result<Names::Entry> TreeWalk::next() {
    Level& here = levels_.back();
    if (!here.names) here.names = std::make_unique<Names>(here.fd.get(), here.position);
    Names::Entry entry;
    const int cause = here.names->next(entry);
    if (cause == ENOENT) return Names::Entry{};  // removed under our feet
    if (cause != 0) return failure("read a folder of the session", cause);
    return entry;
}

Result<bool> TreeWalk::enter(const char* name) {
    if (levels_.size() >= kDepthMax) {
        return Error{Code::Exhausted, "the folders of the session are more than " +
                                          std::to_string(kDepthMax) + " deep"};
    }
    Opened opened;
    const int cause = open_folder(folder(), name, opened);
    if (cause == ENOENT || cause == ENOTDIR || cause == ELOOP || cause == EXDEV) return false;
    if (cause != 0) return failure("open the folder " + printable(name), cause);
    if (opened.info.st_dev != top_.st_dev) return false;
    Level level;
    level.inode = opened.info.st_ino;
    level.mode = opened.info.st_mode & 07777;
    level.loosened = opened.loosened;
    level.fd = std::move(opened.fd);
    loosened_ += level.loosened ? 1 : 0;
    levels_.push_back(std::move(level));
    if (levels_.size() > kWindow + 1) {
        Level& far = levels_[levels_.size() - 1 - kWindow];
        // One that was left and entered again without a look in between keeps the old position.
        if (far.names) far.position = far.names->position();
        far.names.reset();
        far.fd.reset();
    }
    return true;
}

Result<void> TreeWalk::open_parent() {
    Level& parent = levels_[levels_.size() - 2];
    if (parent.fd) return {};
    Opened opened;
    const int cause = open_folder(folder(), "..", opened);
    if (cause != 0) return failure("go back up in the folders of the session", cause);
    if (opened.info.st_dev != top_.st_dev || opened.info.st_ino != parent.inode) {
        return Error{Code::Conflict, "folders of the session were moved while it was being read"};
    }
    parent.fd = std::move(opened.fd);
    return {};
}

Result<void> TreeWalk::leave() {
    // First the way up: ".." of a folder that shuts us out again could not be opened.
    auto opened = open_parent();
    if (!opened) return opened;
    put_mode_back(levels_.back());
    levels_.pop_back();
    return {};
}

}  // namespace atl::folders

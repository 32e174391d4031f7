#include "stores/folders/copy_tree.hpp"

#include "stores/folders/names.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <linux/limits.h>
#include <unistd.h>

namespace atl::folders {

namespace {

constexpr mode_t kModeBits = 01777;  // a copy shall run as nobody but who starts it

Error changed() {
    return {Code::Conflict, "the files of the session change while they are being copied"};
}

Error failed_at(const char* name, int cause) {
    if (cause == EEXIST) return changed();  // the same name twice in one folder
    return failure("copy " + printable(name), cause);
}

// Owner, mode and times, in this order: a change of owner may clear modes.
int dress(int fd, const struct stat& like, mode_t mode, const std::optional<Ids>& owner) {
    if (owner && ::fchown(fd, owner->uid, owner->gid) != 0) return errno;
    if (::fchmod(fd, mode & kModeBits) != 0) return errno;
    const std::array<timespec, 2> times{like.st_atim, like.st_mtim};
    return ::futimens(fd, times.data()) == 0 ? 0 : errno;
}

}  // namespace

TargetPath::TargetPath(UniqueFd top, ino_t inode, std::optional<Ids> owner) : owner_(owner) {
    levels_.push_back({std::move(top), inode});
}

Result<void> TargetPath::enter(const char* name) {
    if (::mkdirat(folder(), name, 0700) != 0) return failed_at(name, errno);
    Opened opened;
    const int cause = open_folder(folder(), name, opened);
    if (cause != 0) return failed_at(name, cause);
    levels_.push_back({std::move(opened.fd), opened.info.st_ino});
    if (levels_.size() > kWindow + 1) levels_[levels_.size() - 1 - kWindow].fd.reset();
    return {};
}

Result<void> TargetPath::leave(const struct stat& like, mode_t mode) {
    // First the way up: ".." of a folder that shuts us out could not be opened.
    if (levels_.size() > 1 && !levels_[levels_.size() - 2].fd) {
        Level& parent = levels_[levels_.size() - 2];
        Opened opened;
        const int cause = open_folder(folder(), "..", opened);
        if (cause != 0) return failure("go back up in the copy", cause);
        if (opened.info.st_ino != parent.inode) {
            return Error{Code::Internal, "another process moved folders of the copy"};
        }
        parent.fd = std::move(opened.fd);
    }
    const int cause = dress(folder(), like, mode, owner_);
    if (cause != 0) return failure("give a folder of the copy its mode", cause);
    if (levels_.size() > 1) levels_.pop_back();
    return {};
}

CopyTree::CopyTree(TreeWalk from, TargetPath to, int links, CopyLimits limits,
                   std::optional<Ids> owner)
    : from_(std::move(from)),
      to_(std::move(to)),
      links_(links),
      owner_(owner),
      progress_(std::make_unique<CopyProgress>()) {
    progress_->left = limits;
}

std::optional<Result<void>> CopyTree::step(const Slice& slice) {
    while (!slice.over()) {
        if (file_) {
            auto done = file_->step(slice);
            if (!done) return std::nullopt;
            if (!*done) return Result<void>(done->error().during("copy " + printable(file_name_)));
            auto ended = end_file();
            if (!ended) return ended;
            continue;
        }
        const auto entry = from_.next();
        if (!entry) return Result<void>(entry.error());
        if (entry->name == nullptr) {
            const bool was_top = from_.at_top();
            auto left = leave();
            if (!left || was_top) return left;
            continue;
        }
        auto copied = copy_entry(entry->name);
        if (!copied) return copied;
    }
    return std::nullopt;
}

Result<void> CopyTree::leave() {
    struct stat like {};
    if (::fstat(from_.folder(), &like) != 0) return failure("look at a folder", errno);
    // The top one still has to be moved, so its owner must not be shut out of it.
    auto left = to_.leave(like, from_.mode() | (from_.at_top() ? 0700u : 0u));
    if (!left || from_.at_top()) return left;
    return from_.leave();
}

Result<void> CopyTree::copy_entry(const char* name) {
    if (progress_->left.files_max == 0) {
        return Error{Code::Exhausted, "the session has more files than may be copied"};
    }
    --progress_->left.files_max;
    struct stat info {};
    if (::fstatat(from_.folder(), name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) return {};
        return failed_at(name, errno);
    }
    if (info.st_dev != from_.top().st_dev) return {};
    if (S_ISREG(info.st_mode)) return begin_file(name, info);
    if (S_ISLNK(info.st_mode)) return copy_link(name, info);
    if (!S_ISDIR(info.st_mode)) return {};
    // The name is in the parent's memory, and the parent stays in the window.
    auto entered = from_.enter(name);
    if (!entered) return entered.error();
    if (!*entered) return {};
    return to_.enter(name);
}

Result<void> CopyTree::copy_link(const char* name, const struct stat& info) {
    std::array<char, PATH_MAX + 1> text{};
    const ssize_t n = ::readlinkat(from_.folder(), name, text.data(), text.size() - 1);
    if (n < 0 && (errno == ENOENT || errno == EINVAL)) return {};  // replaced since
    if (n < 0) return failed_at(name, errno);
    if (::symlinkat(text.data(), to_.folder(), name) != 0) return failed_at(name, errno);
    if (owner_ &&
        ::fchownat(to_.folder(), name, owner_->uid, owner_->gid, AT_SYMLINK_NOFOLLOW) != 0)
        return failed_at(name, errno);
    const std::array<timespec, 2> times{info.st_atim, info.st_mtim};
    if (::utimensat(to_.folder(), name, times.data(), AT_SYMLINK_NOFOLLOW) != 0) {
        return failed_at(name, errno);
    }
    return {};
}

Result<void> CopyTree::begin_file(const char* name, const struct stat& info) {
    if (info.st_nlink > 1) {
        const std::string known = std::to_string(info.st_ino);
        if (::linkat(links_, known.c_str(), to_.folder(), name, 0) == 0) return {};
        // EMLINK: one name too many for the disk; then it is a copy.
        if (errno != ENOENT && errno != EMLINK) return failed_at(name, errno);
    }
    Opened from;
    const int cause = open_file(from_.folder(), name, from);
    if (cause == ENOENT || cause == EINVAL || cause == ELOOP || cause == EXDEV) return {};
    if (cause == EAGAIN) return changed();
    if (cause != 0) return failed_at(name, cause);
    UniqueFd to(
        ::openat(to_.folder(), name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!to) return failed_at(name, errno);
    file_name_ = name;
    file_.emplace(std::move(from.fd), std::move(to), from.info, *progress_);
    return {};
}

Result<void> CopyTree::end_file() {
    const int cause = dress(file_->target(), file_->info(), file_->info().st_mode, owner_);
    const bool has_more_names = file_->info().st_nlink > 1;
    const std::string known = std::to_string(file_->info().st_ino);
    file_.reset();
    if (cause != 0) return failed_at(file_name_.c_str(), cause);
    if (has_more_names &&
        ::linkat(to_.folder(), file_name_.c_str(), links_, known.c_str(), 0) != 0 &&
        errno != EEXIST && errno != EMLINK) {
        return failed_at(file_name_.c_str(), errno);
    }
    return {};
}

}  // namespace atl::folders

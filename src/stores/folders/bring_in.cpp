#include "stores/folders/bring_in.hpp"

#include "stores/folders/hostile.hpp"
#include "stores/folders/names.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace atl::folders {

namespace {

constexpr const char* kComing = ".atoll-coming";
constexpr std::size_t kNameBytesMax = 255;

}  // namespace

Result<bool> BringIn::begin() {
    if (name_.empty() || name_.size() > kNameBytesMax || name_ == "." || name_ == ".." ||
        name_.find_first_of(std::string_view("/\0", 2)) != std::string::npos) {
        return Error{Code::InvalidArgument, in_quotes(name_) + " is not a file name"};
    }
    Opened session, data;
    if (const int cause = open_folder(layout_.root.get(), id_.text().c_str(), session)) {
        return failure("open the session's folder", cause);
    }
    if (const int cause = open_folder(session.fd.get(), "data", data)) {
        return failure("open the session's data", cause);
    }
    struct stat there {};
    if (::fstatat(data.fd.get(), name_.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0) return false;
    struct stat info {};
    if (::fstat(bytes_.get(), &info) != 0) return failure("look at " + printable(name_), errno);
    (void)::unlinkat(data.fd.get(), kComing, 0);
    UniqueFd to(::openat(data.fd.get(), kComing,
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!to) return failure("make " + printable(name_), errno);
    folder_ = std::move(data.fd);
    copy_.emplace(std::move(bytes_), std::move(to), info, progress_);
    return true;
}

Result<void> BringIn::put_in_place() {
    if (owner_ && ::fchown(copy_->target(), owner_->uid, owner_->gid) != 0) {
        return failure("give away " + printable(name_), errno);
    }
    if (::fchmod(copy_->target(), 0644) != 0) return failure("open " + printable(name_), errno);
    const int cause = rename_new(folder_.get(), kComing, folder_.get(), name_.c_str());
    if (cause != 0 && cause != EEXIST) return failure("name " + printable(name_), cause);
    return {};
}

std::optional<Result<void>> BringIn::step(const Slice& slice) {
    if (!copy_) {
        auto begun = begin();
        if (!begun) return Result<void>(begun.error());
        if (!*begun) return Result<void>{};
    }
    auto done = copy_->step(slice);
    if (!done) return std::nullopt;
    if (*done) done = put_in_place();
    if (!*done) (void)::unlinkat(folder_.get(), kComing, 0);
    return done;
}

}  // namespace atl::folders

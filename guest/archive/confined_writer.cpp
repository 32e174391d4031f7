#include "guest/archive/confined_writer.hpp"

#include "guest/archive/beneath.hpp"
#include "guest/archive/entry_name.hpp"
#include "guest/archive/failure.hpp"
#include "guest/archive/temporary_name.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>

namespace atl::archive {

namespace {

// No setuid, setgid or sticky bit comes out of an archive.
constexpr mode_t kPermissions = 0777;
// Past this much memory, directories keep a working mode and the time of their last change.
constexpr std::size_t kDirectoriesBytesMax = 32u << 20;

std::array<timespec, 2> times_of(const Attributes& attributes) {
    timespec unchanged{};
    unchanged.tv_nsec = UTIME_OMIT;
    return {unchanged, attributes.modified.value_or(unchanged)};
}

}  // namespace

PendingFile::PendingFile(ConfinedWriter& writer, UniqueFd fd, int parent, std::string name)
    : writer_(writer), fd_(std::move(fd)), parent_(parent), name_(std::move(name)) {}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : writer_(other.writer_),
      fd_(std::move(other.fd_)),
      parent_(other.parent_),
      temporary_(std::exchange(other.temporary_, {})),
      name_(std::move(other.name_)),
      end_(other.end_) {}

PendingFile::~PendingFile() {
    if (!temporary_.empty()) ::unlinkat(parent_, temporary_.c_str(), 0);
}

Result<void> PendingFile::write(std::uint64_t offset, const char* data, std::size_t size) {
    // A sparse map that goes backwards or past what a file can be is made by hand.
    constexpr std::uint64_t kFileBytesMax = std::uint64_t{1} << 62;
    if (offset < end_ || offset > kFileBytesMax || size > kFileBytesMax - offset) {
        return Error{Code::InvalidArgument, "its parts overlap"};
    }
    // Holes count: they cost nothing here, but whoever copies the tree pays for them.
    if (auto taken = writer_.quota_.take_bytes(offset + size - end_); !taken) return taken.error();
    while (size > 0) {
        const ssize_t put = ::pwrite(fd_.get(), data, size, static_cast<off_t>(offset));
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return errno_error("write");
        data += put;
        offset += static_cast<std::uint64_t>(put);
        size -= static_cast<std::size_t>(put);
    }
    end_ = offset;
    return {};
}

Result<void> PendingFile::commit(std::uint64_t size, const Attributes& attributes) {
    if (size > end_) {
        if (auto hole = write(size, nullptr, 0); !hole) return hole.error();
        if (::ftruncate(fd_.get(), static_cast<off_t>(size)) != 0) return errno_error("write");
    }
    if (::fchmod(fd_.get(), attributes.mode & kPermissions) != 0)
        return errno_error("set its mode");
    // A time that the disk cannot hold is no reason to lose the file.
    const auto times = times_of(attributes);
    ::futimens(fd_.get(), times.data());
    struct stat file {};
    if (::fstat(fd_.get(), &file) != 0) return errno_error("look at it");

    if (auto done = writer_.put(parent_, temporary_, name_); !done) return done.error();
    temporary_.clear();
    writer_.written_[file.st_dev].insert(file.st_ino);
    return {};
}

ConfinedWriter::ConfinedWriter(int root, bool keep, Quota& quota)
    : root_(root), keep_(keep), quota_(quota) {}

Result<int> ConfinedWriter::enter(const std::string& path) {
    if (parent_ && path == parent_path_) return parent_.get();
    auto directory = open_beneath(root_, path, O_PATH | O_DIRECTORY);
    if (!directory && directory.error().code == Code::NotFound) directory = make_directories(path);
    if (!directory) return directory.error();
    parent_ = std::move(*directory);
    parent_path_ = path;
    return parent_.get();
}

Result<UniqueFd> ConfinedWriter::make_directories(const std::string& path) {
    auto here = open_beneath(root_, "", O_PATH | O_DIRECTORY);
    for (std::size_t at = 0; here && at < path.size();) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        const std::string part = path.substr(at, end - at);
        at = end + 1;
        if (::mkdirat(here->get(), part.c_str(), 0755) == 0) {
            // A name of two thousand parts is one entry and two thousand inodes.
            if (auto taken = quota_.take_entry(); !taken) return taken.error();
        } else if (errno != EEXIST) {
            return errno_error("make a directory");
        }
        here = open_beneath(here->get(), part, O_PATH | O_DIRECTORY);
    }
    return here;
}

Result<int> ConfinedWriter::place_for(const std::string& path, std::string& name) {
    auto [above, last] = split_last(path);
    name = std::move(last);
    auto parent = enter(above);
    if (!parent) return parent;
    struct stat there {};
    // Early, so that nothing is written in vain; put() decides.
    if (keep_ && ::fstatat(*parent, name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0) {
        return Error{Code::Conflict, "it is there already"};
    }
    return parent;
}

Result<void> ConfinedWriter::put(int parent, const std::string& temporary,
                                 const std::string& name) const {
    const unsigned flags = keep_ ? RENAME_NOREPLACE : 0;
    if (::renameat2(parent, temporary.c_str(), parent, name.c_str(), flags) == 0) return {};
    const bool there = keep_ && errno == EEXIST;
    const Error error = there ? Error{Code::Conflict, "it is there already"} : errno_error("place");
    return error;
}

Result<void> ConfinedWriter::add_directory(const std::string& path, const Attributes& attributes) {
    auto [above, name] = split_last(path);
    auto parent = enter(above);
    if (!parent) return parent.error();
    const bool made = ::mkdirat(*parent, name.c_str(), 0755) == 0;
    if (!made && errno != EEXIST) return errno_error("make a directory");
    auto directory = open_beneath(*parent, name, O_RDONLY | O_DIRECTORY);
    if (!directory) return directory.error();
    if (!made && keep_) return {};
    ::fchmod(directory->get(), (attributes.mode & kPermissions) | 0700);
    directories_bytes_ += sizeof(Directory) + path.size();
    if (directories_bytes_ <= kDirectoriesBytesMax) directories_.push_back({path, attributes});
    return {};
}

Result<PendingFile> ConfinedWriter::begin_file(const std::string& path) {
    std::string name;
    auto parent = place_for(path, name);
    if (!parent) return parent.error();
    std::string temporary = temporary_name();
    const int fd = ::openat(*parent, temporary.c_str(),
                            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return errno_error("create");
    PendingFile file(*this, UniqueFd(fd), *parent, std::move(name));
    file.temporary_ = std::move(temporary);
    return file;
}

Result<void> ConfinedWriter::add_symlink(const std::string& path, const std::string& target,
                                         const Attributes& attributes) {
    std::string name;
    auto parent = place_for(path, name);
    if (!parent) return parent.error();
    const std::string temporary = temporary_name();
    if (::symlinkat(target.c_str(), *parent, temporary.c_str()) != 0) return errno_error("link");
    const auto times = times_of(attributes);
    ::utimensat(*parent, temporary.c_str(), times.data(), AT_SYMLINK_NOFOLLOW);
    auto done = put(*parent, temporary, name);
    if (!done) ::unlinkat(*parent, temporary.c_str(), 0);
    return done;
}

Result<void> ConfinedWriter::add_hardlink(const std::string& path, const std::string& target) {
    auto [above, last] = split_last(target);
    auto from = open_beneath(root_, above, O_PATH | O_DIRECTORY);
    if (!from) return from.error().during("its link's target");
    std::string name;
    auto parent = place_for(path, name);
    if (!parent) return parent.error();

    // Linked first and looked at then: between a look and a link the target could be swapped.
    struct stat file {};
    const std::string temporary = temporary_name();
    if (::fstatat(from->get(), last.c_str(), &file, AT_SYMLINK_NOFOLLOW) != 0 || !wrote(file)) {
        return Error{Code::InvalidArgument, "a hard link to what is not in the archive"};
    }
    if (::linkat(from->get(), last.c_str(), *parent, temporary.c_str(), 0) != 0) {
        return errno_error("link");
    }
    Result<void> done;
    if (::fstatat(*parent, temporary.c_str(), &file, AT_SYMLINK_NOFOLLOW) != 0 || !wrote(file)) {
        done = Error{Code::InvalidArgument, "a hard link to what is not in the archive"};
    } else {
        done = put(*parent, temporary, name);
    }
    // Also after success: renaming one name of a file onto another name of it does nothing.
    ::unlinkat(*parent, temporary.c_str(), 0);
    return done;
}

bool ConfinedWriter::wrote(const struct stat& file) const {
    const auto device = written_.find(file.st_dev);
    return S_ISREG(file.st_mode) && device != written_.end() &&
           device->second.contains(file.st_ino);
}

std::vector<std::pair<std::string, Error>> ConfinedWriter::finish() {
    std::vector<std::pair<std::string, Error>> left;
    // From the last to the first: children before the parents that may lock them away.
    for (auto at = directories_.rbegin(); at != directories_.rend(); ++at) {
        auto directory = open_beneath(root_, at->path, O_RDONLY | O_DIRECTORY);
        if (!directory) {
            left.emplace_back(at->path, directory.error().during("set its mode"));
            continue;
        }
        if (::fchmod(directory->get(), at->attributes.mode & kPermissions) != 0) {
            left.emplace_back(at->path, errno_error("set its mode"));
        }
        const auto times = times_of(at->attributes);
        ::futimens(directory->get(), times.data());
    }
    directories_.clear();
    return left;
}

}  // namespace atl::archive

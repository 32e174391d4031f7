#include "stores/folders/work.hpp"

#include "stores/folders/names.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace atl::folders {

namespace {

Error no_folders(const SessionId& id) {
    return {Code::NotFound, "session " + id.text() + " has no folders"};
}

Result<Opened> open_session(const Places& places, const SessionId& id) {
    Opened opened;
    const int cause = open_folder(places.root.get(), id.text().c_str(), opened);
    if (cause == ENOENT) return no_folders(id);
    if (cause != 0) return failure("open the folders of session " + id.text(), cause);
    return opened;
}

Result<Opened> make_and_open(int parent, const char* name) {
    Opened opened;
    if (::mkdirat(parent, name, 0700) != 0) return failure("make a folder for the copy", errno);
    const int cause = open_folder(parent, name, opened);
    if (cause != 0) return failure("open the folder of the copy", cause);
    return opened;
}

// What is left of a tree that could not be removed, out of the way.
Error put_aside(const Places& places, const UniqueFd& from, const std::string& name,
                const RemoveTree& tree) {
    const std::string aside = with_random_end(name.substr(0, 200));
    std::string where = places.path + "/.broken/" + aside;
    if (::renameat(from.get(), name.c_str(), places.broken.get(), aside.c_str()) != 0) {
        where = places.path + " as " + name;
    }
    return {Code::Internal, "could not remove " + tree.obstacle() + ": " +
                                std::strerror(tree.cause()) + "; what is left lies in " + where};
}

}  // namespace

EmptyTrash::EmptyTrash(const Places& places, std::vector<std::string> names)
    : places_(places), names_(std::move(names)) {}

std::optional<Result<void>> EmptyTrash::step(const Slice& slice) {
    for (; at_ < names_.size(); ++at_) {
        if (!tree_) tree_.emplace(places_.trash.get(), names_[at_]);
        if (!tree_->step(slice)) return std::nullopt;
        if (!tree_->gone()) {
            auto stayed = put_aside(places_, places_.trash, names_[at_], *tree_);
            if (outcome_) outcome_ = std::move(stayed);
        }
        tree_.reset();
    }
    return outcome_;
}

CopySession::CopySession(const Places& places, SessionId from, SessionId to, std::string temporary,
                         CopyLimits limits, std::optional<Ids> owner)
    : places_(places),
      from_(std::move(from)),
      to_(std::move(to)),
      temporary_(std::move(temporary)),
      limits_(limits),
      owner_(owner) {}

Result<void> CopySession::begin() {
    auto source = open_session(places_, from_);
    if (!source) return source.error();
    source_ = source->info.st_ino;
    struct stat there {};
    if (::fstatat(places_.root.get(), to_.text().c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0) {
        return Error{Code::Conflict, "session " + to_.text() + " has folders already"};
    }
    auto folder = make_and_open(places_.making.get(), temporary_.c_str());
    if (!folder) return folder.error();
    folder_ = std::move(folder->fd);
    auto links = make_and_open(folder_.get(), "links");
    if (!links) return links.error();
    links_ = std::move(links->fd);
    auto target = make_and_open(folder_.get(), "files");
    if (!target) return target.error();
    TargetPath path(std::move(target->fd), target->info.st_ino, owner_);
    tree_.emplace(TreeWalk(std::move(*source)), std::move(path), links_.get(), limits_, owner_);
    return {};
}

Result<void> CopySession::put_in_place() {
    struct stat source {};
    // Removed meanwhile, it lost files on the way that the copy then does not have.
    if (::fstatat(places_.root.get(), from_.text().c_str(), &source, AT_SYMLINK_NOFOLLOW) != 0 ||
        source.st_ino != source_) {
        return Error{Code::Conflict, "session " + from_.text() + " was removed meanwhile"};
    }
    const int cause = rename_new(folder_.get(), "files", places_.root.get(), to_.text().c_str());
    if (cause == EEXIST || cause == ENOTEMPTY || cause == ENOTDIR) {
        return Error{Code::Conflict, "session " + to_.text() + " has folders already"};
    }
    if (cause != 0) return failure("give the copy its place", cause);
    // A state without a session, of one that had this id: it goes with the temporary folder.
    ::renameat(places_.root.get(), state_folder_of(to_).c_str(), folder_.get(), "state");
    return {};
}

std::optional<Result<void>> CopySession::step(const Slice& slice) {
    if (!begun_) {
        begun_ = true;
        outcome_ = begin();
    }
    if (tree_) {
        auto copied = tree_->step(slice);
        if (!copied) return std::nullopt;
        tree_.reset();
        outcome_ = *copied ? put_in_place() : std::move(*copied);
    }
    // Before the answer: who hears that the disk is full shall find it as it was.
    if (!clearing_) clearing_.emplace(places_.making.get(), temporary_);
    if (!clearing_->step(slice)) return std::nullopt;
    if (!clearing_->gone()) {
        const Error stayed = put_aside(places_, places_.making, temporary_, *clearing_);
        if (!outcome_)
            outcome_ =
                Error{outcome_.error().code, outcome_.error().message + "; and " + stayed.message};
    }
    if (!outcome_) return outcome_.error().during("copy session " + from_.text());
    return outcome_;
}

MeasureSession::MeasureSession(const Places& places, SessionId id, MeasureLimits limits)
    : places_(places), id_(std::move(id)), limits_(limits) {}

std::optional<Result<core::FolderUse>> MeasureSession::step(const Slice& slice) {
    if (!tree_) {
        auto opened = open_session(places_, id_);
        if (!opened) return Result<core::FolderUse>(opened.error());
        tree_.emplace(TreeWalk(std::move(*opened)), limits_);
    }
    return tree_->step(slice);
}

std::optional<Result<std::vector<SessionId>>> ListSessions::step(const Slice&) {
    using Answer = Result<std::vector<SessionId>>;
    // A descriptor of its own: the position in a folder is the descriptor's.
    const UniqueFd root(
        ::openat(places_.root.get(), ".", O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC));
    if (!root) return Answer(failure("list the sessions", errno));
    std::vector<SessionId> found;
    Names names(root.get());
    Names::Entry entry;
    while (true) {
        const int cause = names.next(entry);
        if (cause != 0) return Answer(failure("list the sessions", cause));
        if (entry.name == nullptr) return Answer(std::move(found));
        if (!is_session_name(entry.name)) continue;
        struct stat info {};
        const bool is_folder = entry.type == DT_DIR || (entry.type == DT_UNKNOWN &&
                                                        ::fstatat(root.get(), entry.name, &info,
                                                                  AT_SYMLINK_NOFOLLOW) == 0 &&
                                                        S_ISDIR(info.st_mode));
        if (is_folder) found.emplace_back(entry.name);
    }
}

std::optional<Result<std::uint64_t>> AskRoom::step(const Slice&) {
    struct statvfs info {};
    if (::fstatvfs(places_.root.get(), &info) != 0) {
        return Result<std::uint64_t>(failure("ask for the room in " + places_.path, errno));
    }
    // What an ordinary user has, also when we are root: the reserve is for the machine's own needs.
    return Result<std::uint64_t>(std::uint64_t{info.f_bavail} * info.f_frsize);
}

std::optional<Result<void>> FillReady::step(const Slice& slice) {
    while (!slice.over()) {
        // A disk that is full: whoever makes a session next hears of it.
        auto added = ready_.add();
        if (added && *added) continue;
        ready_.filled();
        return Result<void>();
    }
    return std::nullopt;
}

}  // namespace atl::folders

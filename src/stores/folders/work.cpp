#include "stores/folders/work.hpp"

#include "stores/folders/names.hpp"
#include "stores/folders/state_files.hpp"

#include <cerrno>
#include <chrono>
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

Result<Opened> open_session(const Layout& layout, const SessionId& id) {
    Opened opened;
    const int cause = open_folder(layout.root.get(), id.text().c_str(), opened);
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

// It may well go the next time.
bool may_pass(int cause) {
    return cause == EMFILE || cause == ENFILE || cause == ENOMEM || cause == ENOSPC ||
           cause == EDQUOT || cause == EIO || cause == EINTR || cause == EAGAIN;
}

// What is left of a tree that could not be removed: in the trash until it is tried again, or out of
// the way for good.
void put_aside(const Layout& layout, Leftovers& leftovers, const UniqueFd& from,
               const std::string& name, const RemoveTree& tree) {
    const std::string stayed = tree.obstacle() + ": " + std::strerror(tree.cause());
    if (may_pass(tree.cause())) {
        if (from.get() != layout.trash.get() &&
            ::renameat(from.get(), name.c_str(), layout.trash.get(), name.c_str()) != 0) {
            // In .making, which the next start clears.
            return;
        }
        leftovers.add(name);
        return;
    }
    const bool moved = ::renameat(from.get(), name.c_str(), layout.broken.get(), name.c_str()) == 0;
    leftovers.tell("could not remove " + stayed + "; the rest is in " + layout.path +
                   (moved ? "/.broken/" : "/.*/") + name);
}

// A state whose session is gone. By a rename alone: it is removed with the other leftovers.
void remove_orphan(const Layout& layout, Leftovers& leftovers, const SessionId& id) {
    const std::string name = with_random_end(state_folder_of(id));
    if (::renameat(layout.root.get(), state_folder_of(id).c_str(), layout.trash.get(),
                   name.c_str()) == 0) {
        leftovers.add(name);
    }
}

Error taken(const SessionId& id) {
    return {Code::Conflict, "session " + id.text() + " has folders already"};
}
bool means_taken(int cause) { return cause == EEXIST || cause == ENOTEMPTY || cause == ENOTDIR; }

}  // namespace

Result<void> give_folders(const Layout& layout, Leftovers& leftovers, ReadyMade& ready,
                          const SessionId& id, std::string name) {
    const int cause =
        rename_new(layout.making.get(), name.c_str(), layout.root.get(), id.text().c_str());
    if (cause != 0) ready.give_back(std::move(name));
    if (means_taken(cause)) return taken(id);
    if (cause != 0) return failure("make the folders of session " + id.text(), cause);
    remove_orphan(layout, leftovers, id);
    return {};
}

std::optional<Result<void>> MakeSession::step(const Slice&) {
    auto name = ready_.make();
    if (!name) return Result<void>(name.error());
    return give_folders(layout_, leftovers_, ready_, id_, std::move(*name));
}

EmptyTrash::EmptyTrash(const Layout& layout, Leftovers& leftovers, std::vector<std::string> names)
    : layout_(layout), leftovers_(leftovers), names_(std::move(names)) {}

std::optional<Result<void>> EmptyTrash::step(const Slice& slice) {
    for (; at_ < names_.size(); ++at_) {
        if (!tree_) tree_.emplace(layout_.trash.get(), names_[at_]);
        if (!tree_->step(slice)) return std::nullopt;
        if (!tree_->gone()) { put_aside(layout_, leftovers_, layout_.trash, names_[at_], *tree_); }
        tree_.reset();
    }
    return Result<void>();
}

// An owner can be shut out of a folder of its own, and may not move it then.
int RemoveSession::rename_loosened(const std::string& name, const std::string& new_name, int to) {
    const int root = layout_.root.get();
    if (::renameat(root, name.c_str(), to, new_name.c_str()) == 0) return 0;
    const int cause = errno;
    if (cause != EACCES && cause != EPERM) return cause;
    if (!loosen_entry(root, id_.text().c_str())) return cause;
    return ::renameat(root, name.c_str(), to, new_name.c_str()) == 0 ? 0 : errno;
}

// Answers with the name in the trash. By renames alone: they work on a full disk.
Result<std::string> RemoveSession::throw_away() {
    const std::string what = "remove session " + id_.text();
    // The state first, into the session's own folder: then one rename takes both, and no moment
    // leaves a state that a later session of this id would take for its own.
    const std::string inside = id_.text() + "/" + with_random_end("state");
    int cause = rename_loosened(state_folder_of(id_), inside, layout_.root.get());
    if (cause != 0 && cause != ENOENT && cause != ENOTDIR) return failure(what, cause);
    std::string name = with_random_end(id_.text());
    cause = rename_loosened(id_.text(), name, layout_.trash.get());
    if (cause == 0) return name;
    if (cause != ENOENT) return failure(what, cause);
    remove_orphan(layout_, leftovers_, id_);
    return no_folders(id_);
}

std::optional<Result<void>> RemoveSession::step(const Slice& slice) {
    if (rest_) return rest_->step(slice);
    auto name = throw_away();
    if (!name) return Result<void>(name.error());
    rest_.emplace(layout_, leftovers_, std::vector<std::string>{std::move(*name)});
    return std::nullopt;
}

CopySession::CopySession(const Layout& layout, Leftovers& leftovers, SessionId from, SessionId to,
                         std::string temporary, CopyLimits limits, std::optional<Ids> owner)
    : layout_(layout),
      leftovers_(leftovers),
      from_(std::move(from)),
      to_(std::move(to)),
      temporary_(std::move(temporary)),
      limits_(limits),
      owner_(owner) {}

Result<void> CopySession::begin() {
    auto source = open_session(layout_, from_);
    if (!source) return source.error();
    source_ = source->info.st_ino;
    struct stat there {};
    if (::fstatat(layout_.root.get(), to_.text().c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0) {
        return taken(to_);
    }
    auto folder = make_and_open(layout_.making.get(), temporary_.c_str());
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
    // If it was removed during the copy, the copy lacks files.
    if (::fstatat(layout_.root.get(), from_.text().c_str(), &source, AT_SYMLINK_NOFOLLOW) != 0 ||
        source.st_ino != source_) {
        return Error{Code::Conflict, "session " + from_.text() + " was removed meanwhile"};
    }
    const int cause = rename_new(folder_.get(), "files", layout_.root.get(), to_.text().c_str());
    if (means_taken(cause)) return taken(to_);
    if (cause != 0) return failure("rename the copy", cause);
    // A state without a session, of one that had this id: it goes with the temporary folder.
    ::renameat(layout_.root.get(), state_folder_of(to_).c_str(), folder_.get(), "state");
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
    if (!clearing_) clearing_.emplace(layout_.making.get(), temporary_);
    if (!clearing_->step(slice)) return std::nullopt;
    if (!clearing_->gone()) {
        put_aside(layout_, leftovers_, layout_.making, temporary_, *clearing_);
    }
    if (!outcome_) return outcome_.error().during("copy session " + from_.text());
    return outcome_;
}

MeasureSession::MeasureSession(const Layout& layout, SessionId id, MeasureLimits limits)
    : layout_(layout), id_(std::move(id)), limits_(limits) {}

std::optional<Result<core::FolderUse>> MeasureSession::step(const Slice& slice) {
    if (!tree_) {
        auto opened = open_session(layout_, id_);
        if (!opened) return Result<core::FolderUse>(opened.error());
        tree_.emplace(TreeWalk(std::move(*opened)), limits_);
    }
    auto done = tree_->step(slice);
    if (!done || !*done) return done;
    const auto state = StateFiles(layout_.root.get()).bytes(id_);
    if (!state) return Result<core::FolderUse>(state.error());
    (*done)->bytes += *state;
    (*done)->state_bytes = *state;
    return done;
}

std::optional<Result<std::vector<SessionId>>> ListSessions::step(const Slice&) {
    using Answer = Result<std::vector<SessionId>>;
    // A descriptor of its own: the position in a folder is the descriptor's.
    const UniqueFd root(
        ::openat(layout_.root.get(), ".", O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC));
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
    if (::fstatvfs(layout_.root.get(), &info) != 0) {
        return Result<std::uint64_t>(failure("measure the free space for sessions", errno));
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

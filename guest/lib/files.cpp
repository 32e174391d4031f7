#include "guest/lib/files.hpp"

#include "guest/lib/as_user.hpp"
#include "guest/lib/file_entry.hpp"
#include "guest/lib/file_page.hpp"
#include "guest/lib/guest_path.hpp"
#include "guest/lib/names.hpp"
#include "guest/lib/remove_tree.hpp"
#include "guest/lib/walls.hpp"
#include "sys/mounts.hpp"
#include "sys/syscalls.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <linux/magic.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <vector>

namespace atl::guest {

namespace {

constexpr std::size_t kPiece = wire::kPayloadBytesMax;
constexpr std::size_t kEntriesAnEvent = 256;
// Of an upload, in memory: one loop iteration takes all of it.
constexpr std::uint32_t kWriteAhead = 1 << 20;
constexpr int kDepthMax = 64;

class ReadFile : public Operation {
public:
    using Operation::Operation;
    void start(const std::string& path, std::int64_t offset, std::int64_t length,
               std::int64_t descriptor_from) {
        // O_NONBLOCK: opening a FIFO must not wait for its writer.
        fd_ = open_path(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
        struct stat info {};
        struct statfs system {};
        if (fd_.get() < 0 || ::fstat(fd_.get(), &info) != 0 || ::fstatfs(fd_.get(), &system) != 0) {
            return fail_errno("read " + path);
        }
        if (S_ISDIR(info.st_mode)) return fail("conflict", "read " + path + ": it is a directory");
        if (!S_ISREG(info.st_mode) || system.f_type == PROC_SUPER_MAGIC) {
            return fail("invalid_argument",
                        "read " + path + ": it is no regular file but a " +
                            (S_ISREG(info.st_mode) ? "kernel file" : type_of(info.st_mode)));
        }
        size_ = info.st_size;
        left_ = length < 0 ? LLONG_MAX : length;
        if (offset > 0 && ::lseek(fd_.get(), offset, SEEK_SET) < 0) return fail_errno("seek");
        json::object opened{{"event", "opened"},
                            {"size", size_},
                            {"mtime_ns", mtime_ns(info)},
                            {"inode", info.st_ino}};
        if (descriptor_from < 0 || size_ < descriptor_from || !can_pass_descriptors()) {
            return event(opened);
        }
        // The host reads it by itself: no byte of a large file passes through here.
        opened["descriptor"] = true;
        event_with(opened, std::move(fd_));
        end({{"size", size_}});
    }
    bool busy() const override { return !ended() && may_send(); }
    void control(const json::object& command) override {
        if (text_of(command, "do") == "cancel") end({{"cancelled", true}});
    }
    void ready(const PollSet&) override {
        if (!busy()) return;
        piece_.resize(static_cast<std::size_t>(
            std::min<std::int64_t>(left_, static_cast<std::int64_t>(kPiece))));
        const ssize_t n = piece_.empty() ? 0 : ::read(fd_.get(), piece_.data(), piece_.size());
        if (n < 0) return fail_errno("read");
        if (n == 0) return end({{"size", size_}});
        left_ -= n;
        send(wire::Kind::Data, std::string_view(piece_).substr(0, static_cast<std::size_t>(n)));
    }

private:
    UniqueFd fd_;
    std::string piece_;
    std::int64_t size_ = 0;
    std::int64_t left_ = 0;
};

// Atomic: the bytes go to a file beside the target, which takes its name only when all are there.
class WriteFile : public Operation {
public:
    WriteFile(HostLink& link, std::uint32_t channel, const sys::UserIdentity& user)
        : Operation(link, channel), user_(user) {}
    ~WriteFile() override { discard(); }

    void start(const std::string& path, mode_t mode, bool parents, bool sync,
               const json::object* attributes) {
        const AsUser as_user(user_);
        path_ = path;
        sync_ = sync;
        target_ = parents ? entry_with_parents(path) : entry_of(path);
        if (target_.folder.get() < 0) {
            return fail_errno((parents ? "make the folders of " : "write ") + path);
        }
        struct stat info {};
        const UniqueFd there = open_path(path, O_PATH);
        if (there.get() < 0 || ::fstat(there.get(), &info) != 0) {
            if (errno == ENAMETOOLONG) return fail_errno("write " + path);  // not after all bytes
        } else {
            replaced_ = true;
            if (S_ISDIR(info.st_mode)) {
                return fail("conflict", "write " + path + ": it is a directory");
            }
            if (!S_ISREG(info.st_mode)) {
                return fail("invalid_argument", "write " + path + ": it is no regular file");
            }
        }
        unsigned long random = 0;
        if (::getrandom(&random, sizeof random, 0) != sizeof random) return fail_errno("random");
        // Watchers tell by the name what an upload does.
        temporary_ = (replaced_ ? ".atoll-replace-" : ".atoll-") + std::to_string(random);
        // O_EXCL | O_NOFOLLOW: a link planted under the temporary name is not followed.
        fd_ = UniqueFd(::openat(target_.folder.get(), temporary_.c_str(),
                                O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (fd_.get() < 0) {
            temporary_.clear();
            return fail_errno("write " + path);
        }
        mode_ = mode;
        if (attributes != nullptr && !set_attributes(*attributes)) {
            fail_errno("set attributes of " + path);
            return discard();
        }
        take_more(kWriteAhead);
    }
    void data(std::string_view bytes) override {
        const std::size_t size = bytes.size();
        while (!bytes.empty() && !ended()) {
            const ssize_t n = ::write(fd_.get(), bytes.data(), bytes.size());
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) {
                fail_errno("write " + path_);
                return discard();
            }
            bytes.remove_prefix(static_cast<std::size_t>(n));
            written_ += n;
        }
        consumed(size);
    }
    void eof() override {
        if (ended()) return;
        const AsUser as_user(user_);
        ::fchmod(fd_.get(), mode_);
        struct stat info {};
        const int folder = target_.folder.get();
        if ((sync_ && ::fsync(fd_.get()) != 0) ||
            ::renameat(folder, temporary_.c_str(), folder, target_.name.c_str()) != 0 ||
            ::fstat(fd_.get(), &info) != 0) {
            fail_errno("write " + path_);
            return discard();
        }
        temporary_.clear();
        end({{"size", written_}, {"replaced", replaced_}, {"entry", describe(path_, info)}});
    }
    void control(const json::object& command) override {
        if (text_of(command, "do") != "cancel") return;
        discard();
        end({{"cancelled", true}});
    }

private:
    bool set_attributes(const json::object& attributes) {
        for (const auto& [name, value] : attributes) {
            if (!value.is_string()) continue;
            const auto& text = value.get_string();
            if (::fsetxattr(fd_.get(), std::string(name).c_str(), text.data(), text.size(), 0) != 0)
                return false;
        }
        return true;
    }
    void discard() {
        if (temporary_.empty()) return;
        const AsUser as_user(user_);
        ::unlinkat(target_.folder.get(), temporary_.c_str(), 0);
        temporary_.clear();
    }
    sys::UserIdentity user_;
    std::string path_, temporary_;
    DirectoryEntry target_;
    UniqueFd fd_;
    mode_t mode_ = 0644;
    bool sync_ = true;
    bool replaced_ = false;
    std::int64_t written_ = 0;
};

// Depth first, one directory open for each level, so that a wide tree costs no memory here.
class ListFiles : public Operation {
public:
    ~ListFiles() override {
        for (const Level& level : levels_) ::closedir(level.directory);
    }
    ListFiles(HostLink& link, std::uint32_t channel, const sys::UserIdentity& user)
        : Operation(link, channel), user_(user) {}
    void start(const std::string& path, int depth, std::int64_t limit, bool details,
               std::string attributes) {
        path_ = path;
        details_ = details;
        attributes_ = std::move(attributes);
        depth_ = std::clamp(depth, 1, kDepthMax);
        limit_ = limit > 0 ? limit : LLONG_MAX;
        UniqueFd folder = open_path(path, O_RDONLY | O_DIRECTORY);
        DIR* directory = folder.get() < 0 ? nullptr : ::fdopendir(folder.get());
        if (directory == nullptr) return fail_errno("list " + path);
        [[maybe_unused]] const int owned_by_it = folder.release();
        levels_.push_back({directory, ""});
    }
    bool busy() const override { return !ended() && may_send(); }
    void control(const json::object& command) override {
        if (text_of(command, "do") == "cancel") end({{"cancelled", true}});
    }
    void ready(const PollSet&) override {
        if (!busy()) return;
        json::array entries;
        while (!levels_.empty() && entries.size() < kEntriesAnEvent && found_ < limit_) {
            DIR* directory = levels_.back().directory;
            const dirent* entry = ::readdir(directory);
            if (entry == nullptr) {
                ::closedir(directory);
                levels_.pop_back();
                continue;
            }
            const std::string name = entry->d_name;
            if (name == "." || name == "..") continue;
            struct stat info {};
            if (::fstatat(::dirfd(directory), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
                continue;
            const std::string relative = levels_.back().prefix + name;
            auto described = describe(relative, info);
            if (details_) {
                const AsUser as_user(user_);
                add_details(described, path_ + "/" + relative, info, attributes_);
            }
            entries.push_back(std::move(described));
            ++found_;
            if (S_ISDIR(info.st_mode) && static_cast<int>(levels_.size()) < depth_) {
                const int below = ::openat(::dirfd(directory), name.c_str(),
                                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                DIR* inner = below < 0 ? nullptr : ::fdopendir(below);
                if (inner != nullptr)
                    levels_.push_back({inner, relative + "/"});
                else if (below >= 0)
                    ::close(below);
            }
        }
        const bool more = !levels_.empty() && found_ < limit_;
        if (!entries.empty()) event({{"event", "entries"}, {"entries", std::move(entries)}});
        if (!more) end({{"count", found_}, {"complete", levels_.empty()}});
    }

private:
    struct Level {
        DIR* directory;
        std::string prefix;
    };
    sys::UserIdentity user_;
    std::string path_;
    bool details_ = false;
    std::string attributes_;
    std::vector<Level> levels_;
    int depth_ = 1;
    std::int64_t limit_ = 0;
    std::int64_t found_ = 0;
};

class Simple : public Operation {
public:
    using Operation::Operation;
};

// Two folders of the scratch space are two mounts, between which rename(2) refuses to work, but one
// file system: seen from its root it is a plain rename.
bool move_path(const std::string& from, const std::string& to, int scratch_fd) {
    const auto rename = [](const DirectoryEntry& old_entry, const DirectoryEntry& new_entry) {
        return old_entry.folder.get() >= 0 && new_entry.folder.get() >= 0 &&
               ::renameat(old_entry.folder.get(), old_entry.name.c_str(), new_entry.folder.get(),
                          new_entry.name.c_str()) == 0;
    };
    const DirectoryEntry source = entry_of(from);
    if (source.folder.get() < 0) return false;
    if (rename(source, entry_of(to))) return true;
    if (errno != EXDEV || scratch_fd < 0) return false;
    const std::string inside_from = place_in_scratch(from);
    const std::string inside_to = place_in_scratch(to);
    if (!inside_from.empty() && !inside_to.empty() &&
        rename(entry_below(scratch_fd, inside_from), entry_below(scratch_fd, inside_to))) {
        return true;
    }
    // The kernel looks at the mounts before it looks for the file.
    struct stat info {};
    if (::fstatat(source.folder.get(), source.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EXDEV;
    }
    return false;
}

void stat_path(Operation& operation, const std::string& path, bool follow, bool details,
               const std::string& attributes) {
    const DirectoryEntry at = entry_of(path);
    struct stat info {};
    const char* name = at.name.c_str();
    bool found = at.folder.get() >= 0;
    if (found && follow) {
        const UniqueFd there = open_path(path, O_PATH);
        found = there.get() >= 0 && ::fstat(there.get(), &info) == 0;
    } else if (found) {
        found = ::fstatat(at.folder.get(), name, &info, AT_SYMLINK_NOFOLLOW) == 0;
    }
    if (!found) return operation.fail_errno("stat " + path);
    auto entry = describe(path, info);
    // What the disk gets back when it goes: nothing while it has another name.
    const bool frees = S_ISREG(info.st_mode) && info.st_nlink == 1;
    entry["stored_bytes"] = frees ? static_cast<std::int64_t>(info.st_blocks) * 512 : 0;
    if (S_ISLNK(info.st_mode)) {
        char target[PATH_MAX];
        const ssize_t n = ::readlinkat(at.folder.get(), name, target, sizeof target);
        if (n > 0) put_name(entry, "target", {target, static_cast<std::size_t>(n)});
    }
    if (details) add_details(entry, path, info, attributes);
    operation.end({{"entry", std::move(entry)}});
}

// Whether there is a folder now.
bool make_folder(const std::string& path, bool parents) {
    const DirectoryEntry entry = parents ? entry_with_parents(path) : entry_of(path);
    if (entry.folder.get() < 0) return false;
    if (::mkdirat(entry.folder.get(), entry.name.c_str(), 0755) == 0) return true;
    if (errno != EEXIST || !parents) return false;
    const UniqueFd there = open_path(path, O_PATH | O_DIRECTORY);
    errno = EEXIST;
    return there.get() >= 0;
}

}  // namespace

bool attach_mount(int tree_fd, const char* target, const sys::UserIdentity& user,
                  sys::StepFailure& failure) {
    struct stat source {};
    if (::fstat(tree_fd, &source) != 0) return failure.set("look at the mount for ", target);
    {
        const AsUser as_user(user);
        const DirectoryEntry entry = entry_with_parents(target);
        if (entry.folder.get() < 0) return failure.set("make the folders of ", target);
        const bool folder = S_ISDIR(source.st_mode);
        const char* name = entry.name.c_str();
        const int made = folder ? ::mkdirat(entry.folder.get(), name, 0755)
                                : ::openat(entry.folder.get(), name,
                                           O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (made < 0 && errno != EEXIST) return failure.set("make ", target);
        if (!folder && made >= 0) ::close(made);
    }
    // A session that comes back from disk may have a link of that name.
    const UniqueFd at = open_path(target, O_PATH | O_NOFOLLOW);
    if (at.get() < 0) return failure.set("open ", target);
    return sys::attach_tree(tree_fd, at.get(), failure);
}

std::unique_ptr<Operation> begin_file_operation(HostLink& link, std::uint32_t channel,
                                                const std::string& op, const json::object& request,
                                                const Surroundings& surroundings) {
    const sys::UserIdentity& user = surroundings.user;
    const std::string path = name_in(request, "path");
    auto simple = std::make_unique<Simple>(link, channel);
    if (path.empty() || path.front() != '/' || path.find('\0') != std::string::npos) {
        simple->fail("invalid_argument", "path must be absolute and without zero bytes");
        return simple;
    }
    const AsUser as_user(user);
    if (op == "file.read") {
        auto read = std::make_unique<ReadFile>(link, channel);
        read->start(path, number_of(request, "offset"), number_of(request, "length", -1),
                    number_of(request, "descriptor_from", -1));
        return read;
    }
    if (op == "file.write") {
        auto write = std::make_unique<WriteFile>(link, channel, user);
        const auto* attributes = request.if_contains("attributes");
        write->start(
            path, static_cast<mode_t>(number_of(request, "mode", 0644)) & 0777,
            flag_of(request, "parents"), flag_of(request, "sync", true),
            attributes != nullptr && attributes->is_object() ? &attributes->get_object() : nullptr);
        return write;
    }
    if (op == "file.list") {
        auto list = std::make_unique<ListFiles>(link, channel, user);
        list->start(path, static_cast<int>(number_of(request, "depth", 1)),
                    number_of(request, "limit"), flag_of(request, "details"),
                    text_of(request, "attributes"));
        return list;
    }
    if (op == "file.page") return begin_file_page(link, channel, request, user);
    if (op == "file.remove") {
        return begin_remove(link, channel, path, flag_of(request, "recursive"), user);
    }
    if (op == "file.stat") {
        stat_path(*simple, path, flag_of(request, "follow"), flag_of(request, "details"),
                  text_of(request, "attributes"));
    } else if (op == "file.mkdir") {
        if (!make_folder(path, flag_of(request, "parents"))) {
            simple->fail_errno("make " + path);
        } else {
            simple->end();
        }
    } else if (op == "file.move") {
        const std::string to = name_in(request, "to");
        struct stat there {};
        if (to.empty() || to.front() != '/' || to.find('\0') != std::string::npos) {
            simple->fail("invalid_argument", "to must be absolute and without zero bytes");
        } else if (flag_of(request, "parents") && entry_with_parents(to).folder.get() < 0) {
            simple->fail_errno("make the folders of " + to);
        } else if (!flag_of(request, "overwrite", true) && look_at_path(to, there)) {
            simple->fail("conflict", "move " + path + " to " + to + ": something is there");
        } else if (!move_path(path, to, surroundings.scratch_fd)) {
            simple->fail_errno("move " + path + " to " + to);
        } else {
            simple->end();
        }
    } else {
        simple->fail("invalid_argument", "there is no operation " + op);
    }
    return simple;
}

}  // namespace atl::guest

#include "guest/lib/remove_tree.hpp"

#include "guest/lib/as_user.hpp"
#include "guest/lib/guest_path.hpp"

#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

namespace atl::guest {

namespace {

constexpr std::size_t kStepsAnIteration = 512;
constexpr std::size_t kDepthMax = 32;
// Readable, writable and searchable for its owner again: the user's own folder, who may say so.
constexpr mode_t kOpenedUp = 0700;

class RemoveTree : public Operation {
public:
    RemoveTree(HostLink& link, std::uint32_t channel, const sys::UserIdentity& user)
        : Operation(link, channel), user_(user) {}
    ~RemoveTree() override {
        for (const Level& level : levels_) ::closedir(level.directory);
    }

    void start(const std::string& path, bool recursive) {
        const AsUser as_user(user_);
        path_ = path;
        target_ = entry_of(path);
        struct stat info {};
        const int folder = target_.folder.get();
        const char* name = target_.name.c_str();
        if (folder < 0 || ::fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
            return fail_errno("remove " + path);
        }
        const bool is_folder = S_ISDIR(info.st_mode);
        if (!is_folder || !recursive) {
            if (::unlinkat(folder, name, is_folder ? AT_REMOVEDIR : 0) != 0) {
                return fail_errno("remove " + path);
            }
            return end();
        }
        device_ = info.st_dev;
        if (!enter(folder, name)) return fail_errno("remove " + path);
    }
    bool busy() const override { return !ended(); }
    void control(const json::object& command) override {
        if (text_of(command, "do") == "cancel") end({{"cancelled", true}});
    }
    void ready(const PollSet&) override {
        if (ended()) return;
        const AsUser as_user(user_);
        for (std::size_t i = 0; i < kStepsAnIteration && !ended(); ++i) step();
    }

private:
    struct Level {
        DIR* directory;
        std::string name;
        bool removed_some;
    };

    bool enter(int above, const char* name) {
        constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
        int fd = ::openat(above, name, kFlags);
        struct stat info {};
        const bool shut = fd < 0 && errno == EACCES;
        if (fd >= 0 && ::fstat(fd, &info) == 0 && (info.st_mode & kOpenedUp) != kOpenedUp) {
            ::fchmod(fd, kOpenedUp);  // if it fails, so will what needs it
        }
        if (shut && ::fchmodat(above, name, kOpenedUp, 0) == 0) fd = ::openat(above, name, kFlags);
        if (fd < 0) return false;
        DIR* directory = ::fdopendir(fd);
        if (directory == nullptr) {
            const int cause = errno;
            ::close(fd);
            errno = cause;
            return false;
        }
        levels_.push_back({directory, name, false});
        return true;
    }

    void step() {
        Level& level = levels_.back();
        const int here = ::dirfd(level.directory);
        const dirent* entry = ::readdir(level.directory);
        if (entry == nullptr) return leave();
        const std::string name = entry->d_name;
        if (name == "." || name == "..") return;
        struct stat info {};
        if (::fstatat(here, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return;  // gone already
        if (!S_ISDIR(info.st_mode)) {
            if (::unlinkat(here, name.c_str(), 0) == 0 || errno == ENOENT) {
                level.removed_some = true;
                return;
            }
            return give_up(name);
        }
        if (info.st_dev != device_) {  // another mount: not the tree's
            errno = EBUSY;
            return give_up(name);
        }
        if (::unlinkat(here, name.c_str(), AT_REMOVEDIR) == 0) {
            level.removed_some = true;
            return;
        }
        if (levels_.size() >= kDepthMax && move_up(here, name)) {
            level.removed_some = true;
            return;
        }
        if (!enter(here, name.c_str())) give_up(name);
    }

    // To the top of the tree, where it is met again with nothing open above it.
    bool move_up(int here, const std::string& name) {
        ::fchmodat(here, name.c_str(), kOpenedUp, 0);  // a folder that moves is itself written to
        char above[32];
        std::snprintf(above, sizeof above, ".atoll-%u-%u", channel(), ++moved_);
        const int top = ::dirfd(levels_.front().directory);
        if (::renameat(here, name.c_str(), top, above) != 0) return false;
        levels_.front().removed_some = true;
        return true;
    }

    // The folder has been read to its end. Names may have been skipped while others went, or come
    // meanwhile; as long as each round removes something, there is another.
    void leave() {
        Level& level = levels_.back();
        const bool top = levels_.size() == 1;
        const int above =
            top ? target_.folder.get() : ::dirfd(levels_[levels_.size() - 2].directory);
        const std::string name = level.name;
        if (::unlinkat(above, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) {
            const bool again = (errno == ENOTEMPTY || errno == EEXIST) && level.removed_some;
            if (!again) return give_up(top ? path_ : name);
            level.removed_some = false;
            ::rewinddir(level.directory);
            return;
        }
        ::closedir(level.directory);
        levels_.pop_back();
        if (levels_.empty())
            end();
        else
            levels_.back().removed_some = true;
    }
    void give_up(const std::string& name) {
        const int cause = errno;
        const std::string what = name == path_ ? path_ : name + " in " + path_;
        errno = cause;
        fail_errno("remove " + what);
    }

    sys::UserIdentity user_;
    std::string path_;
    DirectoryEntry target_;
    dev_t device_ = 0;
    unsigned moved_ = 0;
    std::vector<Level> levels_;
};

}  // namespace

std::unique_ptr<Operation> begin_remove(HostLink& link, std::uint32_t channel,
                                        const std::string& path, bool recursive,
                                        const sys::UserIdentity& user) {
    auto remove = std::make_unique<RemoveTree>(link, channel, user);
    remove->start(path, recursive);
    return remove;
}

}  // namespace atl::guest

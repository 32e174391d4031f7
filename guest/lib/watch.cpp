#include "guest/lib/watch.hpp"

#include "guest/lib/as_user.hpp"
#include "guest/lib/guest_path.hpp"
#include "guest/lib/names.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unordered_map>

namespace atl::guest {

namespace {

constexpr std::uint32_t kEvents = IN_CREATE | IN_DELETE | IN_MODIFY | IN_CLOSE_WRITE |
                                  IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF;
constexpr std::size_t kWatchesMax = 4096;
constexpr int kDepthMax = 128;

const char* what_happened(std::uint32_t mask) {
    if (mask & IN_CREATE) return "created";
    if (mask & (IN_DELETE | IN_DELETE_SELF)) return "removed";
    if (mask & IN_MOVED_FROM) return "moved_from";
    if (mask & IN_MOVED_TO) return "moved_to";
    if (mask & IN_CLOSE_WRITE) return "written";
    if (mask & IN_MODIFY) return "modified";
    return "attributes";
}

class Watch : public Operation {
public:
    Watch(HostLink& link, std::uint32_t channel, const sys::UserIdentity& user)
        : Operation(link, channel), user_(user) {}

    void start(const std::string& path, bool recursive) {
        recursive_ = recursive;
        fd_ = UniqueFd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
        if (fd_.get() < 0) return fail_errno("watch " + path);
        if (!add(path)) return fail_errno("watch " + path);
        json::object watching{{"event", "watching"}};
        put_name(watching, "path", path);
        event(watching);
    }
    [[nodiscard]] bool listens_only() const override { return true; }
    void watch(PollSet& set) override {
        if (may_send()) set.add(fd_.get(), POLLIN);
    }
    [[nodiscard]] bool busy() const override { return !ended() && told_ < read_ && may_send(); }
    // Linux hands out many changes at once, and the host may have credit for the first few only.
    void ready(const PollSet&) override {
        while (may_send() && !ended()) {
            if (told_ == read_) {
                const ssize_t n = ::read(fd_.get(), changes_, sizeof changes_);
                if (n <= 0) return;
                told_ = 0;
                read_ = static_cast<std::size_t>(n);
            }
            const auto* change = reinterpret_cast<const inotify_event*>(changes_ + told_);
            told_ += sizeof(inotify_event) + change->len;
            report(*change);
        }
    }
    void control(const json::object& command) override {
        if (text_of(command, "do") == "cancel") end({{"cancelled", true}});
    }

private:
    // Not followed when it is a link itself.
    bool add(const std::string& folder) {
        const AsUser as_user(user_);
        return add(folder, open_path(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), 0);
    }
    bool add(const std::string& folder, UniqueFd fd, int depth) {
        if (fd.get() < 0) return false;
        if (paths_.size() >= kWatchesMax || depth > kDepthMax) return true;
        const int id = watch_folder(fd_.get(), fd.get(), kEvents);
        if (id < 0) return false;
        paths_[id] = folder;
        if (!recursive_) return true;
        DIR* directory = ::fdopendir(fd.get());
        if (directory == nullptr) return true;
        [[maybe_unused]] const int owned_by_it = fd.release();
        while (const dirent* entry = ::readdir(directory)) {
            const std::string name = entry->d_name;
            if (entry->d_type != DT_DIR || name == "." || name == "..") continue;
            UniqueFd below(::openat(::dirfd(directory), entry->d_name,
                                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
            (void)add(folder + "/" + name, std::move(below), depth + 1);
        }
        ::closedir(directory);
        return true;
    }
    void report(const inotify_event& change) {
        if (change.mask & IN_Q_OVERFLOW) return event({{"event", "overflow"}});
        const auto found = paths_.find(change.wd);
        if (found == paths_.end()) return;
        if (change.mask & IN_IGNORED) {
            paths_.erase(found);
            return;
        }
        const std::string path = change.len > 0 ? found->second + "/" + change.name : found->second;
        const bool folder = (change.mask & IN_ISDIR) != 0;
        json::object changed{
            {"event", "change"}, {"what", what_happened(change.mask)}, {"directory", folder}};
        put_name(changed, "path", path);
        if (change.cookie != 0) changed["cookie"] = change.cookie;
        event(changed);
        if (folder && recursive_ && (change.mask & (IN_CREATE | IN_MOVED_TO))) (void)add(path);
    }

    sys::UserIdentity user_;
    UniqueFd fd_;
    bool recursive_ = false;
    alignas(inotify_event) char changes_[16 * 1024];
    std::size_t read_ = 0;  // of changes_
    std::size_t told_ = 0;  // of those
    std::unordered_map<int, std::string> paths_;
};

}  // namespace

std::unique_ptr<Operation> begin_watch(HostLink& link, std::uint32_t channel,
                                       const json::object& request, const sys::UserIdentity& user) {
    auto watch = std::make_unique<Watch>(link, channel, user);
    const std::string path = name_in(request, "path");
    if (path.empty() || path.front() != '/' || path.find('\0') != std::string::npos) {
        watch->fail("invalid_argument", "path must be absolute and without zero bytes");
    } else {
        watch->start(path, flag_of(request, "recursive", true));
    }
    return watch;
}

}  // namespace atl::guest

#include "guest/lib/changes.hpp"

#include "base/fd.hpp"
#include "guest/lib/file_entry.hpp"
#include "guest/lib/guest_path.hpp"
#include "guest/lib/names.hpp"
#include "guest/lib/tree_look.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <deque>
#include <dirent.h>
#include <fcntl.h>
#include <map>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unordered_map>

namespace atl::guest {

namespace {

constexpr std::uint32_t kEvents =
    IN_CREATE | IN_DELETE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO;
constexpr std::size_t kWatchesMax = 2048;
constexpr std::size_t kChangesMax = 4096;
constexpr std::size_t kEntriesAnEvent = 128;
constexpr int kDepthMax = 32;
constexpr std::chrono::milliseconds kPace{50};
// Linux gives a user 128 instances of inotify, and each sandbox of a host is a part of one. So one
// is kept between runs that follow each other, and not by those who wait.
constexpr std::chrono::seconds kKeptBetweenRuns{3};

enum class Change { Created, Modified, Removed };

const char* word_for(Change change) {
    switch (change) {
        case Change::Created: return "created";
        case Change::Modified: return "modified";
        case Change::Removed: return "removed";
    }
    return "modified";
}

bool is_below(const std::string& path, const std::string& folder) {
    return path.size() > folder.size() && path[folder.size()] == '/' &&
           path.compare(0, folder.size(), folder) == 0;
}

class Changes : public Operation {
public:
    using Operation::Operation;

    void start(const json::object& request) {
        live_ = texts_of(request, "live");
        roots_ = texts_of(request, "paths");
        listen();
        if (fd_.get() >= 0 && paths_.empty()) {
            return fail("not_found", "there is no folder to look at");
        }
        let_go_ = Clock::now() + kKeptBetweenRuns;
    }
    [[nodiscard]] bool listens_only() const override { return true; }
    [[nodiscard]] bool busy() const override { return !telling_.empty() && may_send(); }
    [[nodiscard]] std::optional<Clock::time_point> deadline() const override {
        return next_look_ ? next_look_ : let_go_;
    }
    void time_is_up() override {
        if (!next_look_) return let_go();
        gather();
        next_look_ = Clock::now() + kPace;
    }
    void ready(const PollSet&) override {
        while (!telling_.empty() && may_send()) {
            event(telling_.front());
            telling_.pop_front();
        }
    }
    void control(const json::object& command) override {
        const std::string what = text_of(command, "do");
        if (what == "cancel") return end({{"cancelled", true}});
        gather();
        if (what == "tell") {
            if (fd_.get() < 0) compare();
            tell(number_of(command, "number"));
        }
        next_look_.reset();
        changed_.clear();
        complete_ = paths_.size() < kWatchesMax;
        let_go_.reset();
        if (what == "begin") {
            begin();
        } else {
            let_go_ = Clock::now() + kKeptBetweenRuns;
        }
    }

private:
    // There may be none to be had: then it is tried again with each run.
    void listen() {
        fd_ = UniqueFd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
        if (fd_.get() < 0) return;
        for (const auto& path : roots_) add(path, 0, false);
    }

    // What happens between runs is nobody's to tell.
    void let_go() {
        let_go_.reset();
        fd_ = UniqueFd();
        paths_.clear();
    }

    void begin() {
        if (fd_.get() < 0) listen();
        if (fd_.get() >= 0) {
            next_look_ = Clock::now() + kPace;
        } else {
            before_ = look_at_trees(roots_);
        }
    }

    // What listening would have told, but for files that are to be told at once.
    void compare() {
        const TreeLook now = look_at_trees(roots_);
        for (const auto& [path, mark] : now.files) {
            const auto known = before_.files.find(path);
            if (known == before_.files.end()) {
                note(path, Change::Created, false);
            } else if (known->second != mark) {
                note(path, Change::Modified, false);
            }
        }
        for (const auto& [path, mark] : before_.files) {
            if (!now.files.contains(path)) note(path, Change::Removed, false);
        }
        complete_ = complete_ && now.complete && before_.complete;
        before_ = now;
    }

    static std::vector<std::string> texts_of(const json::object& request, std::string_view key) {
        std::vector<std::string> texts;
        const auto* list = request.if_contains(key);
        if (list == nullptr || !list->is_array()) return texts;
        for (const auto& one : list->get_array()) {
            if (one.is_string()) texts.emplace_back(one.get_string());
        }
        return texts;
    }

    // `appeared`: it is new, so whatever is in it is new too.
    void add(const std::string& folder, int depth, bool appeared) {
        add(folder, open_path(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), depth, appeared);
    }
    void add(const std::string& folder, UniqueFd fd, int depth, bool appeared) {
        if (paths_.size() >= kWatchesMax || depth > kDepthMax) {
            complete_ = false;
            return;
        }
        const int id = fd.get() < 0 ? -1 : watch_folder(fd_.get(), fd.get(), kEvents);
        if (id < 0) return;  // gone again, or shut: then nothing in it changes by path
        paths_[id] = folder;
        DIR* directory = ::fdopendir(fd.get());
        if (directory == nullptr) return;
        [[maybe_unused]] const int owned_by_it = fd.release();
        while (const dirent* entry = ::readdir(directory)) {
            const std::string name = entry->d_name;
            if (name == "." || name == "..") continue;
            const std::string path = folder + "/" + name;
            if (entry->d_type != DT_DIR) {
                if (appeared) note(path, Change::Created, true);
                continue;
            }
            UniqueFd below(::openat(::dirfd(directory), entry->d_name,
                                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
            if (!is_mount(below.get())) add(path, std::move(below), depth + 1, appeared);
        }
        ::closedir(directory);
    }

    void gather() {
        alignas(inotify_event) char buffer[16 * 1024];
        while (!ended()) {
            const ssize_t n = ::read(fd_.get(), buffer, sizeof buffer);
            if (n <= 0) return;
            for (ssize_t at = 0; at < n;) {
                const auto* one = reinterpret_cast<const inotify_event*>(buffer + at);
                at += static_cast<ssize_t>(sizeof(inotify_event) + one->len);
                take(*one);
            }
        }
    }

    void take(const inotify_event& one) {
        if (one.mask & IN_Q_OVERFLOW) {
            complete_ = false;
            return;
        }
        const auto found = paths_.find(one.wd);
        if (found == paths_.end()) return;
        if (one.mask & IN_IGNORED) {
            paths_.erase(found);
            return;
        }
        if (one.len == 0) return;
        const std::string path = found->second + "/" + one.name;
        const bool came = (one.mask & (IN_CREATE | IN_MOVED_TO)) != 0;
        const bool went = (one.mask & (IN_DELETE | IN_MOVED_FROM)) != 0;
        if (one.mask & IN_ISDIR) {
            if (came) add(path, 0, true);
            if (one.mask & IN_MOVED_FROM) forget_below(path);
        } else if (came) {
            note(path, Change::Created, (one.mask & IN_MOVED_TO) != 0);
        } else if (went) {
            note(path, Change::Removed, false);
        } else {
            note(path, Change::Modified, (one.mask & IN_CLOSE_WRITE) != 0);
        }
    }

    // A folder that was moved away is told of under a name that it no longer has.
    void forget_below(const std::string& folder) {
        for (auto at = paths_.begin(); at != paths_.end();) {
            if (at->second == folder || is_below(at->second, folder)) {
                ::inotify_rm_watch(fd_.get(), at->first);
                at = paths_.erase(at);
            } else {
                ++at;
            }
        }
        for (auto at = changed_.begin(); at != changed_.end();) {
            at = is_below(at->first, folder) ? changed_.erase(at) : std::next(at);
        }
    }

    void note(const std::string& path, Change change, bool whole) {
        const auto known = changed_.find(path);
        if (known == changed_.end()) {
            if (changed_.size() >= kChangesMax) {
                complete_ = false;
                return;
            }
            changed_[path] = change;
        } else if (change == Change::Removed) {
            if (known->second == Change::Created) {
                changed_.erase(known);
            } else {
                known->second = change;
            }
        } else if (known->second == Change::Removed) {
            known->second = Change::Modified;
        }
        if (whole) tell_at_once(path);
    }

    void tell_at_once(const std::string& path) {
        const auto wanted = [&](const std::string& folder) { return is_below(path, folder); };
        if (!next_look_ || std::none_of(live_.begin(), live_.end(), wanted) || !may_send()) return;
        struct stat info {};
        if (!look_at_path(path, info) || !S_ISREG(info.st_mode)) return;
        event({{"event", "artifact"}, {"entry", describe(path, info)}});
    }

    void tell(std::int64_t number) {
        json::array entries;
        const auto add_event = [&] {
            telling_.push_back({{"event", "changes"}, {"entries", std::move(entries)}});
            entries = {};
        };
        for (const auto& [path, change] : changed_) {
            struct stat info {};
            json::object entry;
            Change now = change;
            if (look_at_path(path, info)) {
                if (S_ISDIR(info.st_mode)) continue;
                entry = describe(path, info);
                if (now == Change::Removed) now = Change::Modified;
            } else if (now == Change::Created) {
                continue;
            } else {
                now = Change::Removed;
                put_name(entry, "name", path);
            }
            entry["change"] = word_for(now);
            entries.push_back(std::move(entry));
            if (entries.size() >= kEntriesAnEvent) add_event();
        }
        if (!entries.empty()) add_event();
        telling_.push_back({{"event", "told"}, {"complete", complete_}, {"number", number}});
        ready({});
    }

    UniqueFd fd_;  // none: files are looked at before and after
    std::vector<std::string> live_;
    std::vector<std::string> roots_;
    TreeLook before_;
    std::unordered_map<int, std::string> paths_;
    std::map<std::string, Change> changed_;
    bool complete_ = true;
    std::optional<Clock::time_point> next_look_;  // while something runs
    std::optional<Clock::time_point> let_go_;     // while nothing does, and there is an instance
    std::deque<json::object> telling_;
};

}  // namespace

std::unique_ptr<Operation> begin_changes(HostLink& link, std::uint32_t channel,
                                         const json::object& request) {
    auto changes = std::make_unique<Changes>(link, channel);
    changes->start(request);
    return changes;
}

}  // namespace atl::guest

#include "guest/lib/file_page.hpp"

#include "guest/lib/as_user.hpp"
#include "guest/lib/file_entry.hpp"
#include "guest/lib/guest_path.hpp"
#include "guest/lib/names.hpp"

#include <algorithm>
#include <dirent.h>
#include <fcntl.h>
#include <queue>
#include <sys/stat.h>

namespace atl::guest {

namespace {

constexpr std::size_t kNamesAnIteration = 4096;
constexpr std::size_t kEntriesAnEvent = 256;
constexpr std::int64_t kPageMax = 10'000;

class FilePage : public Operation {
public:
    FilePage(HostLink& link, std::uint32_t channel, const sys::UserIdentity& user)
        : Operation(link, channel), user_(user) {}
    ~FilePage() override {
        if (directory_ != nullptr) ::closedir(directory_);
    }

    void start(const std::string& path, std::string after, std::int64_t limit) {
        const AsUser as_user(user_);
        after_ = std::move(after);
        limit_ = static_cast<std::size_t>(std::clamp<std::int64_t>(limit, 1, kPageMax));
        UniqueFd fd = open_path(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
        directory_ = fd.get() < 0 ? nullptr : ::fdopendir(fd.get());
        if (directory_ == nullptr) return fail_errno("list " + path);
        [[maybe_unused]] const int owned_by_it = fd.release();
    }
    bool busy() const override { return !ended() && (directory_ == nullptr || may_send()); }
    void control(const json::object& command) override {
        if (text_of(command, "do") == "cancel") end({{"cancelled", true}});
    }
    void ready(const PollSet&) override {
        if (!busy()) return;
        const AsUser as_user(user_);
        if (!all_read_)
            read_some();
        else
            send_some();
    }

private:
    // The largest of the smallest `limit_` names is the one to give way.
    void read_some() {
        for (std::size_t i = 0; i < kNamesAnIteration; ++i) {
            const dirent* entry = ::readdir(directory_);
            if (entry == nullptr) {
                all_read_ = true;
                for (; !smallest_.empty(); smallest_.pop()) page_.push_back(smallest_.top());
                return;  // page_ ends with the first name, so that it is taken from its end
            }
            const std::string_view name = entry->d_name;
            if (name == "." || name == ".." || (!after_.empty() && name <= after_)) continue;
            if (smallest_.size() == limit_) {
                complete_ = false;
                if (name >= smallest_.top()) continue;
                smallest_.pop();
            }
            smallest_.emplace(name);
        }
    }
    void send_some() {
        json::array entries;
        while (!page_.empty() && entries.size() < kEntriesAnEvent) {
            const std::string name = std::move(page_.back());
            page_.pop_back();
            struct stat info {};
            if (::fstatat(::dirfd(directory_), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
                continue;  // removed since its name was read
            }
            entries.push_back(describe(name, info));
        }
        if (!entries.empty()) event({{"event", "entries"}, {"entries", std::move(entries)}});
        if (page_.empty()) end({{"complete", complete_}});
    }

    sys::UserIdentity user_;
    std::string after_;
    std::size_t limit_ = 0;
    DIR* directory_ = nullptr;
    bool all_read_ = false;
    bool complete_ = true;
    std::priority_queue<std::string> smallest_;
    std::vector<std::string> page_;
};

}  // namespace

std::unique_ptr<Operation> begin_file_page(HostLink& link, std::uint32_t channel,
                                           const json::object& request,
                                           const sys::UserIdentity& user) {
    auto page = std::make_unique<FilePage>(link, channel, user);
    page->start(name_in(request, "path"), name_in(request, "after"),
                number_of(request, "limit", 1000));
    return page;
}

}  // namespace atl::guest

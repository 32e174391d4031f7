#pragma once
// Which files of a sandbox a run has changed: the host's end of `file.changes`.
//
//     ChangeView view(changes);            // from here on
//     … the run …
//     co_await view.finish();              // view.files(), view.complete()
//
// A sandbox has one Changes while it is awake. Runs that overlap see each other's changes: nobody
// can tell who wrote a file.
// Threads   the link's one.
// Trusts    nothing that the guest says of files: counts and lengths are limited, and a guest that
//           does not answer is not waited for. A program could have forged any of it.
#include "guest_client/guest_link.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace atl::guest_client {

struct ChangedFile {
    std::string path;    // in the sandbox; odd bytes are shown as `?`
    std::string change;  // created, modified, removed
    std::string type;    // file, symlink, …
    std::uint64_t size = 0;
    std::int64_t mtime_ns = 0;
    bool exact = true;  // the path is the name, byte for byte
};

// Makes a run report what it has changed: the channel of `file.changes`, and its question.
struct TellAtEnd {
    ChannelId channel = 0;
    std::uint64_t number = 0;

    void add_to(boost::json::object& request) const;
};

class ChangeView;

class Changes : public std::enable_shared_from_this<Changes> {
public:
    static constexpr std::chrono::milliseconds kPatience{5000};  // a busy machine is late at times

    [[nodiscard]] static std::shared_ptr<Changes> open(
        boost::asio::any_io_executor executor, std::shared_ptr<GuestLink> link,
        std::chrono::milliseconds patience = kPatience);

private:
    friend class ChangeView;
    Changes(boost::asio::any_io_executor executor, std::shared_ptr<GuestLink> link,
            std::chrono::milliseconds patience);
    void ask();
    void event(const boost::json::object& event);
    void say(const char* what);
    void begin(ChangeView& view);
    void leave(ChangeView& view) noexcept;
    boost::asio::awaitable<void> tell();
    void go_on();

    std::shared_ptr<GuestLink> link_;
    std::chrono::milliseconds patience_;  // with a guest that is asked what has changed
    bool asked_guest_ = false;
    bool ended_ = false;
    std::vector<ChangeView*> views_;
    std::uint64_t asked_ = 0, told_ = 0;  // questions have numbers, and the guest repeats them
    boost::asio::steady_timer came_;
    Channel channel_;  // the last, for its handlers refer to the rest
};

class ChangeView {
public:
    using Artifact = std::function<void(const ChangedFile&)>;

    // Without Changes (none could be had) a view sees nothing and says that it is not complete.
    explicit ChangeView(std::shared_ptr<Changes> changes, Artifact artifact = {});
    ChangeView(const ChangeView&) = delete;
    ChangeView& operator=(const ChangeView&) = delete;
    ~ChangeView();

    // For the request of a run: the guest tells what has changed ahead of the run's end. Then
    // finish() need not ask for it.
    [[nodiscard]] std::optional<TellAtEnd> tell_at_end();
    boost::asio::awaitable<void> finish();
    [[nodiscard]] const std::map<std::string, ChangedFile>& files() const { return files_; }
    [[nodiscard]] bool complete() const { return complete_; }

private:
    friend class Changes;
    void see(const ChangedFile& change);

    std::shared_ptr<Changes> changes_;
    Artifact artifact_;
    std::map<std::string, ChangedFile> files_;
    std::size_t path_bytes_ = 0;  // of all in it
    bool complete_ = true;
    std::optional<std::uint64_t> at_end_;  // the number of what is told with a run's end
};

}  // namespace atl::guest_client

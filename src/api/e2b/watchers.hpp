#pragma once
// Watched folders: events that wait for the client that streams or polls them.
//
// Owns      the watches of clients that poll, by sandbox, until they are removed, forgotten, or
//           their sandbox has gone. kWatchersMax for a sandbox, kEventsMax events and
//           kEventBytesMax of their paths each: a client that does not fetch them in time is told
//           that some are missing.
// Threads   one, the executor's.
// Trusts    nothing that a guest says: a change of a file that is not in the folder is none.
#include "api/e2b/file_events.hpp"
#include "base/id.hpp"
#include "guest_client/files.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/object.hpp>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace atl::api::e2b {

struct WatchRequest {
    std::string path;  // absolute, of a folder, without links
    bool recursive = false;
    bool with_entries = false;
};

class FolderWatch {
public:
    FolderWatch(std::shared_ptr<guest_client::GuestLink> link, WatchRequest wanted);
    FolderWatch(const FolderWatch&) = delete;
    FolderWatch& operator=(const FolderWatch&) = delete;

    // Returns when changes are told from then on. Throws what the guest says otherwise. Once.
    boost::asio::awaitable<void> begin();

    // The oldest event that waits.
    [[nodiscard]] std::optional<FileEvent> next();
    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }
    // Whether events were lost since this was last asked.
    [[nodiscard]] bool lost_some() { return std::exchange(lost_some_, false); }
    // For who polls: the same, but not twice in a row. While a folder is so busy that what waits is
    // always full, they would hear of nothing else, and never make room.
    [[nodiscard]] bool tells_of_loss() {
        told_of_loss_ = !told_of_loss_ && lost_some();
        return told_of_loss_;
    }
    // Why it will tell nothing more.
    [[nodiscard]] const std::optional<Error>& ended() const noexcept { return ended_; }
    [[nodiscard]] bool has_news() const noexcept {
        return !waiting_.empty() || lost_some_ || ended_;
    }
    // Returns when there is something new, or wake() was called.
    boost::asio::awaitable<void> news();
    void wake() { news_.cancel(); }

    // As the protocol has it: the name is relative to the folder. With entries this asks the guest.
    boost::asio::awaitable<boost::json::object> message_of(FileEvent event) const;

private:
    void hear(const guest_client::FileChange& change);

    std::shared_ptr<guest_client::GuestLink> link_;
    WatchRequest wanted_;
    FileEvents events_;
    std::deque<FileEvent> waiting_;
    std::size_t waiting_bytes_ = 0;  // of their paths
    bool watching_ = false;
    bool lost_some_ = false;
    bool told_of_loss_ = false;  // by the last poll
    std::optional<Error> ended_;
    boost::asio::steady_timer news_;
    guest_client::Channel channel_;  // the last, for its handlers refer to the rest
};

class Watchers {
public:
    using WatchPtr = std::shared_ptr<FolderWatch>;

    // Exhausted. The answer is its name.
    std::string add(const SessionId& session, WatchPtr watch);
    // NotFound.
    [[nodiscard]] WatchPtr find(const SessionId& session, const std::string& id) const;
    void remove(const SessionId& session, const std::string& id);
    // Exhausted if there is no room for one more.
    void check_room(const SessionId& session);
    void forget(const SessionId& session) { tables_.erase(session.text()); }

private:
    void tidy();
    std::map<std::string, std::map<std::string, WatchPtr>> tables_;  // by session
};

}  // namespace atl::api::e2b

#include "api/e2b/watchers.hpp"

#include "api/e2b/entry_info.hpp"
#include "api/e2b/envd_path.hpp"
#include "api/secrets.hpp"
#include "base/as_tuple.hpp"

namespace atl::api::e2b {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t kEventsMax = 4096;
// A path may have 4 KiB, and whoever watches may never ask: 16 watchers of 4,096 such events would
// be 256 MiB of ours for one sandbox.
constexpr std::size_t kEventBytesMax = 1u << 20;
constexpr std::size_t kWatchersMax = 16;  // a sandbox's user has so many instances of inotify

}  // namespace

FolderWatch::FolderWatch(std::shared_ptr<guest_client::GuestLink> link, WatchRequest wanted)
    : link_(std::move(link)),
      wanted_(std::move(wanted)),
      news_(link_->executor(), asio::steady_timer::time_point::max()) {}

asio::awaitable<void> FolderWatch::begin() {
    guest_client::Files::WatchListener listener;
    listener.watching = [this] {
        watching_ = true;
        wake();
    };
    listener.change = [this](const guest_client::FileChange& change) {
        hear(change);
        wake();
    };
    listener.overflow = [this] {
        lost_some_ = true;
        wake();
    };
    listener.ended = [this](const Error& why) {
        ended_ = why;
        wake();
    };
    const guest_client::Files files(link_);
    channel_ = files.watch(wanted_.path, wanted_.recursive, std::move(listener));
    while (!watching_ && !ended_) co_await news();
    if (!watching_) throw ErrorException(*ended_);
}

void FolderWatch::hear(const guest_client::FileChange& change) {
    if (!name_below(wanted_.path, change.path)) return;
    for (auto& event : events_.of(change)) {
        if (waiting_.size() == kEventsMax || waiting_bytes_ + event.path.size() > kEventBytesMax) {
            lost_some_ = true;
            continue;
        }
        waiting_bytes_ += event.path.size();
        waiting_.push_back(std::move(event));
    }
}

std::optional<FileEvent> FolderWatch::next() {
    if (waiting_.empty()) return std::nullopt;
    auto event = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= event.path.size();
    return event;
}

asio::awaitable<void> FolderWatch::news() { co_await news_.async_wait(kAsTuple); }

asio::awaitable<json::object> FolderWatch::message_of(FileEvent event) const {
    const auto name = name_below(wanted_.path, event.path).value_or(std::string_view());
    json::object message{{"name", shown_path(name)}, {"type", event.type}};
    if (!wanted_.with_entries || !event.leaves_a_file()) co_return message;
    const guest_client::Files files(link_);
    const guest_client::Details details{std::string(kMetadataPrefix)};
    try {
        const auto entry = co_await files.stat(event.path, details);
        message["entry"] = entry_info(event.path, entry);
    } catch (const ErrorException&) {}  // it is gone already
    co_return message;
}

void Watchers::tidy() {
    for (auto& [session, table] : tables_) {
        std::erase_if(table, [](const auto& one) { return one.second->ended().has_value(); });
    }
    std::erase_if(tables_, [](const auto& entry) { return entry.second.empty(); });
}

void Watchers::check_room(const SessionId& session) {
    tidy();
    const auto found = tables_.find(session.text());
    if (found == tables_.end() || found->second.size() < kWatchersMax) return;
    throw ErrorException({Code::Exhausted, "a sandbox has at most " + std::to_string(kWatchersMax) +
                                               " watchers; remove one first"});
}

std::string Watchers::add(const SessionId& session, WatchPtr watch) {
    check_room(session);
    auto id = "w" + letters_of(random_bytes(10));
    tables_[session.text()].emplace(id, std::move(watch));
    return id;
}

Watchers::WatchPtr Watchers::find(const SessionId& session, const std::string& id) const {
    const auto table = tables_.find(session.text());
    if (table != tables_.end()) {
        const auto found = table->second.find(id);
        if (found != table->second.end()) return found->second;
    }
    throw ErrorException(
        {Code::NotFound, "watcher with id " + shown_path(id.substr(0, 64)) + " not found"});
}

void Watchers::remove(const SessionId& session, const std::string& id) {
    (void)find(session, id);
    tables_[session.text()].erase(id);
}

}  // namespace atl::api::e2b

#include "api/e2b/filesystem_service.hpp"

#include "api/e2b/entry_info.hpp"
#include "api/e2b/envd_path.hpp"
#include "api/e2b/rpc.hpp"
#include "api/e2b/sandbox_entry.hpp"
#include "api/file_paths.hpp"
#include "guest_client/files.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace atl::api::e2b {

namespace asio = boost::asio;
namespace json = boost::json;
using guest_client::FileEntry;
using guest_client::Files;
using guest_client::FileType;

namespace {

constexpr std::uint32_t kEntriesMax = 20'000;
constexpr std::uint32_t kDepthMax = 64;
constexpr std::size_t kEventsBytesMax = 4u << 20;  // of one answer, about; the next has the rest

const guest_client::Details kDetails{std::string(kMetadataPrefix)};

bool leads_to_folder(const FileEntry& entry) {
    if (entry.type == FileType::Symlink) {
        return entry.resolved && entry.resolved_type == FileType::Directory;
    }
    return entry.type == FileType::Directory;
}

std::string path_in(net::Exchange& exchange, const Message& message,
                    std::string_view field = "path") {
    return envd_path(message.text(field), user_of(exchange.request()).home, field);
}

asio::awaitable<std::optional<FileEntry>> look(Files files, std::string path) {
    std::optional<Error> failed;
    try {
        co_return co_await files.stat(path, kDetails);
    } catch (const ErrorException& error) { failed = error.error; }
    if (failed->code != Code::NotFound) throw ErrorException(*failed);
    co_return std::nullopt;
}

asio::awaitable<json::object> entry_of(Files files, std::string path) {
    const auto entry = co_await files.stat(path, kDetails);
    co_return json::object{{"entry", entry_info(path, entry)}};
}

// What is at a path that must be a folder.
asio::awaitable<FileEntry> folder_at(Files files, std::string path) {
    auto entry = co_await look(files, path);
    if (!entry) { throw ErrorException({Code::NotFound, "path not found: " + shown_path(path)}); }
    if (!leads_to_folder(*entry)) {
        throw ErrorException({Code::InvalidArgument, shown_path(path) + " is not a directory"});
    }
    co_return std::move(*entry);
}

// What waits to be told, in the order in which it happened.
asio::awaitable<void> tell_all(FolderWatch& watch, MessageStream& stream) {
    while (auto event = watch.next()) {
        auto message = co_await watch.message_of(std::move(*event));
        json::object told{{"filesystem", std::move(message)}};
        co_await stream.send(std::move(told));
    }
}

RpcError missed_some() {
    return {"data_loss", Code::Internal,
            "too much happened at once, and some events were lost; list the directory again"};
}

class FilesystemService {
public:
    FilesystemService(sessions::Sessions& sessions, std::shared_ptr<Watchers> watchers)
        : sessions_(sessions), watchers_(std::move(watchers)) {}

    asio::awaitable<json::object> stat(net::Exchange& exchange, Message message) const {
        const auto path = path_in(exchange, message);
        const auto use = co_await enter(sessions_, exchange);
        co_return co_await entry_of(Files(use.link()), path);
    }

    asio::awaitable<json::object> make_folder(net::Exchange& exchange, Message message) const {
        const auto path = path_in(exchange, message);
        const auto use = co_await enter(sessions_, exchange);
        co_await sessions_.check_disk(*use);
        const Files files(use.link());
        if (const auto there = co_await look(files, path)) {
            if (leads_to_folder(*there)) {
                throw RpcError("already_exists", Code::Conflict,
                               "directory already exists: " + shown_path(path));
            }
            throw ErrorException(
                {Code::InvalidArgument,
                 "path already exists but it is not a directory: " + shown_path(path)});
        }
        co_await files.make_folder(path, true);
        co_return co_await entry_of(files, path);
    }

    asio::awaitable<json::object> move(net::Exchange& exchange, Message message) const {
        const auto from = path_in(exchange, message, "source");
        const auto to = path_in(exchange, message, "destination");
        const auto use = co_await enter(sessions_, exchange);
        const Files files(use.link());
        guest_client::MoveOptions options;
        options.parents = true;
        co_await files.move(from, to, options);
        co_return co_await entry_of(files, to);
    }

    asio::awaitable<json::object> list(net::Exchange& exchange, Message message) const {
        const auto path = path_in(exchange, message);
        const auto depth = std::clamp(message.number("depth", 0xffff'ffff), 1u, kDepthMax);
        const auto use = co_await enter(sessions_, exchange);
        const Files files(use.link());
        const auto folder = co_await folder_at(files, path);
        // Below a link the guest goes by where it leads; what is told stays below the link.
        const auto place = folder.resolved.value_or(path);
        auto page = co_await files.walk(place, static_cast<int>(depth), kEntriesMax, kDetails);
        if (!page.complete) {
            throw ErrorException(
                {Code::Exhausted, shown_path(path) + " has more than " +
                                      std::to_string(kEntriesMax) +
                                      " entries; list it with a smaller depth, or in parts"});
        }
        std::sort(page.entries.begin(), page.entries.end(),
                  [](const FileEntry& a, const FileEntry& b) { return a.name < b.name; });
        json::array entries;
        entries.reserve(page.entries.size());
        for (const auto& entry : page.entries) {
            entries.push_back(entry_info(below(path, entry.name), entry));
        }
        co_return json::object{{"entries", std::move(entries)}};
    }

    asio::awaitable<json::object> remove(net::Exchange& exchange, Message message) const {
        const auto path = path_in(exchange, message);
        const auto use = co_await enter(sessions_, exchange);
        const Files files(use.link());
        try {
            co_await files.remove(path, true);
        } catch (const ErrorException& error) {
            if (error.error.code != Code::NotFound) throw;
        }
        co_return json::object{};
    }

    asio::awaitable<void> watch(net::Exchange& exchange, Message message,
                                MessageStream& stream) const {
        const auto watch = co_await begin_watch(exchange, message);
        const auto gone = exchange.on_gone([&watch] { watch->wake(); });
        const auto stopping = exchange.on_stopping([&watch] { watch->wake(); });
        const auto pause = keepalive_of(exchange.request());
        bool silent = false;
        core::Timer keepalive(exchange.executor(), core::system_clock());
        const auto wait_again = [&] {
            silent = false;
            keepalive.expires_after(pause);
            keepalive.then([&] {
                silent = true;
                watch->wake();
            });
        };
        json::object start{{"start", json::object{}}};
        co_await stream.send(std::move(start));
        wait_again();
        for (;;) {
            const bool lost = watch->lost_some();
            co_await tell_all(*watch, stream);
            if (exchange.client_gone()) throw net::ClientGone();
            if (exchange.stopping()) {
                throw ErrorException({Code::Unavailable, "the server is stopping"});
            }
            if (lost) throw missed_some();
            if (watch->ended()) throw ErrorException(*watch->ended());
            if (silent) {
                json::object alive{{"keepalive", json::object{}}};
                co_await stream.send(std::move(alive));
                wait_again();
            } else if (!watch->has_news()) {
                co_await watch->news();
            }
        }
    }

    asio::awaitable<json::object> create_watcher(net::Exchange& exchange, Message message) const {
        watchers_->check_room(session_in(exchange));
        auto watch = co_await begin_watch(exchange, message);
        auto id = watchers_->add(session_in(exchange), std::move(watch));
        co_return json::object{{"watcherId", std::move(id)}};
    }

    asio::awaitable<json::object> watcher_events(net::Exchange& exchange, Message message) const {
        (void)user_of(exchange.request());
        const auto use = co_await enter(sessions_, exchange);
        const auto watch = watchers_->find(session_in(exchange), message.text("watcherId"));
        if (watch->tells_of_loss()) throw missed_some();
        // What waits by now, or the first megabytes of it: while the guest is asked about one
        // event, a program makes the next, and an answer that is to have all would never end.
        json::array events;
        std::size_t bytes = 0;
        for (auto left = watch->waiting(); left > 0 && bytes < kEventsBytesMax; --left) {
            auto event = watch->next();
            if (!event) break;  // another request took it meanwhile
            auto told = co_await watch->message_of(std::move(*event));
            bytes += json::serialize(told).size();
            events.push_back(std::move(told));
        }
        co_return json::object{{"events", std::move(events)}};
    }

    asio::awaitable<json::object> remove_watcher(net::Exchange& exchange, Message message) const {
        const bool there = co_await is_there(sessions_, exchange);
        if (!there) throw SandboxGone();
        watchers_->remove(session_in(exchange), message.text("watcherId"));
        co_return json::object{};
    }

private:
    asio::awaitable<std::shared_ptr<FolderWatch>> begin_watch(net::Exchange& exchange,
                                                              Message message) const {
        const auto path = path_in(exchange, message);
        const auto use = co_await enter(sessions_, exchange);
        const auto folder = co_await folder_at(Files(use.link()), path);
        WatchRequest wanted;
        wanted.path = folder.resolved.value_or(path);
        wanted.recursive = message.flag("recursive").value_or(false);
        wanted.with_entries = message.flag("includeEntry").value_or(false);
        auto watch = std::make_shared<FolderWatch>(use.link(), std::move(wanted));
        co_await watch->begin();
        co_return watch;
    }

    sessions::Sessions& sessions_;
    std::shared_ptr<Watchers> watchers_;
};

}  // namespace

void add_filesystem_service(Api& api, sessions::Sessions& sessions,
                            std::shared_ptr<Watchers> watchers) {
    const auto service = std::make_shared<FilesystemService>(sessions, std::move(watchers));
    const auto call = [&](std::string_view pattern, auto method) {
        api.add(rpc_route(pattern, "files"),
                unary(sessions, [service, method](net::Exchange& exchange, Message message) {
                    return ((*service).*method)(exchange, std::move(message));
                }));
    };
    call("/e2b/sandboxes/{id}/envd/filesystem.Filesystem/Stat", &FilesystemService::stat);
    call("/e2b/sandboxes/{id}/envd/filesystem.Filesystem/MakeDir", &FilesystemService::make_folder);
    call("/e2b/sandboxes/{id}/envd/filesystem.Filesystem/Move", &FilesystemService::move);
    call("/e2b/sandboxes/{id}/envd/filesystem.Filesystem/ListDir", &FilesystemService::list);
    call("/e2b/sandboxes/{id}/envd/filesystem.Filesystem/Remove", &FilesystemService::remove);
    call("/e2b/sandboxes/{id}/envd/filesystem.Filesystem/CreateWatcher",
         &FilesystemService::create_watcher);
    call("/e2b/sandboxes/{id}/envd/filesystem.Filesystem/GetWatcherEvents",
         &FilesystemService::watcher_events);
    call("/e2b/sandboxes/{id}/envd/filesystem.Filesystem/RemoveWatcher",
         &FilesystemService::remove_watcher);
    api.add(rpc_route("/e2b/sandboxes/{id}/envd/filesystem.Filesystem/WatchDir", "files"),
            server_stream(sessions,
                          [service](net::Exchange& exchange, Message message, MessageStream& out) {
                              return service->watch(exchange, std::move(message), out);
                          }));
}

}  // namespace atl::api::e2b

#include "sessions/artifacts.hpp"

#include "base/write_all.hpp"
#include "sessions/call.hpp"

#include <cerrno>
#include <cstring>
#include <optional>

namespace atl::sessions {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t kFilesMax = 1000;  // of one run

Error not_written(int cause) {
    return {cause == ENOSPC ? Code::Exhausted : Code::Internal,
            std::string("write an artifact: ") + std::strerror(cause)};
}

Result<void> take(OutputRoom* room, std::uint64_t bytes) {
    if (room == nullptr) return {};
    try {
        room->room.take(bytes);
    } catch (const ErrorException& full) { return full.error; }
    return {};
}

// Copies one file, of at most so many bytes; answers with its path on the host.
asio::awaitable<std::string> copy_out(std::shared_ptr<GuestLink> link, core::Outputs& outputs,
                                      core::OutputPlace place, std::string inside, std::string name,
                                      std::uint64_t bytes_max, OutputRoom* owners) {
    UniqueFd file = outputs.begin(place, name).value();
    std::uint64_t written = 0;
    Result<void> state;
    Call call(link);
    CallHandlers handlers;
    handlers.data = [&](std::string_view piece) {
        if (!state) return;
        written += piece.size();
        if (written > bytes_max) {
            state = Error{Code::Exhausted, "there is no more room for artifacts"};
        } else if (auto fits = take(owners, piece.size()); !fits) {
            state = fits.error();
        } else if (const int cause = write_all(file.get(), piece); cause != 0) {
            state = not_written(cause);
        }
        if (!state) call.control({{"do", "cancel"}});
    };
    const json::object question{{"op", "file.read"}, {"path", inside}};
    co_await call.run(question, std::move(handlers));
    state.value();
    auto host = outputs.finish(place, name, std::move(file)).value();
    if (owners != nullptr && owners->kept) owners->kept(written);
    co_return host;
}

}  // namespace

asio::awaitable<Promoted> promote(std::shared_ptr<GuestLink> link, core::Outputs& outputs,
                                  Promotion wanted, std::map<std::string, ChangedFile> files) {
    Promoted promoted;
    const std::string prefix = wanted.folder + "/";
    bool measured = false;
    std::uint64_t room = 0;
    std::unique_ptr<OutputRoom> owners;
    std::optional<Error> unknown;  // why nobody can say what the owner has left
    for (const auto& [path, change] : files) {
        if (path.compare(0, prefix.size(), prefix) != 0) continue;
        const std::string name = path.substr(prefix.size());
        if (change.change == "removed" || change.type != "file") {
            outputs.remove(wanted.place, name);
            continue;
        }
        if (!change.exact) {
            promoted.left_out.push_back({path, "its name is not UTF-8"});
            continue;
        }
        if (promoted.map.size() >= kFilesMax) {
            promoted.left_out.push_back({path, "the run made more than 1,000 artifacts"});
            continue;
        }
        if (!measured) {
            const std::uint64_t used = outputs.use(wanted.place);
            room = used < wanted.bytes_max ? wanted.bytes_max - used : 0;
            measured = true;
            try {
                if (wanted.room) owners = co_await wanted.room();
            } catch (const ErrorException& failed) { unknown = failed.error; }
        }
        if (unknown) {
            promoted.left_out.push_back({path, unknown->message});
            continue;
        }
        try {
            // The guest's word is enough to refuse; what comes is counted all the same.
            if (owners) owners->room.check(change.size);
            auto host =
                co_await copy_out(link, outputs, wanted.place, path, name, room, owners.get());
            room -= std::min(room, change.size);
            promoted.map.emplace(path, std::move(host));
        } catch (const ErrorException& error) {
            promoted.left_out.push_back({path, error.error.message});
        }
        if (!link->alive()) break;
    }
    if (owners) owners->room.finished();
    co_return promoted;
}

}  // namespace atl::sessions

#include "sessions/artifacts.hpp"

#include "guest_client/transfer.hpp"

#include <algorithm>
#include <optional>

namespace atl::sessions {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t kFilesMax = 1000;  // of one run

// What one file takes of its owner's room: all that it is said to have, before the first byte, so
// that of two that come side by side one fits; and what comes beyond that.
class Held {
public:
    Held(OutputRoom* from, std::uint64_t bytes) : from_(from) {
        if (from_ != nullptr) from_->room.take(bytes);
        held_ = bytes;
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() {
        if (from_ != nullptr) from_->room.give_back(held_ - kept_);
    }

    Result<void> grow_to(std::uint64_t bytes) {
        if (from_ == nullptr || bytes <= held_) return {};
        try {
            from_->room.take(bytes - held_);
        } catch (const ErrorException& full) { return full.error; }
        held_ = bytes;
        return {};
    }
    void keep(std::uint64_t bytes) {
        kept_ = std::min(bytes, held_);
        if (from_ != nullptr && from_->kept) from_->kept(bytes);
    }

private:
    OutputRoom* from_;
    std::uint64_t held_ = 0;
    std::uint64_t kept_ = 0;
};

// Copies one file, of at most so many bytes; answers with its path on the host.
asio::awaitable<std::string> copy_out(std::shared_ptr<guest_client::GuestLink> link,
                                      core::Outputs& outputs, core::OutputSource source,
                                      std::string inside, std::string name, std::uint64_t bytes_max,
                                      Held& held) {
    UniqueFd file = co_await outputs.begin(source, name);
    std::uint64_t written = 0;
    const json::object question{{"op", "file.read"}, {"path", inside}};
    guest_client::Transfer transfer(link, question);  // leaving early cancels it
    for (;;) {
        auto piece = co_await transfer.next();
        if (!piece) break;
        if (piece->kind != guest_client::Transfer::Piece::Kind::Data) continue;
        written += piece->bytes.size();
        if (written > bytes_max) {
            throw ErrorException({Code::Exhausted, "there is no more room for artifacts"});
        }
        held.grow_to(written).value();
        co_await outputs.write(file, std::move(piece->bytes));
    }
    co_await transfer.end();
    auto host = co_await outputs.finish(source, name, std::move(file));
    held.keep(written);
    co_return host;
}

}  // namespace

asio::awaitable<Promoted> promote(std::shared_ptr<guest_client::GuestLink> link,
                                  core::Outputs& outputs, Promotion wanted,
                                  std::map<std::string, guest_client::ChangedFile> files) {
    Promoted promoted;
    const std::string prefix = wanted.folder + "/";
    bool measured = false;
    std::uint64_t room = 0;
    std::unique_ptr<OutputRoom> owners;
    std::optional<Error> unknown;  // why nobody can say what the owner has left
    const auto is_gone = [](const guest_client::ChangedFile& change) {
        return change.change == "removed" || change.type != "file";
    };
    // First, all at once: what came in their place may need their room or their names.
    std::vector<std::string> gone;
    for (const auto& [path, change] : files) {
        if (path.compare(0, prefix.size(), prefix) == 0 && is_gone(change)) {
            gone.push_back(path.substr(prefix.size()));
        }
    }
    if (!gone.empty()) co_await outputs.remove(wanted.source, std::move(gone));
    for (const auto& [path, change] : files) {
        if (path.compare(0, prefix.size(), prefix) != 0 || is_gone(change)) continue;
        const std::string name = path.substr(prefix.size());
        if (!change.exact) {
            promoted.left_out.push_back({path, "its name is not UTF-8"});
            continue;
        }
        if (promoted.map.size() >= kFilesMax) {
            promoted.left_out.push_back({path, "the run made more than 1,000 artifacts"});
            continue;
        }
        if (!measured) {
            measured = true;
            try {
                const std::uint64_t used = co_await outputs.use(wanted.source);
                room = used < wanted.bytes_max ? wanted.bytes_max - used : 0;
                if (wanted.room) owners = co_await wanted.room();
            } catch (const ErrorException& failed) { unknown = failed.error; }
        }
        if (unknown) {
            promoted.left_out.push_back({path, unknown->message});
            continue;
        }
        try {
            Held held(owners.get(), change.size);
            auto host = co_await copy_out(link, outputs, wanted.source, path, name, room, held);
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

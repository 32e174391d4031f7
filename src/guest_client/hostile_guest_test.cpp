// A guest that says anything, at any time: whatever the host has under way must end, and nothing
// may be read or written that is gone (run it with the address sanitizer).
#include "guest_client/changes.hpp"
#include "guest_client/contexts.hpp"
#include "guest_client/files.hpp"
#include "guest_client/run.hpp"
#include "guest_client/test_support.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace atl::guest_client {

namespace asio = boost::asio;
using testing::NoSandbox;
using testing::Nothing;
using testing::Peer;
using testing::Started;

namespace {

constexpr ChannelId kChannels = 12;  // so many may be open, about

// What guests say, what they almost say, and what nobody says.
const std::vector<std::string>& texts() {
    static const std::vector<std::string> all{
        "",
        "{}",
        "[]",
        "x",
        R"({"event": "started", "pid": 7})",
        R"({"event": 5})",
        R"({"event": "error", "name": "E", "value": ["deep"]})",
        R"({"event": "result", "data": {"text/plain": "1"}})",
        R"({"event": "opened", "size": 5, "descriptor": true})",
        R"({"event": "opened", "size": -5, "name_hex": "zz1"})",
        R"({"event": "changes", "entries": [{"name": "/session/a", "change": "removed"}, 7]})",
        R"({"event": "artifact", "entry": {"name": "/session/artifacts/a", "size": -1}})",
        R"({"event": "told", "complete": true})",
        R"({"entries": [{"name": "a", "type": "file", "size": 1e300}, [], {"name_hex": "6"}]})",
        R"({"ok": true, "kernels": [{"context": "a"}, 3, {"context": 5}]})",
        R"({"ok": true, "exit_code": 99999999999, "signal": -1, "timed_out": true})",
        R"({"ok": true, "kernel": {"status": "ok", "total": -1, "variables": [{"shape": [1]}]}})",
        R"({"ok": true, "died": true, "signal": 9, "state_lost": true})",
        R"({"ok": true, "entry": {"name": "b", "type": "socket"}})",
        R"({"ok": false, "code": "not_found", "message": "no"})",
        R"({"ok": 1})",
        std::string(3000, 'y'),
        std::string("{\"a\": \"") + std::string(200'000, 'z') + "\"}",
    };
    return all;
}

class Hostile {
public:
    explicit Hostile(std::uint64_t seed) : random_(seed) {}

    std::size_t below(std::size_t end) { return random_() % end; }

    // Mostly frames that are well-formed and on a channel that is open.
    void speak(Peer& peer) {
        static constexpr wire::Kind kUsual[] = {
            wire::Kind::Event, wire::Kind::Event, wire::Kind::Stdout, wire::Kind::Stderr,
            wire::Kind::Data,  wire::Kind::Eof,   wire::Kind::Credit, wire::Kind::End};
        auto kind = kUsual[below(std::size(kUsual))];
        auto channel = static_cast<ChannelId>(Peer::kFirst + below(kChannels));
        std::uint8_t flags = kind == wire::Kind::Event && below(4) == 0 ? wire::kFlagMore : 0;
        std::string text = texts()[below(texts().size())];
        if (kind == wire::Kind::Credit) text = std::string("\x10\x27\0\0", 4);
        if (kind == wire::Kind::Event && below(8) != 0 && text.empty()) text = "{}";
        if (below(300) == 0) {  // and now and then one that is not
            kind = static_cast<wire::Kind>(below(14));
            channel = static_cast<ChannelId>(random_());
            flags = static_cast<std::uint8_t>(below(4));
        }
        peer.say(kind, channel, text, -1, flags);
    }

private:
    std::mt19937_64 random_;
};

asio::awaitable<void> ignoring(std::function<asio::awaitable<void>()> work) {
    try {
        co_await work();
    } catch (const ErrorException&) {
        // Whatever it is that the guest did, it is said.
    }
}

}  // namespace

TEST(HostileGuest, whatever_it_says_everything_ends) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        SCOPED_TRACE(seed);
        Hostile guest(seed);
        Peer peer;
        NoSandbox sandbox;
        guest_client::Run kernel_run(peer.link, sandbox), program_run(peer.link, sandbox);
        const Files files(peer.link);
        const auto changes = Changes::open(peer.context.get_executor(), peer.link);
        const auto unpacker = files.unpacker("/session", {});
        std::size_t heard = 0;
        const auto run_code = [&](guest_client::Run& run,
                                  Language language) -> asio::awaitable<void> {
            RunRequest request;
            request.language = language;
            request.output_bytes_max = 1 << 20;
            RunListener listener;
            listener.output = [&heard](core::Stream, std::string_view piece) {
                heard += piece.size();
            };
            listener.result = [&heard](const boost::json::object&) { ++heard; };
            listener.error = [&heard](const boost::json::object&) { ++heard; };
            listener.cost = [&run](std::size_t bytes) { run.took(bytes); };
            ChangeView view(changes, [&heard](const ChangedFile&) { ++heard; });
            co_await run.run(std::move(request), std::move(listener));
        };
        const std::vector<std::function<asio::awaitable<void>()>> works{
            [&]() -> asio::awaitable<void> { co_await run_code(kernel_run, Language::Python); },
            [&]() -> asio::awaitable<void> { co_await run_code(program_run, Language::Shell); },
            [&]() -> asio::awaitable<void> { co_await files.list("/", "", 100); },
            [&]() -> asio::awaitable<void> {
                auto file = co_await files.open("/a", 0, 10);
                if (file.pieces) co_await file.pieces->end();
            },
            [&]() -> asio::awaitable<void> {
                int left = 20;
                const ByteSource source =
                    [&left](std::span<char> room) -> asio::awaitable<std::size_t> {
                    co_return left-- > 0 ? room.size() : 0;
                };
                co_await files.unpack(*unpacker, source);
            },
            [&]() -> asio::awaitable<void> { co_await files.remove("/a", true); },
            [&]() -> asio::awaitable<void> {
                co_await create_context(peer.link, "b", "python", "/");
            },
            [&]() -> asio::awaitable<void> {
                co_await list_variables(peer.link, "a", 0, 9, std::chrono::hours{1});
            },
        };
        std::vector<std::shared_ptr<Started<Nothing>>> all;
        for (const auto& work : works) all.push_back(peer.start(ignoring(work)));
        for (int frames = 0; frames < 400 && peer.link->alive(); ++frames) {
            guest.speak(peer);
            if (guest.below(60) == 0) peer.cancel(*all[guest.below(all.size())]);
            if (guest.below(80) == 0) kernel_run.cancel();
            if (guest.below(80) == 0) program_run.cancel();
            if (guest.below(100) == 0) unpacker->stop({Code::Unavailable, "given up"});
            if (guest.below(40) == 0) (void)peer.heard();
        }
        peer.die();
        peer.link->close();
        peer.turn();
        for (const auto& one : all) {
            EXPECT_TRUE(one->done);
            EXPECT_TRUE(one->error.empty() || one->error.find("anceled") != std::string::npos)
                << one->error;
        }
    }
}

}  // namespace atl::guest_client

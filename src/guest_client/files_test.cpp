#include "guest_client/files.hpp"

#include "guest_client/test_support.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

namespace atl::guest_client {

namespace asio = boost::asio;
using testing::Peer;

// Each operation with a guest that hangs: cancelled, as a stop of the server does it, then a late
// answer; and with one that dies.
TEST(Files, a_guest_that_hangs_or_dies_leaves_nothing_behind) {
    using Work = std::function<asio::awaitable<void>(const Files&)>;
    const std::vector<Work> works{
        [](const Files& files) -> asio::awaitable<void> { co_await files.stat("/a", true); },
        [](const Files& files) -> asio::awaitable<void> { co_await files.list("/a", "", 10); },
        [](const Files& files) -> asio::awaitable<void> { co_await files.walk("/a", 3, 10); },
        [](const Files& files) -> asio::awaitable<void> { co_await files.open("/a", 0, 10); },
        [](const Files& files) -> asio::awaitable<void> {
            ByteSource source = [](std::span<char> into) -> asio::awaitable<std::size_t> {
                co_return into.size();  // without an end
            };
            co_await files.write("/a", {}, std::move(source));
        },
        [](const Files& files) -> asio::awaitable<void> { co_await files.make_folder("/a", true); },
        [](const Files& files) -> asio::awaitable<void> { co_await files.move("/a", "/b", {}); },
        [](const Files& files) -> asio::awaitable<void> { co_await files.remove("/a", true); },
    };
    for (std::size_t i = 0; i < works.size(); ++i) {
        Peer peer;
        const Files files(peer.link);
        const auto hanging = peer.start(works[i](files));
        EXPECT_FALSE(hanging->done) << i;
        peer.cancel(*hanging);
        EXPECT_TRUE(hanging->done) << i;
        peer.event(Peer::kFirst, "{}");
        peer.end(Peer::kFirst);
        EXPECT_TRUE(peer.link->alive()) << i;
        const auto dying = peer.start(works[i](files));
        peer.die();
        EXPECT_EQ(dying->error, "the sandbox has ended") << i;
    }
}

// One that names any number of files, each with attributes as large as an event may be, must not
// fill the host.
TEST(Files, a_list_that_is_too_large_is_refused) {
    const std::string text(100'000, 'x');
    const std::string event =
        R"({"entries": [{"name": "a", "type": "file", "attributes": {"k": ")" + text + R"("}}]})";
    for (const bool walks : {true, false}) {
        Peer peer;
        const Files files(peer.link);
        const auto listing =
            peer.start(walks ? files.walk("/a", 1, 20'000) : files.list("/a", "", 20'000));
        int events = 0;
        for (; events < 1000 && !listing->done; ++events) peer.event(Peer::kFirst, event);
        EXPECT_TRUE(listing->done);
        EXPECT_NE(listing->error.find("list them in parts"), std::string::npos) << listing->error;
        EXPECT_GT(events, 100) << "what is usual fits";
        EXPECT_TRUE(peer.link->alive());
    }
}

// There was no free number for the descriptor: the file is asked for once more, as bytes.
TEST(Files, a_descriptor_that_finds_no_room_is_read_as_bytes) {
    Peer peer;
    const Files files(peer.link);
    const auto opening = peer.start(files.open("/a", 0, 1u << 20));
    const UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    rlimit usual{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &usual), 0);
    rlimit full = usual;
    full.rlim_cur = static_cast<rlim_t>(UniqueFd(::dup(file.get())).get());
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &full), 0);
    peer.say(wire::Kind::Event, Peer::kFirst, R"({"descriptor": true, "size": 5})", file.get());
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
    peer.end(Peer::kFirst);
    EXPECT_FALSE(opening->done);
    bool as_bytes = false;
    for (const auto& frame : peer.heard()) {
        as_bytes = as_bytes || (frame.kind == wire::Kind::Request &&
                                frame.payload.find("descriptor_from") == std::string::npos);
    }
    EXPECT_TRUE(as_bytes);
    peer.event(Peer::kFirst + 1, R"({"size": 5})");
    ASSERT_TRUE(opening->value);
    ASSERT_TRUE(opening->value->pieces);
    const auto piece = peer.start(opening->value->pieces->next());
    peer.say(wire::Kind::Data, Peer::kFirst + 1, "bytes");
    ASSERT_TRUE(piece->value && *piece->value);
    EXPECT_EQ((*piece->value)->bytes, "bytes");
}

// What is no plain file could keep a reader waiting; and a guest that passes such a thing again and
// again must not keep the caller in a circle.
TEST(Files, a_descriptor_of_something_else_is_not_used) {
    Peer peer;
    const Files files(peer.link);
    const auto opening = peer.start(files.open("/a", 0, 10));
    const UniqueFd device(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
    const auto opened = R"({"descriptor": true, "size": 5})";
    peer.say(wire::Kind::Event, Peer::kFirst, opened, device.get());
    EXPECT_FALSE(opening->done);
    peer.say(wire::Kind::Event, Peer::kFirst + 1, opened, device.get());
    EXPECT_EQ(opening->error, "the guest passed a file that nobody asked for");
    EXPECT_TRUE(peer.link->alive());
}

}  // namespace atl::guest_client

#include "guest_client/contexts.hpp"

#include "guest_client/test_support.hpp"

#include <functional>
#include <gtest/gtest.h>

namespace atl::guest_client {

namespace asio = boost::asio;
using testing::Peer;
using namespace std::chrono_literals;

namespace {

constexpr const char* kOne = R"({"ok": true, "kernels": [{"context": "a", "cwd": "/session"}]})";

}  // namespace

// Each with a guest that hangs: cancelled, as a stop of the server does it, then a late answer; and
// with one that dies.
TEST(Contexts, a_guest_that_hangs_or_dies_leaves_nothing_behind) {
    using Link = std::shared_ptr<GuestLink>;
    using Work = std::function<asio::awaitable<void>(Link)>;
    const std::vector<Work> works{
        [](Link link) -> asio::awaitable<void> { co_await list_contexts(link); },
        [](Link link) -> asio::awaitable<void> {
            co_await create_context(link, "b", "python", "/session");
        },
        [](Link link) -> asio::awaitable<void> { co_await interrupt_context(link, "a", 1s); },
        [](Link link) -> asio::awaitable<void> { co_await restart_context(link, "a"); },
        [](Link link) -> asio::awaitable<void> { co_await delete_context(link, "a"); },
        [](Link link) -> asio::awaitable<void> { co_await list_variables(link, "a", 0, 9, 1h); },
    };
    for (std::size_t i = 0; i < works.size(); ++i) {
        Peer peer;
        const auto hanging = peer.start(works[i](peer.link));
        EXPECT_FALSE(hanging->done) << i;
        peer.cancel(*hanging);
        EXPECT_TRUE(hanging->done) << i;
        peer.end(Peer::kFirst, kOne);
        EXPECT_TRUE(peer.link->alive()) << i;
        const auto dying = peer.start(works[i](peer.link));
        peer.die();
        EXPECT_EQ(dying->error, "the sandbox has ended") << i;
    }
}

TEST(Contexts, a_kernel_that_is_busy_is_waited_for_only_so_long) {
    Peer peer;
    const auto asking = peer.start(list_variables(peer.link, "a", 0, 9, 1ms));
    peer.end(Peer::kFirst, kOne);
    while (!asking->done) peer.turn();
    EXPECT_NE(asking->error.find("is running something"), std::string::npos) << asking->error;
    EXPECT_TRUE(peer.heard_control("cancel"));
    peer.end(Peer::kFirst + 1, R"({"ok": true, "kernel": {"total": 1}})");
    EXPECT_TRUE(peer.link->alive());
}

// Other code of the sandbox can stop a kernel before it answers. Nobody waits for it for ever.
TEST(Contexts, a_new_kernel_has_a_time_to_come) {
    Peer peer;
    const auto creating = peer.start(create_context(peer.link, "b", "python", "/session"));
    peer.end(Peer::kFirst, kOne);
    bool limited = false;
    for (const auto& frame : peer.heard()) {
        limited = limited || (frame.kind == wire::Kind::Request &&
                              frame.payload.find("timeout_ms") != std::string::npos);
    }
    EXPECT_TRUE(limited);
    peer.end(Peer::kFirst + 1, R"({"ok": true, "timed_out": true})");
    peer.end(Peer::kFirst + 2, R"({"ok": true})");  // it is removed
    EXPECT_NE(creating->error.find("did not start"), std::string::npos) << creating->error;
}

TEST(Contexts, one_that_is_interrupted_hurries_whoever_listens_to_it) {
    Peer peer;
    std::string heard;
    ChannelHandlers handlers;
    handlers.interrupted = [&heard](const std::string& context) { heard = context; };
    const Channel run = peer.link->open({{"op", "kernel.run"}}, std::move(handlers));
    const auto interrupting = peer.start(interrupt_context(peer.link, "a", 1s));
    EXPECT_EQ(heard, "a");
    peer.end(Peer::kFirst + 1, R"({"ok": true, "was_idle": false})");
    EXPECT_EQ(interrupting->value, true);
}

}  // namespace atl::guest_client

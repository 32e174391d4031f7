// Goal: what is kept of programs that have ended is bounded, and those that run are always found.
#include "api/e2b/process_registry.hpp"

#include "guest_client/test_support.hpp"

#include <gtest/gtest.h>

namespace atl::api::e2b {
namespace {

using guest_client::testing::NoSandbox;
using guest_client::testing::Peer;

TEST(ProcessRegistry, a_loop_of_short_commands_does_not_fill_it) {
    constexpr int kCommands = 200;
    const SessionId session("s-test");
    Peer peer;
    NoSandbox sandbox;
    ProcessRegistry registry;
    std::vector<std::weak_ptr<EnvdProcess>> all;
    for (int i = 0; i < kCommands; ++i) {
        const auto channel = Peer::kFirst + static_cast<guest_client::ChannelId>(i);
        sessions::ProcessStart wanted;
        wanted.argv = {"/bin/true"};
        const auto process = std::make_shared<sessions::Process>(
            peer.context.get_executor(), "p-" + std::to_string(i), std::move(wanted),
            core::system_clock());
        const auto starting = peer.start(process->start(peer.link, sandbox));
        const auto pid = std::to_string(1000 + i);
        peer.event(channel, R"({"event": "started", "pid": )" + pid + "}");
        ASSERT_TRUE(starting->done);
        ProcessConfig config;
        config.tag = "tag " + pid;
        const auto one =
            std::make_shared<EnvdProcess>(std::move(config), process, peer.context.get_executor());
        registry.add(session, one);
        all.push_back(one);
        // The first goes on.
        if (i > 0) peer.end(channel, R"({"ok": true, "exit_code": 0})");
    }
    EXPECT_EQ(registry.running(session).size(), 1u);
    EXPECT_TRUE(registry.by_pid(session, 1000)->process().running());
    EXPECT_EQ(registry.by_tag(session, "tag 1199", true)->process().pid(), 1199);
    EXPECT_THROW((void)registry.by_pid(session, 1001, true), ErrorException);
    const auto kept = std::count_if(all.begin(), all.end(),
                                    [](const auto& one) { return one.lock() != nullptr; });
    EXPECT_LE(kept, 1 + 32);
    EXPECT_GT(kept, 16) << "a client that comes back a moment later hears how its command ended";
    registry.forget(session);
}

}  // namespace
}  // namespace atl::api::e2b

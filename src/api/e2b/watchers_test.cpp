// Goal: what waits for a client that does not ask is bounded, whatever happens in the sandbox, and
// no path that a guest makes up is taken for one in the folder.
#include "api/e2b/watchers.hpp"

#include "guest_client/test_support.hpp"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

namespace atl::api::e2b {
namespace {

namespace json = boost::json;
using guest_client::testing::Peer;

std::string change(const std::string& path) {
    return json::serialize(json::object{{"event", "change"}, {"what", "created"}, {"path", path}});
}

class FolderWatchTest : public ::testing::Test {
protected:
    void SetUp() override {
        auto begun = peer.start(watch.begin());
        peer.event(Peer::kFirst, R"({"event": "watching"})");
        ASSERT_TRUE(begun->done);
        ASSERT_EQ(begun->error, "");
    }

    std::string told(FileEvent event) {
        auto message = peer.start(watch.message_of(std::move(event)));
        return message->value ? json::serialize(*message->value) : message->error;
    }

    Peer peer;
    FolderWatch watch{peer.link, WatchRequest{"/session", true, false}};
};

TEST_F(FolderWatchTest, names_are_relative_to_the_folder) {
    for (const auto* path : {"/session/a", "/session/b/c", "/session"}) {
        peer.event(Peer::kFirst, change(path));
    }
    for (const auto* name : {"a", "b/c", "."}) {
        auto event = watch.next();
        ASSERT_TRUE(event);
        EXPECT_EQ(told(std::move(*event)),
                  R"({"name":")" + std::string(name) + R"(","type":"EVENT_TYPE_CREATE"})");
    }
    EXPECT_FALSE(watch.next());
}

// A PID 1 that was taken over may say any of these. What is before the name must not be cut off
// from a path that does not have it: that would read what is behind the text.
TEST_F(FolderWatchTest, what_is_not_in_the_folder_is_not_told) {
    for (const auto* path : {"", "/", "x", "/sessio", "/sess", "/session2/a", "/etc/passwd"}) {
        peer.event(Peer::kFirst, change(path));
    }
    EXPECT_FALSE(watch.next());
    EXPECT_FALSE(watch.lost_some());
}

TEST_F(FolderWatchTest, long_paths_do_not_fill_the_server) {
    const std::string folder = "/session/" + std::string(4000, 'x');
    for (int i = 0; i < 1000; ++i) peer.event(Peer::kFirst, change(folder + std::to_string(i)));
    std::size_t bytes = 0, events = 0;
    while (const auto event = watch.next()) {
        bytes += event->path.size();
        ++events;
    }
    EXPECT_LE(bytes, 1u << 20);
    EXPECT_GT(events, 200u);
    EXPECT_TRUE(watch.lost_some()) << "and the client is told so";
    // Whoever has asked has room again.
    peer.event(Peer::kFirst, change(folder));
    EXPECT_TRUE(watch.next());
    EXPECT_FALSE(watch.lost_some());
}

TEST_F(FolderWatchTest, who_polls_a_folder_that_is_too_busy_hears_of_events_as_well) {
    const auto flood = [&] {
        for (int i = 0; i < 5000; ++i) peer.event(Peer::kFirst, change("/session/x"));
    };
    for (int round = 0; round < 3; ++round) {
        flood();
        EXPECT_TRUE(watch.tells_of_loss());
        flood();
        EXPECT_FALSE(watch.tells_of_loss()) << "it was said, and something waits";
        while (watch.next()) {}
    }
    EXPECT_TRUE(watch.tells_of_loss()) << "of the last flood";
    EXPECT_FALSE(watch.tells_of_loss());
    EXPECT_FALSE(watch.tells_of_loss());
}

}  // namespace
}  // namespace atl::api::e2b

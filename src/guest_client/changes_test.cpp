#include "guest_client/changes.hpp"

#include "guest_client/test_support.hpp"

#include <gtest/gtest.h>

namespace atl::guest_client {

using testing::Peer;
using namespace std::chrono_literals;

namespace {

constexpr const char* kTold = R"({"event": "told", "complete": true, "number": 1})";

std::string changed(const std::string& what, const std::string& name) {
    return R"({"event": "changes", "entries": [{"name": ")" + name + R"(", "change": ")" + what +
           R"(", "size": 3}]})";
}

}  // namespace

TEST(Changes, a_view_has_what_changed_while_it_looked) {
    Peer peer;
    const auto changes = Changes::open(peer.context.get_executor(), peer.link);
    ChangeView view(changes);
    peer.turn();
    peer.event(Peer::kFirst, changed("created", "/session/a"));
    peer.event(Peer::kFirst, changed("modified", "/session/a"));
    peer.event(Peer::kFirst, changed("created", "/session/b"));
    peer.event(Peer::kFirst, changed("removed", "/session/b"));
    const auto finished = peer.start(view.finish());
    EXPECT_FALSE(finished->done);
    peer.event(Peer::kFirst, changed("modified", "/session/c"));
    peer.event(Peer::kFirst, kTold);
    EXPECT_TRUE(finished->done);
    EXPECT_TRUE(view.complete());
    ASSERT_EQ(view.files().size(), 2u);
    EXPECT_EQ(view.files().at("/session/a").change, "created");
    EXPECT_EQ(view.files().at("/session/c").change, "modified");
}

// Each view keeps its own copy, for as long as a run lasts.
TEST(Changes, long_paths_do_not_fill_the_memory) {
    Peer peer;
    const auto changes = Changes::open(peer.context.get_executor(), peer.link);
    ChangeView view(changes);
    peer.turn();
    const std::string folder = "/session/" + std::string(4000, 'a');
    for (int i = 0; i < 2000; ++i) {  // what is gone again takes no room
        peer.event(Peer::kFirst, changed("created", folder));
        peer.event(Peer::kFirst, changed("removed", folder));
    }
    EXPECT_TRUE(view.complete());
    for (int i = 0; i < 2000; ++i) {
        peer.event(Peer::kFirst, changed("created", folder + std::to_string(i)));
    }
    EXPECT_GT(view.files().size(), 900u);
    EXPECT_LT(view.files().size(), 1100u);
    EXPECT_FALSE(view.complete());
}

TEST(Changes, what_is_told_with_the_end_of_a_run_is_not_asked_for_again) {
    Peer peer;
    const auto changes = Changes::open(peer.context.get_executor(), peer.link);
    ChangeView view(changes);
    const auto at_end = view.tell_at_end();
    ASSERT_TRUE(at_end);
    EXPECT_EQ(at_end->channel, Peer::kFirst);
    peer.turn();
    peer.event(Peer::kFirst, changed("created", "/session/a"));
    peer.event(Peer::kFirst, kTold);
    EXPECT_TRUE(peer.start(view.finish())->done);
    EXPECT_FALSE(peer.heard_control("tell"));
    EXPECT_TRUE(view.complete());
    EXPECT_EQ(view.files().size(), 1u);
}

TEST(Changes, what_was_not_told_with_the_end_of_a_run_is_asked_for) {
    Peer peer;
    const auto changes = Changes::open(peer.context.get_executor(), peer.link);
    ChangeView view(changes);
    ASSERT_TRUE(view.tell_at_end());
    const auto finished = peer.start(view.finish());
    EXPECT_TRUE(peer.heard_control("tell"));
    peer.event(Peer::kFirst, kTold);  // the run's, late: the answer to the question follows
    EXPECT_FALSE(finished->done);
    peer.event(Peer::kFirst, R"({"event": "told", "complete": true, "number": 2})");
    EXPECT_TRUE(finished->done);
    EXPECT_TRUE(view.complete());
}

// Of a guest that lies: a number that nobody asked with must not count for later questions.
TEST(Changes, a_number_from_the_future_answers_nothing) {
    Peer peer;
    const auto changes = Changes::open(peer.context.get_executor(), peer.link, 1ms);
    ChangeView view(changes);
    peer.turn();
    peer.event(Peer::kFirst, R"({"event": "told", "complete": true, "number": 99})");
    peer.event(Peer::kFirst, R"({"event": "told", "complete": true, "number": -1})");
    const auto finished = peer.start(view.finish());
    EXPECT_FALSE(finished->done);
    while (!finished->done) peer.turn();
    EXPECT_FALSE(view.complete());
}

TEST(Changes, a_guest_that_dies_is_not_waited_for) {
    Peer peer;
    const auto changes = Changes::open(peer.context.get_executor(), peer.link);
    ChangeView view(changes), other(changes);
    const auto finished = peer.start(view.finish());
    const auto too = peer.start(other.finish());
    peer.die();
    EXPECT_TRUE(finished->done && too->done);
    EXPECT_FALSE(view.complete() || other.complete());
    ChangeView late(changes);
    EXPECT_TRUE(peer.start(late.finish())->done);
    EXPECT_FALSE(late.complete());
}

TEST(Changes, a_guest_that_does_not_answer_is_not_waited_for) {
    Peer peer;
    const auto changes = Changes::open(peer.context.get_executor(), peer.link, 1ms);
    ChangeView view(changes);
    const auto finished = peer.start(view.finish());
    while (!finished->done) peer.turn();
    EXPECT_FALSE(view.complete());
    peer.event(Peer::kFirst, kTold);  // late, and harmless
    EXPECT_TRUE(peer.link->alive());
}

// The clock has run out and the coroutine is gone before the timer's handler runs. What the handler
// writes to must still be there; the address sanitizer sees it if not.
TEST(Changes, a_clock_that_runs_out_for_nobody_is_harmless) {
    Peer peer;
    const auto changes = Changes::open(peer.context.get_executor(), peer.link, 100ms);
    ChangeView view(changes);
    const auto finished = peer.start(view.finish());
    const auto until = std::chrono::steady_clock::now() + 110ms;
    finished->cancel.emit(boost::asio::cancellation_type::terminal);
    // The coroutine's wake-up is queued, and the loop finds the timer expired in the same turn.
    peer.context.poll_one();
    while (std::chrono::steady_clock::now() < until) {}
    peer.turn();
    EXPECT_TRUE(finished->done);
    peer.event(Peer::kFirst, kTold);
    EXPECT_TRUE(peer.link->alive());
}

TEST(Changes, one_that_is_gone_hears_nothing_more) {
    Peer peer;
    auto changes = Changes::open(peer.context.get_executor(), peer.link);
    peer.turn();
    changes.reset();
    EXPECT_TRUE(peer.heard_control("cancel"));
    peer.event(Peer::kFirst, changed("created", "/session/a"));
    peer.event(Peer::kFirst, kTold);
    peer.end(Peer::kFirst);
    EXPECT_TRUE(peer.link->alive());
}

}  // namespace atl::guest_client

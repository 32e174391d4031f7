#include "agent/presence.hpp"

#include "base/result.hpp"

#include <gtest/gtest.h>

namespace atl::agent {

namespace {

using namespace std::chrono_literals;

class PresenceTest : public ::testing::Test {
protected:
    void here(const std::string& tab) { presence_.here("ann", thread_, tab, now_); }
    void left(const std::string& tab) { presence_.left("ann", thread_, tab, now_); }
    // How often the thread was due in the time that passes.
    std::size_t due_within(std::chrono::seconds time) {
        std::size_t count = 0;
        for (const auto until = now_ + time; now_ < until;) {
            now_ += 1s;
            count += presence_.due(now_).size();
        }
        return count;
    }

    Presence presence_{15s};
    ThreadId thread_{"th-1"};
    Presence::Moment now_{1h};
};

}  // namespace

TEST_F(PresenceTest, AThreadIsDueOnceAfterItsLastTabHasLeft) {
    EXPECT_EQ(due_within(1h), 0u) << "nobody ever spoke of it";
    here("a");
    here("b");
    left("a");
    EXPECT_EQ(due_within(60s), 0u) << "b is there";
    EXPECT_TRUE(presence_.is_anybody_in(thread_));
    left("b");
    EXPECT_FALSE(presence_.is_anybody_in(thread_));
    EXPECT_EQ(due_within(14s), 0u);
    EXPECT_EQ(due_within(2s), 1u);
    EXPECT_EQ(due_within(1h), 0u);
}

TEST_F(PresenceTest, AReloadIsNoLeaving) {
    here("before");
    left("before");
    due_within(10s);
    here("after");
    EXPECT_EQ(due_within(60s), 0u);
    left("after");
    EXPECT_EQ(due_within(16s), 1u);
}

TEST_F(PresenceTest, WordsOfTwoArrivalsMayComeInAnyOrder) {
    here("first");
    here("second");
    left("first");  // late: sent before the second came
    EXPECT_EQ(due_within(60s), 0u);
    left("third");  // came and went, and the second word was quicker
    here("third");
    left("second");
    EXPECT_EQ(due_within(16s), 1u);
    left("second");  // again
    EXPECT_EQ(due_within(60s), 0u);
}

// Goal: a word about leaving alone, after this server has begun anew, ends nothing: others may be
// there who have not said so yet.
TEST_F(PresenceTest, WhoWasNotKnownToBeThereLeavesNothing) {
    left("unknown");
    EXPECT_EQ(due_within(1h), 0u);
}

TEST_F(PresenceTest, ATabThatIsSilentForLongIsForgottenWithoutAnEnd) {
    here("crashed");
    EXPECT_EQ(due_within(299s), 0u);
    EXPECT_TRUE(presence_.is_anybody_in(thread_));
    EXPECT_EQ(due_within(2s), 0u);
    EXPECT_FALSE(presence_.is_anybody_in(thread_));
    EXPECT_EQ(due_within(1h), 0u);
    here("crashed");  // its computer had slept
    EXPECT_TRUE(presence_.is_anybody_in(thread_));
    for (int i = 0; i < 20; ++i) {
        due_within(60s);
        here("crashed");
    }
    EXPECT_TRUE(presence_.is_anybody_in(thread_));
}

TEST_F(PresenceTest, WhatIsAtWorkIsDueAgainUntilSomebodyComes) {
    here("a");
    left("a");
    EXPECT_EQ(due_within(16s), 1u);
    for (int i = 0; i < 100; ++i) {
        presence_.at_work(thread_, now_);
        EXPECT_EQ(due_within(3s), 1u);
    }
    presence_.at_work(thread_, now_);
    here("b");
    EXPECT_EQ(due_within(60s), 0u);
    presence_.at_work(thread_, now_);  // said of the time before
    EXPECT_EQ(due_within(60s), 0u);
}

TEST_F(PresenceTest, NothingIsDueWithoutAGrace) {
    Presence never{0s};
    never.here("ann", thread_, "a", now_);
    never.left("ann", thread_, "a", now_);
    EXPECT_TRUE(never.due(now_ + 1h).empty());
}

// Goal: an owner cannot fill the memory, neither with tabs that come nor with tabs that go.
TEST_F(PresenceTest, TabsOfAThreadAndOfAnOwnerAreBounded) {
    for (std::size_t i = 0; i < kTabsOfThreadMax; ++i) here(std::to_string(i));
    EXPECT_THROW(here("one more"), ErrorException);
    here("0");  // it is there already
    std::size_t taken = kTabsOfThreadMax;
    for (int thread = 0; taken < kTabsOfOwnerMax; ++thread) {
        presence_.here("ann", ThreadId("t" + std::to_string(thread)), "a", now_);
        ++taken;
    }
    EXPECT_THROW(presence_.here("ann", ThreadId("other"), "a", now_), ErrorException);
    for (int i = 0; i < 2000; ++i) presence_.left("ann", ThreadId(std::to_string(i)), "a", now_);
    presence_.here("bob", ThreadId("bobs"), "a", now_);
    presence_.forget(thread_);
    presence_.here("ann", ThreadId("other"), "a", now_);
    due_within(301s);  // all of them are silent
    for (std::size_t i = 0; i < kTabsOfThreadMax; ++i) here(std::to_string(i));
}

TEST_F(PresenceTest, NobodySpeaksForAnotherOwner) {
    here("a");
    presence_.left("bob", thread_, "a", now_);
    EXPECT_EQ(due_within(60s), 0u);
    presence_.left("bob", ThreadId("th-2"), "b", now_);
    presence_.here("ann", ThreadId("th-2"), "b", now_);
    presence_.left("ann", ThreadId("th-2"), "b", now_);
    EXPECT_EQ(due_within(16s), 1u);
}

}  // namespace atl::agent

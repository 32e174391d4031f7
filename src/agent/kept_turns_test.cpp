#include "agent/kept_turns.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>
#include <vector>

namespace atl::agent {

namespace {

constexpr std::size_t kMebibyte = 1u << 20;

class KeptTurnsTest : public ::testing::Test {
protected:
    std::shared_ptr<LiveTurn> ended(const std::string& owner, std::size_t mebibytes) {
        auto turn = std::make_shared<LiveTurn>(loop_.get_executor(), ThreadId("t"));
        turn->number = 1;
        turn->outcome.answer = std::string(mebibytes * kMebibyte / 2, 'x');
        turn->log.add("done", std::string(mebibytes * kMebibyte / 2, 'x'));
        turn->log.end();
        kept_.add(owner, turn);
        return turn;
    }

    boost::asio::io_context loop_;
    KeptTurns kept_{10 * kMebibyte};
};

}  // namespace

// Goal: however many large answers end, what is kept of them has a limit, and the latest are kept.
TEST_F(KeptTurnsTest, HaveOneLimitTogetherAndTheOldestGoFirst) {
    std::vector<std::shared_ptr<LiveTurn>> turns;
    for (int i = 0; i < 40; ++i) {
        turns.push_back(ended("ann", 4));
        EXPECT_LE(kept_.bytes(), 10 * kMebibyte + 1024);
    }
    std::size_t bytes = 0;
    for (const auto& turn : turns) bytes += turn->bytes();
    EXPECT_LE(bytes, 11 * kMebibyte);
    EXPECT_TRUE(turns.front()->forgotten);
    EXPECT_TRUE(turns.front()->log.missed(0));  // who follows it is told so
    EXPECT_TRUE(turns.front()->log.ended());
    EXPECT_FALSE(turns.back()->forgotten);
}

// Goal: who has many large answers loses them before somebody else loses a small one.
TEST_F(KeptTurnsTest, OneOwnersArePushedOutByTheirOwn) {
    const auto small = ended("bob", 1);
    std::vector<std::shared_ptr<LiveTurn>> turns;
    for (int i = 0; i < 20; ++i) turns.push_back(ended("ann", 4));
    EXPECT_FALSE(small->forgotten);
    EXPECT_TRUE(turns.front()->forgotten);
    EXPECT_FALSE(turns.back()->forgotten);
}

// Goal: who waits for one answer in one piece gets it; it may be forgotten once it was taken.
TEST_F(KeptTurnsTest, OneThatIsAwaitedIsNotTakenAway) {
    const auto awaited = ended("ann", 4);
    {
        const LiveTurn::Awaited waits(*awaited);
        const auto next = ended("ann", 4);
        const auto last = ended("ann", 4);
        EXPECT_FALSE(awaited->forgotten);
        EXPECT_TRUE(next->forgotten);
    }
    const auto more = ended("ann", 8);
    EXPECT_TRUE(awaited->forgotten);
}

// Goal: turns that nobody has any more count no longer.
TEST_F(KeptTurnsTest, WhatHasGoneIsNotCounted) {
    ended("ann", 8);
    const auto here = ended("bob", 8);
    EXPECT_FALSE(here->forgotten);
    kept_.tidy();
    EXPECT_LE(kept_.bytes(), 9 * kMebibyte);
}

}  // namespace atl::agent

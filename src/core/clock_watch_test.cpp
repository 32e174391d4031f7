#include "core/clock_watch.hpp"

#include <gtest/gtest.h>

namespace atl::core {

namespace {

using namespace std::chrono_literals;

// Both clocks, moved by hand.
class ClockWatchTest : public ::testing::Test {
protected:
    void pass(std::chrono::milliseconds time) {
        wall_ += time;
        steady_ += time;
    }
    void set_forward(std::chrono::milliseconds time) { wall_ += time; }
    bool settled() { return watch_.settled(wall_, steady_); }

    Time wall_{std::chrono::milliseconds{1'800'000'000'000}};
    ClockWatch::Steady steady_{std::chrono::hours{5}};
    ClockWatch watch_;
};

}  // namespace

TEST_F(ClockWatchTest, TimeThatPassesIsNoLeap) {
    EXPECT_TRUE(settled());
    for (int i = 0; i < 100; ++i) {
        pass(1h);
        set_forward(20s);  // as a clock is trimmed
        EXPECT_TRUE(settled());
    }
}

// Goal: a clock that was a year ahead for a moment costs nobody anything.
TEST_F(ClockWatchTest, AfterALeapNothingIsRemovedForAWhile) {
    EXPECT_TRUE(settled());
    set_forward(24h * 365);
    EXPECT_FALSE(settled());
    pass(5min);
    EXPECT_FALSE(settled());
    set_forward(-24h * 365);  // put right
    EXPECT_FALSE(settled());
    pass(ClockWatch::kGrace);
    EXPECT_TRUE(settled());
}

TEST_F(ClockWatchTest, AClockThatStaysCountsAgain) {
    EXPECT_TRUE(settled());
    set_forward(48h);  // the machine was suspended
    EXPECT_FALSE(settled());
    pass(ClockWatch::kGrace);
    EXPECT_TRUE(settled());
}

}  // namespace atl::core

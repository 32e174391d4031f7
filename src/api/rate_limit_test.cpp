#include "api/rate_limit.hpp"

#include <gtest/gtest.h>

namespace atl::api {

using namespace std::chrono_literals;

TEST(RateLimit, LetsAWindowsWorthPassAndThenAsManyAsTimeGives) {
    RateLimit limit(3, 6s);
    const auto start = RateLimit::Clock::now();
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(limit.take("a", start));
    EXPECT_EQ(limit.take("a", start), 2s);
    EXPECT_FALSE(limit.take("b", start)) << "others have a bucket of their own";
    EXPECT_EQ(limit.take("a", start + 1s), 1s);
    EXPECT_FALSE(limit.take("a", start + 2100ms));
    EXPECT_TRUE(limit.take("a", start + 2200ms));
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(limit.take("a", start + 1h)) << "never more than full";
    EXPECT_TRUE(limit.take("a", start + 1h));
}

TEST(RateLimit, ForgetsTheLongestUnseenAndStaysSmall) {
    RateLimit limit(1, 1h, 100);
    const auto now = RateLimit::Clock::now();
    EXPECT_FALSE(limit.take("busy", now));
    for (int i = 0; i < 10'000; ++i) {
        (void)limit.take("stranger " + std::to_string(i), now);
        EXPECT_TRUE(limit.take("busy", now));
    }
    EXPECT_EQ(limit.entries(), 100u);
}

TEST(RateLimit, AWindowOfAMillisecondDoesNotOverflow) {
    RateLimit limit(1'000'000'000, 1ms);
    EXPECT_FALSE(limit.take("a", RateLimit::Clock::now()));
    RateLimit slow(1, 24h);
    const auto now = RateLimit::Clock::now();
    EXPECT_FALSE(slow.take("a", now));
    EXPECT_EQ(slow.take("a", now), 24h);
}

TEST(RateLimit, AnIpv6NetworkIsOneAddress) {
    EXPECT_EQ(address_of_limit("2001:db8:1:2:3:4:5:6"), address_of_limit("2001:db8:1:2::1"));
    EXPECT_NE(address_of_limit("2001:db8:1:2::1"), address_of_limit("2001:db8:1:3::1"));
    EXPECT_EQ(address_of_limit("192.0.2.7"), "192.0.2.7");
    EXPECT_EQ(address_of_limit("unix"), "unix");
}

}  // namespace atl::api

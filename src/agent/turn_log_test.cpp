#include "agent/turn_log.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace atl::agent {

TEST(TurnLog, GivesEachReaderWhatComesAfterItsPlace) {
    boost::asio::io_context loop;
    TurnLog log(loop.get_executor());
    EXPECT_EQ(log.last(), 0u);
    EXPECT_EQ(log.after(0), nullptr);
    log.add("status", "a");
    log.add("token", "b");
    ASSERT_NE(log.after(0), nullptr);
    EXPECT_EQ(log.after(0)->data, "a");
    EXPECT_EQ(log.after(1)->data, "b");
    EXPECT_EQ(log.after(2), nullptr);
    EXPECT_EQ(log.after(99), nullptr);
    EXPECT_FALSE(log.missed(0));
}

// Goal: a turn that never stops talking does not fill the server, and who is behind is told so.
TEST(TurnLog, IsBoundedInNumberAndBytes) {
    boost::asio::io_context loop;
    TurnLog many(loop.get_executor());
    for (int i = 0; i < 50'000; ++i) many.add("token", "x");
    EXPECT_EQ(many.last(), 50'000u);
    EXPECT_TRUE(many.missed(0));
    EXPECT_EQ(many.after(0), nullptr);
    EXPECT_FALSE(many.missed(30'000));
    ASSERT_NE(many.after(49'999), nullptr);
    TurnLog large(loop.get_executor());
    for (int i = 0; i < 100; ++i) large.add("code_run", std::string(1 << 20, 'x'));
    EXPECT_TRUE(large.missed(90));
    ASSERT_NE(large.after(99), nullptr);
}

}  // namespace atl::agent

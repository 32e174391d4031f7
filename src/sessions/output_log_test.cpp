#include "sessions/output_log.hpp"

#include <gtest/gtest.h>

namespace atl::sessions {
namespace {

using core::Stream;

std::string all_from(const OutputLog& log, std::uint64_t offset) {
    std::string text;
    while (const auto piece = log.at(offset)) {
        text.append(piece->bytes);
        offset += piece->bytes.size();
    }
    return text;
}

TEST(OutputLog, keeps_the_order_of_both_streams) {
    OutputLog log(1000);
    log.add(Stream::Stdout, "ab");
    log.add(Stream::Stderr, "cd");
    log.add(Stream::Stdout, "ef");
    EXPECT_EQ(log.begin(), 0u);
    EXPECT_EQ(log.end(), 6u);
    EXPECT_EQ(all_from(log, 0), "abcdef");
    ASSERT_TRUE(log.at(3));
    EXPECT_EQ(log.at(3)->stream, Stream::Stderr);
    EXPECT_EQ(log.at(3)->bytes, "d");
    EXPECT_FALSE(log.at(6));
}

TEST(OutputLog, forgets_the_oldest_and_says_where_it_begins) {
    OutputLog log(50'000);
    std::string written;
    for (int i = 0; i < 3000; ++i) {
        const std::string line = std::to_string(i) + "-line of some length\n";
        log.add(i % 7 == 0 ? Stream::Stderr : Stream::Stdout, line);
        written += line;
    }
    EXPECT_EQ(log.end(), written.size());
    EXPECT_LE(log.end() - log.begin(), 50'000u);
    EXPECT_GT(log.end() - log.begin(), 50'000u - 20'000u);
    EXPECT_FALSE(log.at(log.begin() - 1));
    EXPECT_EQ(all_from(log, log.begin()), written.substr(log.begin()));
    EXPECT_EQ(all_from(log, log.end() - 5), written.substr(written.size() - 5));
}

TEST(OutputLog, one_piece_that_is_larger_than_all) {
    OutputLog log(100'000);
    log.add(Stream::Stdout, "before");
    std::string large(262'144, 'x');
    large.back() = 'y';
    log.add(Stream::Stdout, large);
    EXPECT_EQ(log.end(), large.size() + 6);
    EXPECT_LE(log.end() - log.begin(), 100'000u);
    EXPECT_EQ(all_from(log, log.end() - 2), "xy");
}

}  // namespace
}  // namespace atl::sessions

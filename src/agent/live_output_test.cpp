#include "agent/live_output.hpp"

#include <gtest/gtest.h>

namespace atl::agent {

namespace {

using core::Stream;

std::string text_of_stream(const std::vector<LiveOutput::Piece>& pieces, Stream stream) {
    std::string text;
    for (const auto& piece : pieces) {
        if (piece.stream == stream) text += piece.text;
    }
    return text;
}

}  // namespace

// Goal: many prints are few pieces, and nothing of them is lost.
TEST(LiveOutputTest, JoinsWhatCameBetweenTwoTakes) {
    LiveOutput output(1'000'000);
    for (int i = 0; i < 1000; ++i) output.add(Stream::Stdout, "x\n");
    auto pieces = output.take();
    ASSERT_EQ(pieces.size(), 1u);
    EXPECT_EQ(pieces[0].text.size(), 2000u);
    EXPECT_FALSE(pieces[0].last);
    EXPECT_TRUE(output.empty());
    EXPECT_TRUE(output.take().empty());
}

TEST(LiveOutputTest, KeepsTheOrderOfTheStreams) {
    LiveOutput output(1000);
    output.add(Stream::Stdout, "a");
    output.add(Stream::Stderr, "b");
    output.add(Stream::Stdout, "c");
    const auto pieces = output.take();
    ASSERT_EQ(pieces.size(), 3u);
    EXPECT_EQ(pieces[0].text + pieces[1].text + pieces[2].text, "abc");
    EXPECT_EQ(pieces[1].stream, Stream::Stderr);
}

// Goal: a program that alternates between its streams does not make an event of each byte.
TEST(LiveOutputTest, HasFewPiecesHoweverStreamsAlternate) {
    LiveOutput output(100'000);
    std::string out, err;
    for (int i = 0; i < 1000; ++i) {
        const std::string number = std::to_string(i) + ' ';
        output.add(Stream::Stdout, number);
        output.add(Stream::Stderr, number);
        out += number;
        err += number;
    }
    const auto pieces = output.take();
    EXPECT_LE(pieces.size(), 8u);
    EXPECT_EQ(text_of_stream(pieces, Stream::Stdout), out);
    EXPECT_EQ(text_of_stream(pieces, Stream::Stderr), err);
}

TEST(LiveOutputTest, EndsAtItsLimitAndSaysSo) {
    LiveOutput output(10);
    output.add(Stream::Stdout, "12345");
    output.add(Stream::Stderr, "67890");
    EXPECT_FALSE(output.take().back().last);
    output.add(Stream::Stdout, "more");
    const auto pieces = output.take();
    ASSERT_EQ(pieces.size(), 1u);
    EXPECT_TRUE(pieces[0].last);
    EXPECT_EQ(pieces[0].text, "");
    output.add(Stream::Stderr, "never");
    EXPECT_TRUE(output.empty());
}

TEST(LiveOutputTest, CutsNoCharacterAndReplacesWhatIsNone) {
    LiveOutput output(1000);
    output.add(Stream::Stdout, "\xe4\xb8");
    EXPECT_TRUE(output.empty());
    output.add(Stream::Stderr, "between");
    output.add(Stream::Stdout, "\xad!\xff");
    output.add(Stream::Stdout, ".");
    const auto pieces = output.take();
    EXPECT_EQ(text_of_stream(pieces, Stream::Stdout), "\u4e2d!\ufffd.");
    LiveOutput narrow(4);
    narrow.add(Stream::Stdout, "ab\u4e2d");
    const auto cut = narrow.take();
    ASSERT_EQ(cut.size(), 1u);
    EXPECT_EQ(cut[0].text, "ab");
    EXPECT_TRUE(cut[0].last);
}

}  // namespace atl::agent

#include "agent/text.hpp"

#include <gtest/gtest.h>

namespace atl::agent {

// Goal: what a model reads is bounded, says what is missing, and is never cut within a character.
TEST(Text, IsCutInTheMiddleBetweenCharacters) {
    EXPECT_EQ(cut_in_the_middle("short", 10), "short");
    const std::string long_text = "begin" + std::string(1000, 'x') + "end";
    const auto cut = cut_in_the_middle(long_text, 100);
    EXPECT_TRUE(cut.starts_with("begin"));
    EXPECT_TRUE(cut.ends_with("end"));
    EXPECT_NE(cut.find("908 bytes"), std::string::npos) << cut;
    std::string wide;
    for (int i = 0; i < 100; ++i) wide += "\xe4\xb8\xad";
    for (std::size_t most = 20; most < 40; ++most) {
        const auto some = cut_in_the_middle(wide, most);
        const auto note = some.find("\n[");
        EXPECT_EQ(note % 3, 0u) << most;
    }
}

TEST(Text, ThatComesInPiecesIsCutTheSame) {
    for (const std::size_t piece : {1u, 7u, 64u, 5000u}) {
        SCOPED_TRACE(piece);
        MiddleCut cut(100);
        const std::string all = "begin" + std::string(20'000, 'x') + "end";
        for (std::size_t at = 0; at < all.size(); at += piece) cut.add(all.substr(at, piece));
        const auto text = cut.text();
        EXPECT_TRUE(text.starts_with("begin"));
        EXPECT_TRUE(text.ends_with("end"));
        EXPECT_LT(text.size(), 200u);
        EXPECT_NE(text.find("19908 bytes"), std::string::npos) << text;
    }
    MiddleCut small(100);
    small.add("all ");
    small.add("of it");
    EXPECT_EQ(small.text(), "all of it");
    EXPECT_FALSE(small.cut());
}

TEST(Text, OfATracebackKeepsTheCellAndTheError) {
    std::string trace =
        "KeyError   Traceback (most recent call last)\n\nCell In[3], line 1\n----> 1 df['b']";
    for (int i = 0; i < 50; ++i)
        trace += "\n\nFile pandas/core/frame.py:38, in f()\n  " + std::string(100, 'y');
    trace += "\n\nFile pandas/core/indexes/base.py, in get_loc\n\nKeyError: 'b'";
    const auto useful = useful_traceback(trace, 2000);
    EXPECT_NE(useful.find("df['b']"), std::string::npos);
    EXPECT_NE(useful.find("get_loc"), std::string::npos);
    EXPECT_TRUE(useful.ends_with("KeyError: 'b'\n"));
    EXPECT_NE(useful.find("50 frames of libraries"), std::string::npos);
    EXPECT_LT(useful.size(), 1000u);
}

TEST(Text, TitlesAreOneLine) {
    EXPECT_EQ(first_line("  what\n\tis  this? ", 60), "what is this?");
    EXPECT_EQ(first_line("abcdef", 3), "abc…");
    EXPECT_EQ(first_line("总销售额是多少", 3), "总销售…");
    EXPECT_EQ(first_line(" \n ", 10), "");
}

TEST(Text, SizesAreForPeople) {
    EXPECT_EQ(size_text(1), "1 byte");
    EXPECT_EQ(size_text(999), "999 bytes");
    EXPECT_EQ(size_text(123'456), "123.5 kB");
    EXPECT_EQ(size_text(5'000'000'000), "5.0 GB");
}

TEST(Text, ImagesAreKnownByTheirNames) {
    EXPECT_EQ(image_type_of("/data/outputs/A.PNG"), "image/png");
    EXPECT_EQ(image_type_of(".png"), "");
    EXPECT_EQ(image_type_of("x.txt"), "");
}

}  // namespace atl::agent

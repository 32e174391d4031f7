// What steers a terminal or a reader's eye is found, and shown as what it is.
#include "base/text.hpp"

#include <gtest/gtest.h>

namespace atl {

TEST(Text, HarmIsFoundAndShown) {
    const struct {
        std::string_view text, shown;
    } rows[] = {
        {"a\x1b[2Jb", "a\\u001b[2Jb"},
        {"two\nlines\t", "two\\u000alines\\u0009"},
        {"\x7f", "\\u007f"},
        {"csi \xc2\x9b"
         "2J",
         "csi \\u009b2J"},
        {"\xc2\x80\xc2\x9f", "\\u0080\\u009f"},
        {"invoice\xe2\x80\xae"
         "fdp.exe",
         "invoice\\u202efdp.exe"},
        {"\xe2\x81\xa6x\xe2\x81\xa9", "\\u2066x\\u2069"},
        {"\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f", "\\u061c\\u200e\\u200f"},
        {"\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029"},
        {"raw \x9b\xff", "raw \\x9b\\xff"},
        {"cut \xe2\x80", "cut \\xe2\\x80"},
        {"overlong \xc0\x9b \xe0\x82\x9b", "overlong \\xc0\\x9b \\xe0\\x82\\x9b"},
        {"half \xed\xa0\x80", "half \\xed\\xa0\\x80"},
        {std::string_view("nul\0", 4), "nul\\u0000"},
    };
    for (const auto& row : rows) {
        EXPECT_FALSE(is_harmless(row.text)) << row.shown;
        EXPECT_EQ(printable(row.text), row.shown);
        EXPECT_TRUE(is_harmless(printable(row.text)));
    }
}

TEST(Text, WordsOfAllLanguagesStay) {
    for (const std::string_view text :
         {"", "plain",
          "Gr\xc3\xbc\xc3\x9f"
          "e",
          "\xe6\x97\xa5\xe6\x9c\xac", "\xd7\xa9\xd7\x9c", "\xf0\x9f\x98\x80",
          "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb",
          "a\xc2\xa0"
          "b"}) {
        EXPECT_TRUE(is_harmless(text)) << text;
        EXPECT_EQ(printable(text), text);
    }
    EXPECT_EQ(harmless("a\xe2\x80\xae"
                       "b\x1b\xff"
                       "c\xc3\xa9",
                       '_'),
              "a_b__c\xc3\xa9");
    EXPECT_EQ(printable("one\ntwo\x1b", Lines::Kept), "one\ntwo\\u001b");
}

TEST(Text, AProgramMayColourAndNoMore) {
    const std::string text =
        "\x1b[1;31mred\x1b[0m\r\n50%\b\b\x1b[2J\x1b]0;title\x07\x1b[38:5:"
        "1mx\xc2\x9bm\xe2\x82\xac\x1b";
    const std::string shown =
        "\x1b[1;31mred\x1b[0m\r\n50%\b\b\\u001b[2J\\u001b]0;title\\u0007\x1b[38:5:"
        "1mx\\u009bm\xe2\x82\xac"
        "\\u001b";
    for (std::size_t step = 1; step <= text.size(); ++step) {
        TerminalText filter;
        std::string out;
        for (std::size_t at = 0; at < text.size(); at += step) {
            out += filter.pass(std::string_view(text).substr(at, step));
        }
        EXPECT_EQ(out + filter.finish(), shown) << step;
    }
    TerminalText endless;
    EXPECT_FALSE(endless.pass("\x1b[" + std::string(1000, '1')).empty());
}

}  // namespace atl

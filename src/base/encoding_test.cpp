// Goal: what was encoded comes back, and what is no code is refused.
#include "base/encoding.hpp"
#include "base/utf8.hpp"

#include <gtest/gtest.h>

namespace atl {

TEST(Encoding, Base64ComesBackAndNothingElseIsTaken) {
    struct Row {
        std::string bytes, text;
    };
    const Row rows[] = {{"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
                        {"foo", "Zm9v"}, {"\xff\xfe", "//4="}, {std::string(1, '\0'), "AA=="}};
    for (const auto& row : rows) {
        EXPECT_EQ(base64_encoded(row.bytes), row.text);
        EXPECT_EQ(base64_decoded(row.text), row.bytes);
    }
    EXPECT_EQ(base64_decoded("Zm\r\n9v\n"), "foo");
    for (const char* wrong : {"Zg", "Zg=", "=Zg=", "Z===", "Zm9v*", "Zg==Zg==", "===="}) {
        EXPECT_EQ(base64_decoded(wrong), "") << wrong;
    }
}

TEST(Encoding, PercentEscapesAllButWhatIsPlain) {
    EXPECT_EQ(percent_encoded("a b/ü"), "a%20b%2F%C3%BC");
    EXPECT_EQ(percent_encoded("a/b", "/"), "a/b");
    EXPECT_EQ(hex_value('f'), 15);
    EXPECT_EQ(hex_value('F'), 15);
    EXPECT_EQ(hex_value('g'), -1);
    EXPECT_EQ(ascii_lower("ÄbC"), "Äbc");
}

TEST(Utf8, TellsCharactersFromBytes) {
    EXPECT_TRUE(is_utf8("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"));
    for (const char* wrong : {"\x80", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80",
                              "\xF5\x80\x80\x80", "\xE2\x82", "\xF4\x90\x80\x80"}) {
        EXPECT_FALSE(is_utf8(wrong));
        EXPECT_TRUE(is_utf8(as_utf8(wrong)));
    }
    EXPECT_EQ(count_characters("a世界"), 3u);
    EXPECT_EQ(cut_utf8("a世界", 5), "a世");
    EXPECT_EQ(cut_utf8("世", 1), "");
    EXPECT_EQ(first_character("世").point, U'世');
}

TEST(Utf8, JoinsCharactersThatPiecesCut) {
    Utf8Joiner joiner;
    EXPECT_EQ(joiner.add("a\xE4\xB8"), "a");
    EXPECT_TRUE(joiner.holds_something());
    EXPECT_EQ(joiner.add("\x96"), "世");
    EXPECT_EQ(joiner.add("\xE4"), "");
    EXPECT_EQ(joiner.rest(), "\xEF\xBF\xBD");
}

}  // namespace atl

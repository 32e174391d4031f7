#include "agent/keywords.hpp"

#include <gtest/gtest.h>

namespace atl::agent {

namespace {

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

}  // namespace

TEST(Keywords, OfAQuestion) {
    struct Row {
        const char* text;
        const char* expected;
    };
    const Row rows[] = {
        {"", ""},
        {"What is it?", ""},
        {"What is the Budget for marketing?", "budget marketing"},
        {"sales, Sales and SALE; cities", "sale city"},
        {"the status of 2024-05", "status 2024 05"},
        {"销售额", "销售 售额"},
        {"bad \xff\xfe bytes", "bad byte"},
    };
    for (const auto& row : rows) EXPECT_EQ(joined(keywords_of(row.text)), row.expected) << row.text;
    EXPECT_EQ(keywords_of("one two three", 2).size(), 2u);
    EXPECT_EQ(joined(shared_words(keywords_of("budget for marketing"), "Budgets: marketing 4711")),
              "budget marketing");
}

TEST(Keywords, AnExcerptIsWhereTheWordsAre) {
    std::string text;
    for (int i = 0; i < 400; ++i) text += "filler " + std::to_string(i) + " ";
    text += "the budget for marketing is 4711 ";
    for (int i = 0; i < 400; ++i) text += "more " + std::to_string(i) + " ";
    const auto cut = excerpt(text, keywords_of("budget for marketing"), 200);
    EXPECT_NE(cut.find("the budget for marketing is 4711"), std::string::npos) << cut;
    EXPECT_LE(cut.size(), 210u);
    EXPECT_EQ(excerpt("short", {}, 200), "short");
    EXPECT_TRUE(excerpt(text, {}, 200).starts_with("filler 0"));
    const std::string letters(3000, '\xe5');
    EXPECT_LE(excerpt(letters, {"x"}, 100).size(), 110u);
}

TEST(Keywords, SentencesAreLines) {
    const auto all = sentences_of("It is 4.5 here. And there?\n3. May\n\n记住。预算 4711！");
    EXPECT_EQ(joined(all), "It is 4.5 here. And there? 3. May 记住。 预算 4711！");
    EXPECT_EQ(all.size(), 5u);
    for (const auto& one : sentences_of("a\tb\x01\x7f c")) {
        EXPECT_EQ(one.find_first_of("\t\n\x01\x7f"), std::string::npos);
    }
}

}  // namespace atl::agent

#include "stores/recall/words.hpp"

#include <gtest/gtest.h>

namespace atl::recall {

namespace {

TEST(Words, OfATextForTheIndex) {
    struct Row {
        const char* text;
        const char* expected;
    };
    const Row rows[] = {
        {"", ""},
        {"  \n\t.,;", ""},
        {"The Sales, in May!", "7qThe 7qSales 7qin 7qMay"},
        {"sales_2024.csv", "7qsales 7q2024 7qcsv"},
        {"销售额", "7q销售 7q售额 7q额"},
        {"税", "7q税"},
        {"2024年销售", "7q2024 7q年销 7q销售 7q售"},
        {"我们的，数据。", "7q我们 7q们的 7q的 7q数据 7q据"},
        {"２０２４", "7q2024"},
        {"Größe — naïve", "7qGröße 7qnaïve"},
        {"\xff\xfeok\xc3", "7qok"},
        {"it\u2019s", "7qit 7qs"},
    };
    for (const auto& row : rows) EXPECT_EQ(words_of(row.text, 7), row.expected) << row.text;
}

TEST(Words, OfAQuestion) {
    struct Row {
        const char* text;
        const char* expected;
    };
    const Row rows[] = {
        {"", ""},
        {"?!", ""},
        {"sales sales May", R"("7qsales" OR "7qMay")"},
        {"销售额", R"("7q销售" OR "7q售额")"},
        {"税", R"("7q税" *)"},
        {R"(a" OR text:b* NEAR(c) ^d -e {f})",
         R"("7qtext" OR "7qb" OR "7qNEAR" OR "7qc" OR "7qd" OR "7qe" OR "7qf")"},
    };
    for (const auto& row : rows) EXPECT_EQ(query_of(row.text, 7, 64), row.expected) << row.text;
    EXPECT_EQ(query_of("one two three", 7, 2), R"("7qone" OR "7qtwo")");
    // Words that every message has find nothing in particular, unless there are no others.
    EXPECT_EQ(query_of("What is the Budget?", 7, 64), R"("7qBudget")");
    EXPECT_EQ(query_of("What is it?", 7, 64), R"("7qWhat" OR "7qis" OR "7qit")");
}

TEST(Words, AreNeverLongWithoutEnd) {
    EXPECT_EQ(words_of(std::string(100000, 'x'), 7).size(), 2 + 64u);
    EXPECT_EQ(query_of(std::string(100000, 'x'), 7, 64).size(), 4 + 64u);
}

}  // namespace

}  // namespace atl::recall

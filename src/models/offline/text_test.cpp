// Tokens, stems and slips of the keyboard, in both languages.
#include "models/offline/text.hpp"

#include <gtest/gtest.h>

namespace atl::offline {
namespace {

std::string shown(const std::vector<Token>& tokens) {
    std::string out;
    for (const Token& token : tokens) out += (out.empty() ? "" : " ") + token.stem;
    return out;
}

TEST(Text, WordsHanNumbersAndDates) {
    EXPECT_EQ(shown(tokens_of("Top 5 categories, by Sales?")), "top 5 category , by sale ?");
    EXPECT_EQ(shown(tokens_of("华东的销售额")), "华 东 的 销 售 额");
    EXPECT_EQ(shown(tokens_of("payment_method")), "payment method");
    const auto dates = tokens_of("2024-3-5 2024/03 1,250.5 3k");
    ASSERT_EQ(dates.size(), 4U);
    EXPECT_EQ(dates[0].date, "2024-03-05");
    EXPECT_EQ(dates[1].date, "2024-03");
    EXPECT_DOUBLE_EQ(dates[2].number, 1250.5);
    EXPECT_DOUBLE_EQ(dates[3].number, 3000);
}

TEST(Text, NamesAreSplitAtCapitalsAndUnderscores) {
    EXPECT_EQ(shown(tokens_of_name("YearsAtCompany")), "year at company");
    EXPECT_EQ(shown(tokens_of_name("Amount (USD)")), "amount usd");
    EXPECT_EQ(shown(tokens_of_name("customerID")), "customer id");
}

TEST(Text, FullWidthIsAsciiAndBadBytesArePassedOver) {
    EXPECT_EQ(shown(tokens_of("ＡＢ１２")), "ab12");
    EXPECT_NO_THROW((void)tokens_of(std::string("\xff\xfe\xc3(\xe4\xb8", 6)));
}

TEST(Text, NumberWords) {
    EXPECT_EQ(number_word(tokens_of("three")[0]), 3);
    EXPECT_EQ(number_word(tokens_of("五")[0]), 5);
    EXPECT_FALSE(number_word(tokens_of("region")[0]));
}

}  // namespace
}  // namespace atl::offline

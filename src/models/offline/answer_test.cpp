// Numbers and escaping in answers.
#include "models/offline/answer.hpp"

#include "models/offline/test_support.hpp"
#include "models/offline/understand.hpp"

#include <gtest/gtest.h>

namespace atl::offline {
namespace {

TEST(Answer, Numbers) {
    EXPECT_EQ(number_text(1234567.891), "1,234,567.89");
    EXPECT_EQ(number_text(-1234), "-1,234");
    EXPECT_EQ(number_text(0.01234), "0.01234");
    EXPECT_EQ(number_text(12), "12");
}

TEST(Answer, CellsAreOnlyText) {
    EXPECT_EQ(escaped("a|b\n![x](y)<b>"), "a\\|b \\!\\[x\\](y)&lt;b&gt;");
    EXPECT_LE(escaped(std::string(5000, 'x')).size(), 200U);
}

TEST(Answer, WritesFromTheResultAlone) {
    const Schema schema = sales_schema();
    const Question q = understand("which region sells most", schema, nullptr);
    const auto result =
        result_in(R"({"atoll_result": 1, "columns": ["region", "total amount"], "rows": )"
                  R"([["West", 1500.5], ["East", 20]], "length": 2, "figures": {"rows": 1000}})");
    ASSERT_TRUE(result);
    const std::string text = answer(q, schema, *result, "chart.png");
    EXPECT_NE(text.find("**West**"), std::string::npos);
    EXPECT_NE(text.find("1,500.50"), std::string::npos);
    EXPECT_NE(text.find("/data/outputs/chart.png"), std::string::npos);
}

TEST(Answer, OddResultsDoNotThrow) {
    const Schema schema = sales_schema();
    const auto odd =
        result_in(R"({"atoll_result": 1, "columns": ["a"], "rows": [[1, 2, 3], [], 5, [null]], )"
                  R"("figures": 3})");
    ASSERT_TRUE(odd);
    for (const char* text :
         {"total sales", "sales by month", "share by region", "growth of sales", "missing",
          "outliers", "distribution of amount", "duplicates", "correlation of amount and quantity",
          "sales 2023 vs 2024", "average daily sales", "describe", "which regions are there",
          "what period", "largest order", "what share comes from Coffee"}) {
        const Question q = understand(text, schema, nullptr);
        EXPECT_NO_THROW((void)answer(q, schema, *odd, "")) << text;
        EXPECT_NO_THROW((void)answer(q, schema, Result{}, "")) << text;
    }
    EXPECT_FALSE(result_in("Traceback (most recent call last):\n"));
}

}  // namespace
}  // namespace atl::offline

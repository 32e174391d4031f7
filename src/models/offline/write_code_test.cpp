// Code and quoting: a name stays a name.
#include "models/offline/write_code.hpp"

#include "models/offline/profile_code.hpp"
#include "models/offline/python_text.hpp"
#include "models/offline/test_support.hpp"
#include "models/offline/understand.hpp"

#include <gtest/gtest.h>

namespace atl::offline {
namespace {

TEST(PythonText, QuotesWhatCouldEnd) {
    EXPECT_EQ(py("plain"), "'plain'");
    EXPECT_EQ(py("x'); import os; ('"), "'x\\'); import os; (\\''");
    EXPECT_EQ(py("a\\'b\n\r\t"), "'a\\\\\\'b\\n\\x0d\\x09'");
    EXPECT_EQ(py("销售"), "'销售'");
    EXPECT_EQ(py("\xE2\x80\xAE"), "'\\u202e'");  // turns the direction of what follows
    EXPECT_EQ(py(std::string_view("\xff\0", 2)), "'\\xff\\x00'");
    EXPECT_EQ(py(2.5), "2.5");
    EXPECT_EQ(py(std::vector<std::string>{"a", "b'"}), "['a', 'b\\'']");
}

TEST(WriteCode, ReadsAsAPersonWouldWriteIt) {
    const Schema schema = sales_schema();
    const Question q = understand("total quantity by product in the North", schema, nullptr);
    EXPECT_EQ(write_code(q, schema, false).text,
              "df = load('/data/sales.csv')\n"
              "rows = df[(df['region'] == 'North')]\n"
              "result = rows.groupby(['product']).agg(**{'total quantity': ('quantity', "
              "'sum')}).reset_index()\n"
              "result = result.sort_values('total quantity', ascending=False)\n"
              "report(result, rows=len(rows), overall=rows['quantity'].sum(), "
              "left_out=int(rows[['product']].isna().any(axis=1).sum()))\n"
              "result.reset_index(drop=True)\n");
}

// Where values may be missing, a group without any has no total.
TEST(WriteCode, ATotalOfNothingIsNone) {
    const Schema schema = sales_schema();
    const auto code_of = [&](const char* text) {
        return write_code(understand(text, schema, nullptr), schema, false).text;
    };
    const std::string code = code_of("total amount by product");
    EXPECT_NE(code.find(".where(df.groupby(['product'])['amount'].count() > 0)"), std::string::npos)
        << code;
    EXPECT_NE(code.find("empty=int(empty.sum())"), std::string::npos) << code;
    EXPECT_NE(code_of("total amount").find("df['amount'].sum(min_count=1)"), std::string::npos);
    EXPECT_EQ(code_of("total quantity").find("min_count"), std::string::npos);
}

TEST(WriteCode, KeepsGroups) {
    const Schema schema = sales_schema();
    const Question q = understand("regions with an average amount above 50", schema, nullptr);
    const std::string code = write_code(q, schema, false).text;
    EXPECT_NE(code.find("groups = len(result)\n"
                        "result = result[result['average amount'] > 50]\n"),
              std::string::npos)
        << code;
}

TEST(WriteCode, TakesOnePlace) {
    const Schema schema = sales_schema();
    const Question q = understand("region with the second highest amount", schema, nullptr);
    const std::string code = write_code(q, schema, false).text;
    EXPECT_NE(code.find("result = result[place == 2]\n"), std::string::npos) << code;
}

TEST(WriteCode, ValuesAreQuoted) {
    const Schema schema = sales_schema();
    const Question q = understand("sales of It's 'x'", schema, nullptr);
    ASSERT_EQ(q.filters.size(), 1U);
    EXPECT_NE(write_code(q, schema, false).text.find("== 'It\\'s \\'x\\''"), std::string::npos);
}

TEST(WriteCode, ChartsHaveNamesOfTheirOwn) {
    const Schema schema = sales_schema();
    const auto file = [&](const char* text) {
        return write_code(understand(text, schema, nullptr), schema, false).chart_file;
    };
    EXPECT_TRUE(file("bar chart of amount by region").ends_with(".png"));
    EXPECT_NE(file("bar chart of amount by region"), file("pie chart of amount by region"));
    EXPECT_EQ(file("amount by region"), "");
}

TEST(ProfileCode, NamesTheFiles) {
    EXPECT_NE(profile_code({"/data/it's.csv"}).find("describe_files(['/data/it\\'s.csv'])"),
              std::string::npos);
    EXPECT_NE(profile_code({}).find("glob.glob('/data/*.'"), std::string::npos);
}

}  // namespace
}  // namespace atl::offline

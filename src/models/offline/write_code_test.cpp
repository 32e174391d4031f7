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

std::string code_of(const char* text) {
    const Schema schema = sales_schema();
    return write_code(understand(text, schema, nullptr), schema).text;
}

TEST(WriteCode, ReadsAsAPersonWouldWriteIt) {
    EXPECT_EQ(code_of("total quantity by product in the North"),
              "df = load('/data/sales.csv')\n"
              "rows = df[(df['region'] == 'North')]\n"
              "groups(rows, ['product'], [('total quantity', 'quantity', 'sum')], "
              "order='highest')\n");
}

TEST(WriteCode, ValuesAreQuoted) {
    const Schema schema = sales_schema();
    const Question q = understand("sales of It's 'x'", schema, nullptr);
    ASSERT_EQ(q.filters.size(), 1U);
    EXPECT_NE(write_code(q, schema).text.find("== 'It\\'s \\'x\\''"), std::string::npos);
}

TEST(WriteCode, ChartsHaveNamesOfTheirOwn) {
    const Schema schema = sales_schema();
    const auto file = [&](const char* text) {
        return write_code(understand(text, schema, nullptr), schema).chart_file;
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

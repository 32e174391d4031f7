#include "agent/uploads.hpp"

#include <gtest/gtest.h>

namespace atl::agent {

TEST(UploadNames, AreOneSafeComponent) {
    struct Row {
        const char* sent;
        const char* kept;
    };
    const Row rows[] = {
        {"a.csv", "a.csv"},
        {"/etc/passwd", "passwd"},
        {"..", "file"},
        {"", "file"},
        {"C:\\x\\y.csv", "y.csv"},
        {"...hidden", "hidden"},
        {"a\nb.csv", "a_b.csv"},
        {"总额.csv", "总额.csv"},
        {"x ", "x"},
    };
    for (const auto& row : rows) EXPECT_EQ(safe_name(row.sent), row.kept) << row.sent;
    EXPECT_LE(safe_name(std::string(500, 'x') + ".csv").size(), 120u);
    EXPECT_TRUE(safe_name(std::string(500, 'x') + ".csv").ends_with(".csv"));
}

TEST(UploadContent, IsComparedWithItsName) {
    EXPECT_EQ(contradiction("a.csv", "a,b\n"), "");
    EXPECT_EQ(contradiction("a.csv",
                            "\xff\xfe"
                            "a\0,\0"),
              "");                                                         // UTF-16
    const std::string_view bare("a\0,\0b\0\n\0\x17\x53,\0001\0\n\0", 16);  // without its mark
    EXPECT_EQ(contradiction("a.csv", bare), "");
    EXPECT_NE(contradiction("a.csv", std::string_view("a,b\n\0\0\0\0,1\n", 12)), "");
    EXPECT_NE(contradiction("a.csv", "PK\x03\x04"), "");
    EXPECT_NE(contradiction("a.xlsx", "a,b\n"), "");
    EXPECT_EQ(contradiction("a.xlsx", "PK\x03\x04"), "");
    EXPECT_NE(contradiction("a.parquet", "x"), "");
    EXPECT_EQ(contradiction("a.bin", std::string_view("\0\0", 2)), "");
}

TEST(UploadColumns, AreThoseOfTheFirstLine) {
    using Columns = std::vector<std::string>;
    EXPECT_EQ(columns_in("a.csv", "x,y\n1,2\n"), (Columns{"x", "y"}));
    EXPECT_EQ(columns_in("a.csv", "\xef\xbb\xbfx;y,z;w\r\n"), (Columns{"x", "y,z", "w"}));
    EXPECT_EQ(columns_in("a.tsv", "a\tb c\n"), (Columns{"a", "b c"}));
    EXPECT_EQ(columns_in("a.csv", "\"a,b\",c\n"), (Columns{"a,b", "c"}));
    EXPECT_EQ(columns_in("a.csv", "1,2\n"), Columns{});
    EXPECT_EQ(columns_in("a.csv", "no end of line"), Columns{});
    EXPECT_EQ(columns_in("a.json", "x,y\n"), Columns{});
    EXPECT_EQ(columns_in("a.csv", "K\xf6ln,y\n"), Columns{});  // not UTF-8: not told wrongly
    EXPECT_EQ(columns_in("a.csv", "x,\xe5\n"), Columns{});
    EXPECT_EQ(columns_in("a.csv", "城市,y\n"), (Columns{"城市", "y"}));
}

}  // namespace atl::agent

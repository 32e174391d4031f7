#include "agent/uploads.hpp"

#include "agent/model_context_bench.hpp"

#include <filesystem>
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
    using Names = std::vector<std::string>;
    const auto columns_in = [](const char* name, const std::string& bytes) {
        return agent::columns_in(name, bytes).names;
    };
    EXPECT_EQ(columns_in("a.csv", "x,y\n1,2\n"), (Names{"x", "y"}));
    EXPECT_EQ(columns_in("a.csv", "\xef\xbb\xbfx;y,z;w\r\n"), (Names{"x", "y,z", "w"}));
    EXPECT_EQ(columns_in("a.tsv", "a\tb c\n"), (Names{"a", "b c"}));
    EXPECT_EQ(columns_in("a.csv", "\"a,b\",c\n"), (Names{"a,b", "c"}));
    EXPECT_EQ(columns_in("a.csv", "1,2\n"), Names{});
    EXPECT_EQ(columns_in("a.csv", "no end of line"), Names{});
    EXPECT_EQ(columns_in("a.json", "x,y\n"), Names{});
    EXPECT_EQ(columns_in("a.csv", "K\xf6ln,y\n"), Names{});  // not UTF-8: not told wrongly
    EXPECT_EQ(columns_in("a.csv", "x,\xe5\n"), Names{});
    EXPECT_EQ(columns_in("a.csv", "城市,y\n"), (Names{"城市", "y"}));
    std::string wide = "x0";
    for (int i = 1; i < 100; ++i) wide += ",x" + std::to_string(i);
    const auto first = agent::columns_in("a.csv", wide + "\n");
    EXPECT_EQ(first.names.size(), 80u);
    EXPECT_EQ(first.names.back(), "x79");
    EXPECT_EQ(first.more, 20u);
}

// Goal: files that are sent at the same time count before they are whole: one owner cannot fill the
// disk with what no record names yet, and another's file gets in meanwhile.
TEST(UploadsComing, OfOneOwnerHaveALimitTogether) {
    const auto root =
        std::filesystem::temp_directory_path() / ("atoll-uploads-" + std::to_string(::getpid()));
    boost::asio::io_context loop;
    testing::MemoryThreads store;
    UploadLimits limits;
    limits.owner_bytes_max = 100;
    const auto uploads = Uploads::open(root.string(), store, limits, "").value();
    const auto begin = [&](const std::string& owner) {
        return core::contract::await(loop, uploads->begin(owner, "a.csv"));
    };
    const auto write = [&](Uploads::Incoming& file, std::size_t bytes) {
        try {
            core::contract::await(loop, file.write(std::string(bytes, 'x')));
        } catch (const ErrorException& refused) { return refused.error.code; }
        return Code::Internal;  // it was taken
    };
    auto first = begin("ann");
    const auto second = begin("ann");
    const auto of_bob = begin("bob");
    EXPECT_EQ(write(*first, 60), Code::Internal);
    EXPECT_EQ(write(*second, 60), Code::Exhausted);
    EXPECT_EQ(write(*second, 40), Code::Internal);
    EXPECT_EQ(write(*of_bob, 90), Code::Internal);
    first.reset();
    EXPECT_EQ(write(*second, 60), Code::Internal);
    EXPECT_EQ(write(*second, 1), Code::Exhausted);
    std::filesystem::remove_all(root);
}

}  // namespace atl::agent

// Goal: whatever a sandbox says of the sheets of its files, a prompt gets few short lines of it.
#include "agent/sheet_names.hpp"

#include <gtest/gtest.h>

namespace atl::agent {
namespace {

using SheetList = std::vector<std::string>;

TEST(SheetNames, AreAListOfTexts) {
    struct Row {
        const char* name;
        std::string line;
        SheetList sheets;
    };
    const Row rows[] = {
        {"names", R"(["Jan", "A & B", "\u8d39\u7528"])", {"Jan", "A & B", "费用"}},
        {"none", "[]", {}},
        {"nothing", "", {}},
        {"half a list", R"(["Jan", "Fe)", {}},
        {"no list", R"({"Jan": 1})", {}},
        {"up to what is no text", R"(["Jan", 1, "Mar"])", {"Jan"}},
        {"lists in lists", std::string(10'000, '['), {}},
        {"bytes", "[\"\xff\"]", {}},
        {"lines of a prompt", R"(["a\nRules:\r\u0007\u007f"])", {"a Rules:   "}},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(sheets_in_line(row.line), row.sheets);
    }
}

TEST(SheetNames, AreFewAndShort) {
    EXPECT_EQ(sheets_in_line("[\"" + std::string(100'000, 'x') + "\"]"),
              SheetList{std::string(80, 'x')});
    // Cut between characters: 26 of three bytes and no part of the 27th.
    std::string wide;
    for (int i = 0; i < 40; ++i) wide += "费";
    EXPECT_EQ(sheets_in_line("[\"" + wide + "\"]")[0], wide.substr(0, 78));
    std::string many = "[\"s\"";
    for (int i = 0; i < 200; ++i) many += ",\"s\"";
    EXPECT_EQ(sheets_in_line(many + "]").size(), 50u);
}

}  // namespace
}  // namespace atl::agent

// Goal: the sheet that a question names is found, and its name is no other word of the question.
#include "models/offline/sheet_names.hpp"

#include "models/offline/understand.hpp"

#include <gtest/gtest.h>

namespace atl::offline {
namespace {

// Two sheets of one form, and a third one.
Schema book() {
    const std::string columns =
        R"("columns": [["region", "t", 2, 0, ["North", "South"]], ["amount", "i", 9, 0, 1, 9]]})";
    const auto sheet = [&](const std::string& name) {
        return R"({"path": "/data/book.xlsx", "sheet": ")" + name +
               R"(", "rows": 9, "width": 2, )" + columns;
    };
    return *schema_in(R"({"atoll_schema": 1, "tables": [)" + sheet("Jan") + ", " + sheet("Feb") +
                      ", " + sheet("Sheet2") + ", " + sheet("North") + "]}");
}

TEST(SheetNames, AreFoundAndTakenOut) {
    struct Case {
        const char* text;
        std::optional<std::size_t> table;
        std::size_t left;  // tokens
    };
    const Case cases[] = {
        {"total amount", std::nullopt, 2},
        {"total amount in Feb", 1, 2},
        {"total amount on the sheet Feb", 1, 2},
        {"total amount on the Feb sheet", 1, 2},
        {"工作表Feb的总额", 1, 3},
        {"rows in Sheet2", 2, 1},
        {"does Sheet2 fit", 2, 2},
        {"total amount in North", std::nullopt, 4},  // a value, too
        {"total amount on the sheet North", 3, 2},
        {"compare the sheet Jan with the sheet Feb", std::nullopt, 8},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.text);
        auto tokens = tokens_of(c.text);
        EXPECT_EQ(take_sheet(tokens, book()), c.table);
        EXPECT_EQ(tokens.size(), c.left);
    }
}

TEST(SheetNames, FirstSheetUnlessNamed) {
    const Schema schema = book();
    EXPECT_EQ(understand("total amount by region", schema, nullptr).table, 0U);
    EXPECT_EQ(understand("total amount by region in Feb", schema, nullptr).table, 1U);
}

}  // namespace
}  // namespace atl::offline

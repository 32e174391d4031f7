// What the profile code prints becomes a schema; what is not whole does not.
#include "models/offline/schema.hpp"

#include "models/offline/test_support.hpp"

#include <gtest/gtest.h>

namespace atl::offline {
namespace {

TEST(Schema, KindsMeaningsAndFlags) {
    const Schema schema = sales_schema();
    const auto& columns = schema.tables.at(0).columns;
    ASSERT_EQ(columns.size(), 7U);
    EXPECT_TRUE(columns[0].is_id);
    EXPECT_TRUE(columns[1].is_date());
    EXPECT_TRUE(columns[2].means("region"));
    EXPECT_EQ(columns[4].nature(), Nature::Additive);
    EXPECT_TRUE(columns[6].is_flag());
    EXPECT_EQ(columns[6].positive, "yes");
}

TEST(Schema, BrokenLinesAreNone) {
    EXPECT_FALSE(schema_in(""));
    EXPECT_FALSE(schema_in("{\"atoll_schema\": 1, \"tables\": [{\"pa"));
    EXPECT_FALSE(schema_in("{\"atoll_schema\": 1}"));
    EXPECT_FALSE(schema_in("x {\"atoll_schema\": 1, \"tables\": []}"));
    EXPECT_TRUE(schema_in("before\n{\"atoll_schema\": 1, \"tables\": [5, null, {}]}\nafter"));
}

TEST(Schema, OddFactsDoNotThrow) {
    const auto schema = schema_in(
        R"({"atoll_schema": 1, "tables": [{"path": "a", "rows": -5, "columns": [[1], ["x"], )"
        R"(["n", "i", "many", null, "a", {}], ["t", "t", 1e300, 0, [1, null, "v"]]]}]})");
    ASSERT_TRUE(schema);
    EXPECT_EQ(schema->tables[0].rows, 0U);
    EXPECT_EQ(schema->tables[0].columns.size(), 2U);
}

TEST(Schema, FoundValuesAreOtherWordsForThem) {
    Schema schema = sales_schema();
    add_found(schema, R"({"atoll_found": 1, "wanted": ["Acme"], "values": )"
                      R"([["/data/sales.csv", "", "product", "Acme", "Acme Ltd"]]})");
    EXPECT_EQ(schema.tables[0].columns[3].values.back(), "Acme Ltd");
}

}  // namespace
}  // namespace atl::offline

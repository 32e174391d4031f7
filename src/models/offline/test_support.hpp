#pragma once
// A small schema for the tests of this room, as the profile code would print it.
#include "models/offline/schema.hpp"

namespace atl::offline {

inline Schema sales_schema() {
    return *schema_in(
        R"({"atoll_schema": 1, "tables": [{"path": "/data/sales.csv", "rows": 1000, "width": 7, )"
        R"("columns": [["order_id", "i", 1000, 0, 1, 1000], )"
        R"(["date", "d", 500, 0, "2023-01-01", "2024-06-29"], )"
        R"(["region", "t", 4, 0, ["North", "South", "East", "West"]], )"
        R"(["product", "t", 3, 2, ["Coffee", "Tea", "It's 'x'"]], )"
        R"(["amount", "f", 900, 3, -20.5, 990.25], ["quantity", "i", 9, 0, 1, 9], )"
        R"(["returned", "t", 2, 0, ["no", "yes"]]]}]})");
}

}  // namespace atl::offline

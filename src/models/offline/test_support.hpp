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

// People, some of whom left.
inline Schema people_schema() {
    return *schema_in(
        R"({"atoll_schema": 1, "tables": [{"path": "/data/people.csv", "rows": 400, "width": 5, )"
        R"("columns": [["employee_id", "i", 400, 0, 1, 400], )"
        R"(["department", "t", 3, 0, ["Sales", "Legal", "IT"]], )"
        R"(["hire_date", "d", 300, 0, "2016-01-01", "2024-06-29"], )"
        R"(["exit_date", "d", 90, 300, "2018-01-01", "2024-06-29"], )"
        R"(["salary", "i", 300, 0, 30000, 90000]]}]})");
}

// Trips that a question may call rides, with values and columns that have other names.
inline Schema trips_schema() {
    return *schema_in(
        R"({"atoll_schema": 1, "tables": [{"path": "/data/log.csv", "rows": 800, "width": 7, )"
        R"("columns": [["trip_id", "i", 800, 0, 1, 800], )"
        R"(["start_time", "s", 790, 0, "2023-01-01 08:00:00", "2024-06-29 20:00:00"], )"
        R"(["user_type", "t", 2, 0, ["member", "casual"]], )"
        R"(["country", "t", 2, 0, ["Germany", "France"]], )"
        R"(["Sales Channel", "t", 2, 0, ["App", "Kiosk"]], )"
        R"(["charge_usd", "f", 600, 0, 1.5, 90.25], )"
        R"(["duration_min", "f", 500, 0, 1.5, 99.5]]}]})");
}

}  // namespace atl::offline

// Times as people say them, against data from January 2023 to June 2024. A row a case.
#include "models/offline/dates.hpp"

#include <gtest/gtest.h>

namespace atl::offline {
namespace {

DataPeriod data() { return {*day_of("2023-01-01"), *day_of("2024-06-29")}; }

std::string shown(const std::string& question) {
    std::string out;
    for (const TimeSpan& span : spans_of(tokens_of(question), data())) {
        if (!out.empty()) out += ", ";
        if (span.kind == TimeSpan::Kind::Dates) {
            out += (span.from ? iso_of(*span.from) : "") + ".." + (span.to ? iso_of(*span.to) : "");
        } else {
            out += span.kind == TimeSpan::Kind::Months ? "month" : "weekday";
            for (const int part : span.parts) out += " " + std::to_string(part);
        }
    }
    return out;
}

struct Case {
    const char* question;
    const char* spans;
};

class Dates : public testing::TestWithParam<Case> {};

TEST_P(Dates, AreFound) { EXPECT_EQ(shown(GetParam().question), GetParam().spans); }

INSTANTIATE_TEST_SUITE_P(
    Said, Dates,
    testing::Values(
        Case{"sales in March 2024", "2024-03-01..2024-04-01"},
        Case{"sales in 2023", "2023-01-01..2024-01-01"},
        Case{"on 5 March 2024", "2024-03-05..2024-03-06"},
        Case{"March 5, 2024", "2024-03-05..2024-03-06"}, Case{"in March", "month 3"},
        Case{"in November", "2023-11-01..2023-12-01"},  // the data has one only
        Case{"Q1 2024", "2024-01-01..2024-04-01"},
        Case{"first quarter of 2024", "2024-01-01..2024-04-01"},
        Case{"2024年第一季度", "2024-01-01..2024-04-01"},
        Case{"2023年下半年", "2023-07-01..2024-01-01"},
        Case{"2024年3月5日", "2024-03-05..2024-03-06"}, Case{"十二月", "2023-12-01..2024-01-01"},
        Case{"from January to March 2024", "2024-01-01..2024-04-01"},
        Case{"between 2023-04-01 and 2023-06-30", "2023-04-01..2023-07-01"},
        Case{"since May 2024", "2024-05-01.."}, Case{"before 2024", "..2024-01-01"},
        Case{"last month", "2024-06-01..2024-07-01"},
        Case{"last 3 months", "2024-04-01..2024-06-30"},
        Case{"最近三个月", "2024-04-01..2024-06-30"}, Case{"last year", "2023-01-01..2024-01-01"},
        Case{"今年", "2024-01-01..2025-01-01"}, Case{"on Mondays", "weekday 0"},
        Case{"周六", "weekday 5"},
        Case{"2023 vs 2024", "2023-01-01..2024-01-01, 2024-01-01..2025-01-01"},
        Case{"more than 2000 rows", ""}, Case{"between 1000 and 2000", ""}, Case{"may I ask", ""}));

}  // namespace
}  // namespace atl::offline

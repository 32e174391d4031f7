#pragma once
// Times in a question: "in March 2024", "last 3 months", "2024年第一季度", "since June", "on
// Mondays".
//
// The data has its own present: "last month" is the last one that the table holds, so an answer
// does not depend on the day on which it is asked.
#include "models/offline/text.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace atl::offline {

struct TimeSpan {
    enum class Kind {
        Dates,     // from <= t < to; one side may be open
        Months,    // of any year
        Weekdays,  // 0 = Monday
    };
    Kind kind = Kind::Dates;
    std::optional<std::chrono::sys_days> from;
    std::optional<std::chrono::sys_days> to;
    std::vector<int> parts;  // Months 1 to 12, Weekdays 0 to 6
    std::string label;       // "2024-03", "2024", "Q1 2024"
    std::size_t begin = 0;   // tokens
    std::size_t end = 0;
    bool is_open = false;  // since, before: one side
    // "from A to B": where A ends and B begins, for "how much did it grow from A to B".
    std::optional<std::chrono::sys_days> head_to;
    std::optional<std::chrono::sys_days> tail_from;
};

// What "last month" counts from.
struct DataPeriod {
    std::chrono::sys_days first;
    std::chrono::sys_days last;
};

[[nodiscard]] std::optional<std::chrono::sys_days> day_of(std::string_view iso);
[[nodiscard]] std::string iso_of(std::chrono::sys_days day);
// "2024-03", "2024", "Q1 2024", else the first and the last day
[[nodiscard]] std::string label_of(std::chrono::sys_days from, std::chrono::sys_days to);
[[nodiscard]] std::vector<TimeSpan> spans_of(const std::vector<Token>& tokens,
                                             const DataPeriod& data);

}  // namespace atl::offline

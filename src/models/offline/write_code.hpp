#pragma once
// A Question as pandas and matplotlib code that a person would read and run again: load, filter,
// compute, show. It uses the helpers of the profile code (load, report, start_chart, save_chart).
#include "models/offline/question.hpp"
#include "models/offline/schema.hpp"

#include <string>
#include <vector>

namespace atl::offline {

struct Code {
    std::string text;
    std::string chart_file;  // its name in /data/outputs; empty: none is drawn
};

// `is_repair`: after the plain code failed; numbers and dates are forced into shape first.
[[nodiscard]] Code write_code(const Question& question, const Schema& schema, bool is_repair);

// Names as they stand in results, for code and answer alike.
[[nodiscard]] std::string name_of(const Question& question, const Schema& schema, Field field);
[[nodiscard]] std::string name_of(const Question& question, const Schema& schema,
                                  const Group& group);
[[nodiscard]] std::string name_of(const Question& question, const Schema& schema,
                                  const Measure& measure);
inline constexpr std::string_view kShareColumn = "share (%)";
inline constexpr std::string_view kChangeColumn = "change";
inline constexpr std::string_view kChangePercentColumn = "change (%)";

}  // namespace atl::offline

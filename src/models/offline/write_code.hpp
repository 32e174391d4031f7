#pragma once
// A Question as pandas and matplotlib code that a person would read and run again: load, filter,
// compute, show. It uses the helpers of the profile code (load, report, start_chart, save_chart).
#include "models/offline/question.hpp"
#include "models/offline/schema.hpp"

#include <string>

namespace atl::offline {

struct Code {
    std::string text;
    std::string chart_file;  // its name in /data/outputs; empty: none is drawn
};

// `is_repair`: after the plain code failed; numbers and dates are forced into shape first.
[[nodiscard]] Code write_code(const Question& question, const Schema& schema, bool is_repair);

}  // namespace atl::offline

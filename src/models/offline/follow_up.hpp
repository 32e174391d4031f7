#pragma once
// A question that builds on the one before: "and by region?", "only for 2024", "画成图".
#include "models/offline/question.hpp"

#include <vector>

namespace atl::offline {

// What of a question was said in its own words, where the value alone does not show it.
struct QuestionParts {
    bool asks_share = false;  // "in percent"
    bool has_measure = false;
    bool has_time = false;
    bool adds = false;  // "also by region": beside the group before, not instead of it
    std::vector<Aggregation> aggregations;  // said without a measure: "and the average?"
};

// The question before, changed by what the new one says.
[[nodiscard]] Question follow_up(const Question& before, const Question& now,
                                 const QuestionParts& parts);

}  // namespace atl::offline

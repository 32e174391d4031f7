#pragma once
// From a question's words to a Question: which part of it plays which role.
//
// Pure and deterministic: the same words, schema and question before give the same value, for each
// step of a turn reads the conversation anew (conversation.hpp).
#include "models/offline/question.hpp"
#include "models/offline/schema.hpp"

#include <string_view>

namespace atl::offline {

// `before`: the question of the turn before, on which "and by region?" builds; null if there is
// none.
[[nodiscard]] Question understand(std::string_view text, const Schema& schema,
                                  const Question* before);

// The column that "how much" means where none is named, and the one that tells the time.
[[nodiscard]] std::optional<Field> main_measure(const Schema& schema, std::size_t table);
[[nodiscard]] std::optional<Field> main_date(const Schema& schema, std::size_t table);
// Day, month, quarter or year: what shows a period of this length in a readable number of steps.
[[nodiscard]] Grain natural_grain(const Column& date);

}  // namespace atl::offline

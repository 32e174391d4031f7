#pragma once
// Sheets of a workbook that a question names: "total amount on the sheet Costs", "and in Feb?".
#include "models/offline/question.hpp"
#include "models/offline/schema.hpp"

#include <optional>
#include <vector>

namespace atl::offline {

// The table of the one sheet that is named. Its name goes out of the question together with what
// leads to it, for there it would be a time (Feb), a number (Sheet2) or a condition.
[[nodiscard]] std::optional<std::size_t> take_sheet(std::vector<Token>& tokens,
                                                    const Schema& schema);

// The same question about another sheet; nothing where that one lacks a column of it.
[[nodiscard]] std::optional<Question> about_sheet(const Question& question, const Schema& schema,
                                                  std::size_t table);

// "and in Feb?" is the question before, without any word of its own.
[[nodiscard]] bool says_nothing_else(const std::vector<Token>& tokens);

}  // namespace atl::offline

#pragma once
// What is said where nothing was computed: help, refusals that name the word, no data, a failure.
#include "models/offline/question.hpp"
#include "models/offline/schema.hpp"

#include <string>
#include <string_view>

namespace atl::offline {

// What it can be asked about this data, or what is wrong with it.
[[nodiscard]] std::string help(const Question& question, const Schema& schema);
[[nodiscard]] std::string no_data(Language language, const Schema& schema);
// Why a run came to no end of its own, as the tool says it; empty if it did.
[[nodiscard]] std::string_view cut_short(std::string_view tool_output);
[[nodiscard]] std::string failure(Language language, std::string_view tool_output);

}  // namespace atl::offline

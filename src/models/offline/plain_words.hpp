#pragma once
// Words that people use around the matter and that change no figure: verbs, adverbs, generic nouns.
// A word of a question that is neither here, nor in the vocabulary, nor of the table names
// something that the table may not have (reader_limits.cpp).
#include "models/offline/text.hpp"

#include <vector>

namespace atl::offline {

[[nodiscard]] bool is_plain_word(const Token& token);
// How many Chinese tokens from `at` on are such a word; 0: none.
[[nodiscard]] std::size_t plain_length(const std::vector<Token>& tokens, std::size_t at);

}  // namespace atl::offline

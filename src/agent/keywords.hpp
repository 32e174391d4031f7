#pragma once
// The words that a question is about, which of them another text has, and where it has them.
//
// For people and for cutting, not for searching: what is found is the index's word
// (core/recall.hpp), which knows more about endings and accents than this does.
//
// Pure functions on UTF-8; bytes that are none end a word.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace atl::agent {

// Lower case, without endings of the plural, each once, in their order; words that every sentence
// has are left out. Of Chinese, Japanese and Korean the pairs of letters.
[[nodiscard]] std::vector<std::string> keywords_of(std::string_view text, std::size_t most = 32);

// Those of the words that the text has.
[[nodiscard]] std::vector<std::string> shared_words(const std::vector<std::string>& words,
                                                    std::string_view text);

// About `bytes_max` of the text, from where most of the words stand near one another; what is
// missing before and behind is marked with an ellipsis.
[[nodiscard]] std::string excerpt(std::string_view text, const std::vector<std::string>& words,
                                  std::size_t bytes_max);

// The text as sentences, each on one line.
[[nodiscard]] std::vector<std::string> sentences_of(std::string_view text);

}  // namespace atl::agent

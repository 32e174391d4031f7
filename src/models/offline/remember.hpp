#pragma once
// What a person asked to remember, and a question that it answers: quoted, never computed with.
//
// Looked for in what is sent of the conversation: earlier messages, and older ones that were
// recalled for the question (core/quotes.hpp). Pure functions.
#include "core/chat.hpp"
#include "core/quotes.hpp"
#include "models/offline/question.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace atl::offline {

// "Remember that …", 请记住…: nothing is asked, something is to be kept.
[[nodiscard]] bool is_to_be_remembered(std::string_view text);

// What was to be remembered and has all the words that the question is about; the latest last.
[[nodiscard]] std::vector<core::Quote> remembered_for(std::string_view question,
                                                      const std::vector<core::Quote>& said);
// As a part of an answer.
[[nodiscard]] std::string quotation(Language language, const std::vector<core::Quote>& quotes);

}  // namespace atl::offline

#pragma once
// Names of columns that are short for what people say: REB for rebounds, fg_pct for field goal
// percentage. Only where nothing else explains a word, for many words hold the letters of a name.
#include "models/offline/text.hpp"

#include <string_view>
#include <vector>

namespace atl::offline {

// "amt" of "amount": the same first letter, and the others in their order. Not a word of its own.
[[nodiscard]] bool is_short_for(std::string_view name, std::string_view word);

// Of two names that are short for a word, the likelier has more: its beginning, or both their ends.
[[nodiscard]] int short_likeness(std::string_view name, std::string_view word);

// Whether the words of a column's name, some of them shortened, are said by these tokens, all of
// them: initials stand for a word each.
[[nodiscard]] bool is_name_shortened(const std::vector<Token>& name,
                                     const std::vector<Token>& tokens, std::size_t begin,
                                     std::size_t end);

}  // namespace atl::offline

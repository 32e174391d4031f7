#pragma once
// Words for the same value, in both languages: a question says "women" where the table says Female,
// 德国 where it says Germany.
#include <string>

namespace atl::offline {

// Both lower case; English words apart by one space, Chinese without.
[[nodiscard]] bool is_other_word_for(const std::string& said, const std::string& value);

}  // namespace atl::offline

#pragma once
// Ids that nobody guesses: 160 random bits after a prefix that says what it is.
#include <string>
#include <string_view>

namespace atl::sessions {

[[nodiscard]] std::string random_id(std::string_view prefix);

}  // namespace atl::sessions

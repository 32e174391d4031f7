#pragma once
// Names of two words in the other language: "reader type" for 读者类型, 能源成本 for energy_cost.
#include "models/offline/text.hpp"

#include <vector>

namespace atl::offline {

// Whether the tokens say a column's name part by part in the other language: each part is a phrase
// of the same concept of the vocabulary. Units and weak words at the end of the name may be left
// out; one part alone is no compound.
[[nodiscard]] bool is_compound_of(const std::vector<Token>& name, const std::vector<Token>& tokens,
                                  std::size_t begin, std::size_t end);

}  // namespace atl::offline

#pragma once
// Slips of the keyboard in words of the vocabulary, put right before the question is read, so that
// phrases of several words are found too: "from quater to quater".
#include "models/offline/schema.hpp"

namespace atl::offline {

// A word that the table or the vocabulary explains as it stands is no slip: "charge" is not change
// where there are charges, nor "casual" causal.
void correct_slips(std::vector<Token>& tokens, const Schema& schema);

}  // namespace atl::offline

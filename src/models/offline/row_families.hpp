#pragma once
// Nouns for the same kind of thing: what a table calls a trip, a question may call a ride. A family
// counts only where the table itself names one of its words: its file, its rows' number, a date.
#include "models/offline/schema.hpp"

namespace atl::offline {

// Fills `row_names` and `row_verbs` of a table whose columns and own words are known.
void add_row_family(Table& table);

}  // namespace atl::offline

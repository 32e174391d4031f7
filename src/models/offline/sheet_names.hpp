#pragma once
// Sheets of a workbook that a question names: "total amount on the sheet Costs".
#include "models/offline/schema.hpp"

#include <optional>
#include <vector>

namespace atl::offline {

// The table of the one sheet that is named. Its name goes out of the question together with what
// leads to it, for there it would be a time (Feb), a number (Sheet2) or a condition.
[[nodiscard]] std::optional<std::size_t> take_sheet(std::vector<Token>& tokens,
                                                    const Schema& schema);

}  // namespace atl::offline

#pragma once
// What a mistyped word was probably meant to be.
#include <string_view>
#include <vector>

namespace atl {

// The known name that `wrong` was probably meant to be, or an empty view.
[[nodiscard]] std::string_view nearest(std::string_view wrong,
                                       const std::vector<std::string_view>& known);

}  // namespace atl

#pragma once
// Strings as Python literals. All that comes from a table or a person enters code through here and
// nowhere else, so that a column named `x'); import os` stays a name.
#include <string>
#include <string_view>
#include <vector>

namespace atl::offline {

[[nodiscard]] std::string py(std::string_view text);
[[nodiscard]] std::string py(double value);
[[nodiscard]] std::string py(const std::vector<std::string>& texts);  // ['a', 'b']

}  // namespace atl::offline

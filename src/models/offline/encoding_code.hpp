#pragma once
// Python that finds out how a text file was written down: Unicode where its bytes say so, else a
// guess by what each candidate would make of them. A part of the profile code (profile_code.hpp).
#include <string_view>

namespace atl::offline {

// Defines encoding_of(path, head); calls note() where the guess is in doubt.
[[nodiscard]] std::string_view encoding_code();

}  // namespace atl::offline

#pragma once
// The sentences of data/sentences.txt, in both languages, with what changes filled in.
#include "models/offline/question.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atl::offline {

using Values = std::vector<std::pair<std::string_view, std::string>>;

// What stands for a name in braces.
using Lookup = std::function<std::string(std::string_view)>;

[[nodiscard]] std::string sentence(std::string_view name, Language language, const Lookup& lookup);
[[nodiscard]] std::string sentence(std::string_view name, Language language,
                                   const Values& values = {});

// "`a`, `b`"; "a, b" with an empty quote.
[[nodiscard]] std::string listed(const std::vector<std::string>& items, std::string_view quote);

}  // namespace atl::offline

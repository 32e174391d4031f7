#pragma once
// Names of columns, groups and figures as they stand in results, for code and answer alike.
#include "models/offline/question.hpp"
#include "models/offline/schema.hpp"

#include <string>
#include <string_view>

namespace atl::offline {

[[nodiscard]] std::string name_of(const Question& question, const Schema& schema, Field field);
[[nodiscard]] std::string name_of(const Question& question, const Schema& schema,
                                  const Group& group);
[[nodiscard]] std::string name_of(const Question& question, const Schema& schema,
                                  const Measure& measure);
// What a measure is made of: "price × quantity", "home + away".
[[nodiscard]] std::string value_name(const Question& question, const Schema& schema,
                                     const Measure& measure);
inline constexpr std::string_view kShareColumn = "share (%)";

}  // namespace atl::offline

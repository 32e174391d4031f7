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
// The column of totals up to each period.
// What a measure is made of: "price × quantity", "home + away".
[[nodiscard]] std::string value_name(const Question& question, const Schema& schema,
                                     const Measure& measure);
// No refund where the cell is empty, but a cost that is not known.
[[nodiscard]] bool is_none_where_empty(const Column& column);
inline constexpr std::string_view kShareColumn = "share (%)";
inline constexpr std::string_view kChangeColumn = "change";
inline constexpr std::string_view kChangePercentColumn = "change (%)";

}  // namespace atl::offline

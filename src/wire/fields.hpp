#pragma once
// Fields of a JSON object from the other side: a missing one, or one of the wrong type, is the
// value that the caller names instead. Whatever stands in a message, reading it never throws.
#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace atl::wire {

[[nodiscard]] std::string text_of(const boost::json::object& request, std::string_view key,
                                  std::string_view otherwise = {});
[[nodiscard]] std::int64_t number_of(const boost::json::object& request, std::string_view key,
                                     std::int64_t otherwise = 0);
[[nodiscard]] bool flag_of(const boost::json::object& request, std::string_view key,
                           bool otherwise = false);

}  // namespace atl::wire

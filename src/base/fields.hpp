#pragma once
// JSON objects from a guest or from a store. Parsing bounds their depth and the number of their
// values. A field that is missing or of another type reads as the value that the caller names
// instead; reading one never throws.
//
// Trusts    nobody.
#include "base/result.hpp"

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace atl::fields {

[[nodiscard]] Result<boost::json::object> parse_object(std::string_view text);

[[nodiscard]] std::string text_of(const boost::json::object& request, std::string_view key,
                                  std::string_view otherwise = {});
[[nodiscard]] std::int64_t number_of(const boost::json::object& request, std::string_view key,
                                     std::int64_t otherwise = 0);
[[nodiscard]] bool flag_of(const boost::json::object& request, std::string_view key,
                           bool otherwise = false);

}  // namespace atl::fields

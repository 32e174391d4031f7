#pragma once
// File names on the wire. A name can be any bytes; JSON cannot.
//
// One that is no UTF-8 is shown with its odd bytes replaced, and given exactly in hexadecimal
// beside it: `"name": "??raw", "name_hex": "fffe726177"`. Requests may name a path the same way.
#include <boost/json/object.hpp>
#include <string>
#include <string_view>

namespace atl::guest {

// Text that JSON can hold: bytes that are no part of UTF-8 become question marks.
[[nodiscard]] std::string printable(std::string_view bytes);

// Sets `key`, and `key` + "_hex" where the bytes are no UTF-8.
void put_name(boost::json::object& into, const char* key, std::string_view bytes);

// `key` + "_hex" if it is there and can be read, else `key`; empty when there is neither.
[[nodiscard]] std::string name_in(const boost::json::object& request, const std::string& key);

}  // namespace atl::guest

#pragma once
// Unguessable ids: 160 random bits after a prefix that names the kind of object.
#include <string>
#include <string_view>

namespace atl::sessions {

[[nodiscard]] std::string random_id(std::string_view prefix);
// One that says whose it is, to who asks by the owner's name: no list of owners is kept for what is
// gone in a day.
[[nodiscard]] std::string owned_id(std::string_view prefix, std::string_view owner);
[[nodiscard]] bool is_owned_by(std::string_view id, std::string_view owner);

}  // namespace atl::sessions

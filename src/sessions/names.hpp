#pragma once
// Names of sessions: unique among an owner's, and as good as the id wherever the owner asks. A
// client that keeps conversations of its own names the session after one, and has it made at first
// use. What looks like an id of the server's is no name, so the two are never mistaken.
#include <string_view>

namespace atl::sessions {

// What the server gives as an id: nobody may choose it.
[[nodiscard]] bool looks_like_id(std::string_view text);
// ErrorException with InvalidArgument for a name that a session cannot have.
void check_name(std::string_view name);
// The same for one that a session is made by at first use: it appears in addresses, and a mistyped
// sentence shall make nothing.
void check_chosen_id(std::string_view id);

}  // namespace atl::sessions

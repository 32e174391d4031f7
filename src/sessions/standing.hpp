#pragma once
// Arrangements of a session that are not in its spec: how it ends, and what an API stores about it.
// They are part of the spec's text (spec_text.hpp), so no client sees them. A copy of a session
// gets them too, unless its creator decides otherwise.
#include <map>
#include <string>
#include <string_view>

namespace atl::sessions {

struct Standing {
    // At `expires_at` it is held in place of being removed.
    bool held_at_end = false;
    // It was put to sleep until somebody takes it up again (Sessions::hold): it has no end until
    // then. Who uses it meanwhile wakes it, as any other.
    bool held = false;
    // By name, each prefixed by the API that wrote it.
    std::map<std::string, std::string> notes;

    bool operator==(const Standing&) const = default;
};

// Of a spec's text that cannot be read: one that arranges nothing.
[[nodiscard]] Standing standing_in(std::string_view spec_text);
// The text with this in it, and nothing else changed.
[[nodiscard]] std::string with_standing(std::string_view spec_text, const Standing& standing);

}  // namespace atl::sessions

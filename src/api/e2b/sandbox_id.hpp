#pragma once
// Ids of sandboxes, which stand in host names behind a dash and so have none: the sandbox
// sk3j… is the session s-k3j…, and no other. Ids of another form belong to no sandbox.
#include "base/id.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace atl::api::e2b {

inline constexpr std::string_view kSessionPrefix = "s-";
inline constexpr std::size_t kIdLetters = 32;  // sessions/new_id.hpp

[[nodiscard]] inline bool are_id_letters(std::string_view text) {
    return text.size() == kIdLetters && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= '2' && c <= '7');
           });
}

[[nodiscard]] inline std::optional<std::string> sandbox_id_of(const SessionId& session) {
    const std::string_view text = session.text();
    if (!text.starts_with(kSessionPrefix)) return std::nullopt;
    const auto letters = text.substr(kSessionPrefix.size());
    if (!are_id_letters(letters)) return std::nullopt;
    return "s" + std::string(letters);
}

[[nodiscard]] inline std::optional<SessionId> session_id_of(std::string_view sandbox) {
    if (!sandbox.starts_with('s') || !are_id_letters(sandbox.substr(1))) return std::nullopt;
    return SessionId(std::string(kSessionPrefix).append(sandbox.substr(1)));
}

}  // namespace atl::api::e2b

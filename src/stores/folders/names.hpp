#pragma once
// Names that may become a part of a path, and how failures with hostile names are told.
//
// Plain functions, any thread.
#include "base/id.hpp"
#include "base/result.hpp"

#include <string>
#include <string_view>

namespace atl::folders {

// [A-Za-z0-9_-]{1,128}: no dot, so that no id can be another's `<id>.state` or a folder of ours.
[[nodiscard]] bool is_session_name(std::string_view text);
// [A-Za-z0-9._-]{1,128} without a dot in front.
[[nodiscard]] bool is_state_name(std::string_view text);

Result<void> check_id(const SessionId& id);
Result<void> check_state_name(const std::string& name);

[[nodiscard]] std::string state_folder_of(const SessionId& id);
// `<stem>.<16 hex digits>`, which nobody can foresee.
[[nodiscard]] std::string with_random_end(const std::string& stem);

// For messages: what is not printable ASCII becomes \xNN, and it ends after 80 characters. A name
// inside a session is its program's choice, and would otherwise write lines of its own into a log.
[[nodiscard]] std::string printable(std::string_view name);
[[nodiscard]] std::string in_quotes(std::string_view name);

// An Error about an errno, with a code that a caller can act on: a full disk is DiskFull.
[[nodiscard]] Error failure(const std::string& what, int cause);

}  // namespace atl::folders

#pragma once
// The target of a request: what stands between the method and the version, taken apart once.
//
// Trusts nothing. A broken escape, an escaped NUL or a control byte makes the whole target invalid,
// so that no later reader can take it for something else. An escaped slash stays inside its
// segment: routes are matched on segments, never on the decoded text.
#include "base/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atl::net {

struct Target {
    std::string path;                   // as sent, escapes and all; starts with a slash, or is "*"
    std::string query_text;             // as sent, without the question mark
    std::vector<std::string> segments;  // decoded; "/a/b/" has three, the last one empty
    std::vector<std::pair<std::string, std::string>> query;  // decoded, in order, repeats kept
    std::string authority;   // of the absolute form; empty in the usual one
    bool utf8 = true;        // false: some decoded piece is not UTF-8
    bool has_dots = false;   // some decoded segment is "." or ".."; nothing here resolves them
    bool has_slash = false;  // some decoded segment has a slash inside

    // The first value of a query parameter.
    [[nodiscard]] std::optional<std::string_view> parameter(std::string_view name) const noexcept;
    [[nodiscard]] std::vector<std::string_view> parameters(std::string_view name) const;
};

[[nodiscard]] Result<Target> parse_target(std::string_view text);

enum class Plus { Literal, Space };  // Space: in queries and forms
[[nodiscard]] Result<std::string> percent_decoded(std::string_view text, Plus plus = Plus::Literal);

}  // namespace atl::net

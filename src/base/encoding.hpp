#pragma once
// Bytes as text that passes anywhere: hex digits, percent escapes, base64.
#include <string>
#include <string_view>

namespace atl {

// Of a hex digit of either case; -1: it is none.
[[nodiscard]] constexpr int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// Escapes all but unreserved characters (letters, digits, -._~); `keep` lists more that stay.
[[nodiscard]] std::string percent_encoded(std::string_view text, std::string_view keep = {});

[[nodiscard]] std::string base64_encoded(std::string_view bytes);
// Line ends are skipped. Empty if the text is no base64.
[[nodiscard]] std::string base64_decoded(std::string_view text);

// ASCII letters only: what it does to a name does not depend on the locale.
[[nodiscard]] std::string ascii_lower(std::string_view text);

}  // namespace atl

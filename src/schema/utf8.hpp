#pragma once
// UTF-8 by the book: no overlong forms, no surrogates, nothing above U+10FFFF. Used on both sides:
// what comes in broken is refused, what goes out broken is replaced.
#include <cstddef>
#include <string_view>

namespace atl::schema {

// Bytes of the character that starts at `at`, or 0 if none does. `at` is inside the text.
[[nodiscard]] std::size_t character_bytes(std::string_view text, std::size_t at) noexcept;

// Where the first byte stands that is part of no character; npos if the text is good.
[[nodiscard]] std::size_t find_invalid_utf8(std::string_view text) noexcept;

// Characters of a good text.
[[nodiscard]] std::size_t count_characters(std::string_view text) noexcept;

}  // namespace atl::schema

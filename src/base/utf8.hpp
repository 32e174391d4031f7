#pragma once
// Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. What comes in broken
// is refused; what goes out broken is replaced, because JSON must not carry it on.
#include <cstddef>
#include <string>
#include <string_view>

namespace atl {

// A byte inside a character, not its first.
[[nodiscard]] constexpr bool is_continuation(char c) noexcept {
    return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;
}

// What stands at the beginning of a text that is not empty.
struct Utf8Character {
    std::size_t bytes = 1;  // of this character, or of what is wrong
    char32_t point = 0;     // of a valid one
    bool valid = false;
    bool cut = false;  // it could become valid with more bytes
};
[[nodiscard]] Utf8Character first_character(std::string_view text) noexcept;

// Bytes of the character that starts at `at`, or 0 if none does. `at` is inside the text.
[[nodiscard]] std::size_t character_bytes(std::string_view text, std::size_t at) noexcept;

// Where the first byte stands that is part of no character; npos if the text is good.
[[nodiscard]] std::size_t find_invalid_utf8(std::string_view text) noexcept;
[[nodiscard]] inline bool is_utf8(std::string_view text) noexcept {
    return find_invalid_utf8(text) == std::string_view::npos;
}

// Characters of a good text.
[[nodiscard]] std::size_t count_characters(std::string_view text) noexcept;

// With U+FFFD in place of what is no text.
[[nodiscard]] std::string as_utf8(std::string_view text);
// The longest beginning within `bytes_max` that cuts no character.
[[nodiscard]] std::string_view cut_utf8(std::string_view text, std::size_t bytes_max) noexcept;

// Pieces of text that may be cut inside a character: its beginning waits for the next piece.
class Utf8Joiner {
public:
    [[nodiscard]] std::string add(std::string_view piece);
    [[nodiscard]] std::string rest();
    [[nodiscard]] bool holds_something() const noexcept { return !held_.empty(); }

private:
    std::string held_;
};

}  // namespace atl

#pragma once
// Text that is UTF-8 for certain. What providers and tools send may be cut inside a character, or
// no text at all; JSON must not carry that on.
#include <string>
#include <string_view>

namespace atl::openai {

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;
// With U+FFFD in place of what is none.
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

}  // namespace atl::openai

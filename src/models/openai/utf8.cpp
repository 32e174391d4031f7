#include "models/openai/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace atl::openai {

namespace {

struct Character {
    std::size_t bytes;  // of this character, or of what is wrong
    bool valid;
    bool cut;  // it could become one with more bytes
};

// What stands at the beginning of a text that is not empty.
Character first_of(std::string_view text) noexcept {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return {1, true, false};
    const std::size_t wanted = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4) return {1, false, false};
    // The second byte has a narrower range after some: no overlong forms, surrogates, or beyond.
    const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    for (std::size_t i = 1; i < wanted; ++i) {
        if (i == text.size()) return {i, false, true};
        if (byte(i) < (i == 1 ? low : 0x80) || byte(i) > (i == 1 ? high : 0xBF)) {
            return {i, false, false};
        }
    }
    return {wanted, true, false};
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
    while (!text.empty()) {
        const auto character = first_of(text);
        if (!character.valid) return false;
        text.remove_prefix(character.bytes);
    }
    return true;
}

std::string as_utf8(std::string_view text) {
    if (is_utf8(text)) return std::string(text);
    std::string out;
    out.reserve(text.size() + 8);
    while (!text.empty()) {
        const auto character = first_of(text);
        out.append(character.valid ? text.substr(0, character.bytes) : "\xEF\xBF\xBD");
        text.remove_prefix(character.bytes);
    }
    return out;
}

std::string_view cut_utf8(std::string_view text, std::size_t bytes_max) noexcept {
    if (text.size() <= bytes_max) return text;
    std::size_t end = bytes_max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end);
}

std::string Utf8Joiner::add(std::string_view piece) {
    std::string text = std::exchange(held_, {});
    text.append(piece);
    for (std::size_t back = std::min<std::size_t>(3, text.size()); back > 0; --back) {
        const auto tail = std::string_view(text).substr(text.size() - back);
        const auto character = first_of(tail);
        if (!character.cut || character.bytes != back) continue;
        held_.assign(tail);
        text.resize(text.size() - back);
        break;
    }
    return as_utf8(text);
}

std::string Utf8Joiner::rest() {
    const std::string left = std::exchange(held_, {});
    return as_utf8(left);
}

}  // namespace atl::openai

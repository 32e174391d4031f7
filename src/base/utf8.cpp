#include "base/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace atl {

Utf8Character first_character(std::string_view text) noexcept {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return {1, lead, true, false};
    if (lead < 0xC2 || lead > 0xF4) return {1, 0, false, false};
    const std::size_t wanted = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    // The second byte has a narrower range after some: no overlong forms, surrogates, or beyond.
    const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    char32_t point = lead & (0xFFu >> (wanted + 1));
    for (std::size_t i = 1; i < wanted; ++i) {
        if (i == text.size()) return {i, 0, false, true};
        if (byte(i) < (i == 1 ? low : 0x80) || byte(i) > (i == 1 ? high : 0xBF)) {
            return {i, 0, false, false};
        }
        point = (point << 6) | (byte(i) & 0x3Fu);
    }
    return {wanted, point, true, false};
}

std::size_t character_bytes(std::string_view text, std::size_t at) noexcept {
    const auto character = first_character(text.substr(at));
    return character.valid ? character.bytes : 0;
}

std::size_t find_invalid_utf8(std::string_view text) noexcept {
    std::size_t at = 0;
    while (at < text.size()) {
        std::uint64_t eight = 0;
        if (at + sizeof eight <= text.size()) {  // most of a program or a request is ASCII
            std::memcpy(&eight, text.data() + at, sizeof eight);
            if ((eight & 0x8080808080808080ull) == 0) {
                at += sizeof eight;
                continue;
            }
        }
        const auto bytes = character_bytes(text, at);
        if (bytes == 0) return at;
        at += bytes;
    }
    return std::string_view::npos;
}

std::size_t count_characters(std::string_view text) noexcept {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string as_utf8(std::string_view text) {
    if (is_utf8(text)) return std::string(text);
    std::string out;
    out.reserve(text.size() + 8);
    while (!text.empty()) {
        const auto character = first_character(text);
        out.append(character.valid ? text.substr(0, character.bytes) : "\xEF\xBF\xBD");
        text.remove_prefix(character.bytes);
    }
    return out;
}

std::string_view cut_utf8(std::string_view text, std::size_t bytes_max) noexcept {
    if (text.size() <= bytes_max) return text;
    std::size_t end = bytes_max;
    while (end > 0 && is_continuation(text[end])) --end;
    return text.substr(0, end);
}

std::string Utf8Joiner::add(std::string_view piece) {
    std::string text = std::exchange(held_, {});
    text.append(piece);
    for (std::size_t back = std::min<std::size_t>(3, text.size()); back > 0; --back) {
        const auto tail = std::string_view(text).substr(text.size() - back);
        const auto character = first_character(tail);
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

}  // namespace atl

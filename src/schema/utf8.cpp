#include "schema/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace atl::schema {

std::size_t character_bytes(std::string_view text, std::size_t at) noexcept {
    const auto byte = [&](std::size_t i) {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
    };
    const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first < 0xC2) return 0;  // a follower, or an overlong form of ASCII
    if (first < 0xE0) return follows(1) ? 2 : 0;
    if (first < 0xF0) {
        if (!follows(1) || !follows(2)) return 0;
        if (first == 0xE0 && byte(1) < 0xA0) return 0;  // overlong
        if (first == 0xED && byte(1) > 0x9F) return 0;  // a surrogate
        return 3;
    }
    if (first > 0xF4 || !follows(1) || !follows(2) || !follows(3)) return 0;
    if (first == 0xF0 && byte(1) < 0x90) return 0;  // overlong
    if (first == 0xF4 && byte(1) > 0x8F) return 0;  // above U+10FFFF
    return 4;
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
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
    }));
}

}  // namespace atl::schema

#include "base/text.hpp"

#include "base/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <utility>

namespace atl {

namespace {

constexpr char kEscape = '\x1b';
constexpr std::size_t kColourBytesMax = 64;

bool does_harm(char32_t point) noexcept {
    constexpr std::pair<char32_t, char32_t> kHarm[] = {
        {0x00, 0x1f},     {0x7f, 0x9f},      // C0, DEL, C1
        {0x61c, 0x61c},   {0x200e, 0x200f},  // marks of direction
        {0x2028, 0x202e},                    // separators; embeddings and overrides
        {0x2066, 0x2069},                    // isolates
    };
    return std::any_of(std::begin(kHarm), std::end(kHarm), [point](const auto& range) {
        return point >= range.first && point <= range.second;
    });
}

void append_escaped(std::string& out, std::string_view bytes, const Utf8Character& found) {
    char text[16];
    if (found.valid) {  // none of those that do harm needs more than four digits
        std::snprintf(text, sizeof text, "\\u%04x", static_cast<unsigned>(found.point));
        out += text;
        return;
    }
    for (const char byte : bytes) {
        std::snprintf(text, sizeof text, "\\x%02x", static_cast<unsigned char>(byte));
        out += text;
    }
}

// How long the colour (SGR) is that the text begins with; 0 when it begins with none, and more than
// there is when its end may still come.
std::size_t colour_bytes(std::string_view text) noexcept {
    if (text.size() < 2) return 2;
    if (text[1] != '[') return 0;
    for (std::size_t i = 2; i < text.size() && i < kColourBytesMax; ++i) {
        if (text[i] == 'm') return i + 1;
        if ((text[i] < '0' || text[i] > '9') && text[i] != ';' && text[i] != ':') return 0;
    }
    return text.size() < kColourBytesMax ? text.size() + 1 : 0;
}

}  // namespace

bool is_harmless(std::string_view text) noexcept {
    while (!text.empty()) {
        const auto found = first_character(text);
        if (!found.valid || does_harm(found.point)) return false;
        text.remove_prefix(found.bytes);
    }
    return true;
}

std::string harmless(std::string_view text, char instead) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto found = first_character(text);
        if (found.valid && !does_harm(found.point)) {
            out += text.substr(0, found.bytes);
        } else {
            out += instead;
        }
        text.remove_prefix(found.bytes);
    }
    return out;
}

std::string printable(std::string_view text, Lines lines) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto found = first_character(text);
        const auto bytes = text.substr(0, found.bytes);
        const bool keeps = lines == Lines::Kept && found.point == '\n';
        if (found.valid && (keeps || !does_harm(found.point))) {
            out += bytes;
        } else {
            append_escaped(out, bytes, found);
        }
        text.remove_prefix(found.bytes);
    }
    return out;
}

std::string TerminalText::pass(std::string_view piece) {
    held_ += piece;
    return take(false);
}

std::string TerminalText::finish() { return take(true); }

std::string TerminalText::take(bool at_end) {
    constexpr std::string_view kPasses = "\n\t\r\b";
    std::string out;
    std::string_view text = held_;
    while (!text.empty()) {
        const auto found = first_character(text);
        if (found.cut && !at_end) break;
        std::size_t bytes = found.bytes;
        bool passes = found.valid && (!does_harm(found.point) ||
                                      kPasses.find(text.front()) != std::string_view::npos);
        if (text.front() == kEscape) {
            const auto colour = colour_bytes(text);
            if (colour > text.size() && !at_end) break;
            passes = colour > 0 && colour <= text.size();
            if (passes) bytes = colour;
        }
        if (passes) {
            out += text.substr(0, bytes);
        } else {
            append_escaped(out, text.substr(0, bytes), found);
        }
        text.remove_prefix(bytes);
    }
    held_ = std::string(text);
    return out;
}

}  // namespace atl

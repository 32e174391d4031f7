#include "models/offline/python_text.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace atl::offline {
namespace {

std::string hex(unsigned value) {
    std::array<char, 8> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "\\x%02x", value);
    return buffer.data();
}

// Length of a well-formed UTF-8 character at `at`, 0 if there is none.
std::size_t character(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
    };
    const auto follow = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
    const unsigned first = byte(0);
    if (first >= 0xC2 && first < 0xE0 && follow(1)) return 2;
    if (first >= 0xE0 && first < 0xF0 && follow(1) && follow(2)) {
        if (first == 0xE0 && byte(1) < 0xA0) return 0;
        if (first == 0xED && byte(1) >= 0xA0) return 0;
        return 3;
    }
    if (first >= 0xF0 && first < 0xF5 && follow(1) && follow(2) && follow(3)) return 4;
    return 0;
}

// Signs that turn the direction of text or hide it: code must read as it runs.
bool is_hidden(std::string_view c) {
    if (c.size() == 2) return c[0] == '\xC2' && static_cast<unsigned char>(c[1]) < 0xA0;
    if (c.size() != 3) return false;
    if (c == "\xEF\xBB\xBF") return true;
    const auto last = static_cast<unsigned char>(c[2]);
    if (c.starts_with("\xE2\x80"))
        return (last >= 0x8B && last <= 0x8F) || (last >= 0xA8 && last <= 0xAE);
    return c.starts_with("\xE2\x81") && last >= 0xA0 && last <= 0xAF;
}

std::string escaped(std::string_view c) {
    unsigned code = c.size() == 2 ? c[0] & 0x1FU : c[0] & 0x0FU;
    for (std::size_t i = 1; i < c.size(); ++i) code = (code << 6U) | (c[i] & 0x3FU);
    std::array<char, 12> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "\\u%04x", code);
    return buffer.data();
}

}  // namespace

std::string py(std::string_view text) {
    std::string out = "'";
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (byte >= 0x80) {
            const std::size_t length = character(text, at);
            if (length == 0) {
                out += hex(byte);
                ++at;
                continue;
            }
            const std::string_view c = text.substr(at, length);
            out += is_hidden(c) ? escaped(c) : std::string(c);
            at += length;
            continue;
        }
        if (byte == '\\' || byte == '\'') {
            out += '\\';
            out += static_cast<char>(byte);
        } else if (byte == '\n') {
            out += "\\n";
        } else if (byte < 0x20 || byte == 0x7F) {
            out += hex(byte);
        } else {
            out += static_cast<char>(byte);
        }
        ++at;
    }
    return out + "'";
}

std::string py(double value) {
    if (!std::isfinite(value)) return "float('nan')";
    std::array<char, 40> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.15g", value);
    return buffer.data();
}

std::string py(const std::vector<std::string>& texts) {
    std::string out = "[";
    for (const std::string& text : texts) {
        if (out.size() > 1) out += ", ";
        out += py(text);
    }
    return out + "]";
}

}  // namespace atl::offline

#include "guest/lib/names.hpp"

#include "base/fields.hpp"

#include <cstdint>

namespace atl::guest {

namespace json = boost::json;

namespace {

// How many bytes the character at the front of `text` has; 0 when it is none.
std::size_t character_bytes(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text.front());
    if (lead < 0x80) return 1;
    if (lead < 0xc2 || lead > 0xf4) return 0;
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (length > text.size()) return 0;
    std::uint32_t point = lead & (0xffu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte & 0xc0) != 0x80) return 0;
        point = point << 6 | (byte & 0x3f);
    }
    // Overlong forms, halves of a UTF-16 pair, and what lies beyond Unicode.
    if (length == 3 && (point < 0x800 || (point >= 0xd800 && point < 0xe000))) return 0;
    if (length == 4 && (point < 0x10000 || point > 0x10ffff)) return 0;
    return length;
}

std::string hex(std::string_view bytes) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const char byte : bytes) {
        text.push_back(kDigits[static_cast<unsigned char>(byte) >> 4]);
        text.push_back(kDigits[static_cast<unsigned char>(byte) & 15]);
    }
    return text;
}

int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

}  // namespace

std::string printable(std::string_view bytes) {
    std::string shown;
    shown.reserve(bytes.size());
    while (!bytes.empty()) {
        const std::size_t length = character_bytes(bytes);
        if (length == 0)
            shown.push_back('?');
        else
            shown.append(bytes.substr(0, length));
        bytes.remove_prefix(length == 0 ? 1 : length);
    }
    return shown;
}

void put_name(json::object& into, const char* key, std::string_view bytes) {
    const std::string shown = printable(bytes);
    into[key] = shown;
    if (shown != bytes) into[std::string(key) + "_hex"] = hex(bytes);
}

std::string name_in(const json::object& request, const std::string& key) {
    const std::string text = fields::text_of(request, key + "_hex");
    if (text.empty() || text.size() % 2 != 0) return fields::text_of(request, key);
    std::string bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = digit_of(text[i]), low = digit_of(text[i + 1]);
        if (high < 0 || low < 0) return {};
        bytes.push_back(static_cast<char>(high << 4 | low));
    }
    return bytes;
}

}  // namespace atl::guest

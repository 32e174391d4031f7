#include "core/paging.hpp"

#include "base/result.hpp"

#include <charconv>
#include <string_view>

namespace atl::core {

namespace {

constexpr std::size_t kIdBytesMax = 128;
constexpr std::string_view kDigits = "0123456789abcdef";

[[noreturn]] void refuse(std::string message) {
    throw ErrorException({Code::InvalidArgument, std::move(message)});
}

}  // namespace

// Hexadecimal, because an id may hold any byte and a cursor travels in URLs.
std::string write_cursor(const Cursor& cursor) {
    const std::string plain = std::to_string(cursor.time) + ":" + cursor.id;
    std::string text;
    text.reserve(plain.size() * 2);
    for (const char c : plain) {
        const auto byte = static_cast<unsigned char>(c);
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

Cursor read_cursor(const std::string& text) {
    const char* complaint = "the cursor is not valid";
    if (text.size() % 2 != 0 || text.size() > 2 * (kIdBytesMax + 24)) refuse(complaint);
    std::string plain;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const auto high = kDigits.find(text[i]);
        const auto low = kDigits.find(text[i + 1]);
        if (high == kDigits.npos || low == kDigits.npos) refuse(complaint);
        plain += static_cast<char>(high * 16 + low);
    }
    Cursor cursor;
    const char* end = plain.data() + plain.size();
    const auto [stop, failed] = std::from_chars(plain.data(), end, cursor.time);
    if (failed != std::errc() || stop == end || *stop != ':') refuse(complaint);
    cursor.id.assign(stop + 1, end);
    return cursor;
}

void check_limit(std::uint32_t limit) {
    if (limit < 1 || limit > kPageMax) {
        refuse("the limit of a list is 1 to " + std::to_string(kPageMax));
    }
}

void check_id(const std::string& id, const char* what) {
    if (id.empty() || id.size() > kIdBytesMax) {
        refuse(std::string("the id of a ") + what + " has 1 to " + std::to_string(kIdBytesMax) +
               " bytes");
    }
}

}  // namespace atl::core

#include "stores/sqlite/paging.hpp"

#include <charconv>

namespace atl::sqlite {

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
    const char* complaint = "the cursor is not one that a page ended with";
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

void Filter::where(const std::string& condition, std::string value) {
    where(condition);
    values_.emplace_back(std::move(value));
}

void Filter::where(const std::string& condition, std::string value, std::string second) {
    where(condition, std::move(value));
    values_.emplace_back(std::move(second));
}

void Filter::where(const std::string& condition, std::int64_t value) {
    where(condition);
    values_.emplace_back(value);
}

void Filter::where(const std::string& condition, std::int64_t value, std::int64_t second) {
    where(condition, value);
    values_.emplace_back(second);
}

void Filter::whose(const core::Whose& whose) {
    if (whose.owner()) where("owner = ?", *whose.owner());
}

void Filter::after(const std::string& text) {
    if (text.empty()) return;
    Cursor cursor = read_cursor(text);
    where("(created_at, id) < (?, ?)", cursor.time);
    values_.emplace_back(std::move(cursor.id));
}

void Filter::bind(Query& query) const {
    for (const auto& value : values_) {
        if (const auto* number = std::get_if<std::int64_t>(&value)) {
            query.bind(*number);
        } else {
            query.bind(std::get<std::string>(value));
        }
    }
}

}  // namespace atl::sqlite

#include "net/headers.hpp"

#include <algorithm>

namespace atl::net {

namespace {

constexpr char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

constexpr bool is_token_char(char c) noexcept {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return true;
    return std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

}  // namespace

bool same_ignoring_case(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
               return x == y || lower(x) == lower(y);
           });
}

bool is_token(std::string_view text) noexcept {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
}

bool is_field_value(std::string_view text) noexcept {
    return std::all_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return c == '\t' || (byte >= 0x20 && byte != 0x7f);
    });
}

std::string_view trimmed(std::string_view text) noexcept {
    const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

std::optional<std::string_view> next_element(std::string_view& list) noexcept {
    while (!list.empty()) {
        bool quoted = false;
        std::size_t end = 0;
        for (; end < list.size(); ++end) {
            if (list[end] == '"') quoted = !quoted;
            if (list[end] == '\\' && quoted && end + 1 < list.size()) ++end;
            if (list[end] == ',' && !quoted) break;
        }
        const auto element = trimmed(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
        if (!element.empty()) return element;
    }
    return std::nullopt;
}

std::optional<std::string_view> Headers::get(std::string_view name) const noexcept {
    for (const auto& [key, value] : fields_) {
        if (same_ignoring_case(key, name)) return std::string_view(value);
    }
    return std::nullopt;
}

std::string_view Headers::get_or(std::string_view name, std::string_view otherwise) const noexcept {
    const auto found = get(name);
    return found ? *found : otherwise;
}

std::vector<std::string_view> Headers::get_all(std::string_view name) const {
    std::vector<std::string_view> found;
    for (const auto& [key, value] : fields_) {
        if (same_ignoring_case(key, name)) found.emplace_back(value);
    }
    return found;
}

bool Headers::has_token(std::string_view name, std::string_view token) const noexcept {
    for (const auto& [key, value] : fields_) {
        if (!same_ignoring_case(key, name)) continue;
        std::string_view list = value;
        while (const auto element = next_element(list)) {
            if (same_ignoring_case(*element, token)) return true;
        }
    }
    return false;
}

void Headers::set(std::string_view name, std::string_view value) {
    // The new text first: it may be a view of the field that is about to go.
    Field field(name, value);
    remove(field.first);
    fields_.push_back(std::move(field));
}

void Headers::add(std::string_view name, std::string_view value) {
    fields_.emplace_back(name, value);
}

void Headers::remove(std::string_view name) {
    std::erase_if(fields_, [&](const Field& f) { return same_ignoring_case(f.first, name); });
}

}  // namespace atl::net

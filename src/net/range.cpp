#include "net/range.hpp"

#include <algorithm>
#include <charconv>

namespace atl::net {

namespace {

std::optional<std::uint64_t> number_of(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || failed != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

std::string_view without_weakness(std::string_view tag) {
    return tag.substr(0, 2) == "W/" ? tag.substr(2) : tag;
}

}  // namespace

Range range_of(const Headers& request, const Headers& file, std::uint64_t size) {
    const Range whole{Range::Kind::Whole, 0, size};
    const auto fields = request.get_all("Range");
    if (fields.size() != 1) return whole;
    if (const auto version = request.get("If-Range")) {
        // A weak tag says "means the same", which is too little to put two halves together.
        const bool is_tag = version->substr(0, 1) == "\"";
        const auto ours = file.get(is_tag ? "ETag" : "Last-Modified");
        if (!ours || *ours != *version) return whole;
    }
    auto text = trimmed(fields.front());
    if (!same_ignoring_case(text.substr(0, 6), "bytes=")) return whole;
    text = trimmed(text.substr(6));
    const auto dash = text.find('-');
    if (dash == std::string_view::npos || text.find(',') != std::string_view::npos) return whole;
    const auto from = text.substr(0, dash);
    const auto to = text.substr(dash + 1);
    if (from.empty()) {
        const auto last = number_of(to);
        if (!last) return whole;
        if (*last == 0 || size == 0) return {Range::Kind::Unsatisfiable, 0, 0};
        const auto length = std::min(*last, size);
        return {Range::Kind::Part, size - length, length};
    }
    const auto first = number_of(from);
    if (!first) return whole;
    auto end = size;  // one past the last
    if (!to.empty()) {
        const auto last = number_of(to);
        if (!last || *last < *first) return whole;
        if (*last < size) end = *last + 1;
    }
    if (*first >= size) return {Range::Kind::Unsatisfiable, 0, 0};
    return {Range::Kind::Part, *first, end - *first};
}

bool is_unchanged(const Headers& request, const Headers& file) {
    const auto ours = file.get("ETag");
    if (!ours) return false;
    for (const auto field : request.get_all("If-None-Match")) {
        auto list = field;
        while (const auto tag = next_element(list)) {
            if (*tag == "*" || without_weakness(*tag) == without_weakness(*ours)) return true;
        }
    }
    return false;
}

}  // namespace atl::net

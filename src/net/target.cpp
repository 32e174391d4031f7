#include "net/target.hpp"

#include "base/encoding.hpp"
#include "base/utf8.hpp"
#include "net/headers.hpp"

namespace atl::net {

namespace {

// The header limit bounds the bytes; these bound the pieces made of them.
constexpr std::size_t kSegmentsMax = 256;
constexpr std::size_t kParametersMax = 512;

Error invalid(std::string message) { return {Code::InvalidArgument, std::move(message)}; }

Result<void> read_segments(Target& target) {
    std::string_view rest = target.path;
    rest.remove_prefix(1);
    for (;;) {
        const auto end = rest.find('/');
        auto segment = percent_decoded(rest.substr(0, end));
        if (!segment) return segment.error();
        if (target.segments.size() == kSegmentsMax) return invalid("the path has too many parts");
        target.utf8 = target.utf8 && is_utf8(*segment);
        target.has_dots = target.has_dots || *segment == "." || *segment == "..";
        target.has_slash = target.has_slash || segment->find('/') != std::string::npos;
        target.segments.push_back(std::move(*segment));
        if (end == std::string_view::npos) return {};
        rest.remove_prefix(end + 1);
    }
}

Result<void> read_query(Target& target) {
    std::string_view rest = target.query_text;
    while (!rest.empty()) {
        const auto end = rest.find('&');
        const auto pair = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        if (pair.empty()) continue;
        if (target.query.size() == kParametersMax) return invalid("the query has too many parts");
        const auto equals = pair.find('=');
        auto name = percent_decoded(pair.substr(0, equals), Plus::Space);
        if (!name) return name.error();
        auto value = percent_decoded(
            equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1),
            Plus::Space);
        if (!value) return value.error();
        target.utf8 = target.utf8 && is_utf8(*name) && is_utf8(*value);
        target.query.emplace_back(std::move(*name), std::move(*value));
    }
    return {};
}

}  // namespace

std::optional<std::string_view> Target::parameter(std::string_view name) const noexcept {
    for (const auto& [key, value] : query) {
        if (key == name) return std::string_view(value);
    }
    return std::nullopt;
}

std::vector<std::string_view> Target::parameters(std::string_view name) const {
    std::vector<std::string_view> found;
    for (const auto& [key, value] : query) {
        if (key == name) found.emplace_back(value);
    }
    return found;
}

Result<Target> parse_target(std::string_view text) {
    Target target;
    if (text == "*") {
        target.path = "*";
        return target;
    }
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!same_ignoring_case(text.substr(0, scheme.size()), scheme)) continue;
        text.remove_prefix(scheme.size());
        const auto end = text.find_first_of("/?");
        target.authority = text.substr(0, end);
        if (target.authority.empty()) return invalid("the target names no host");
        text.remove_prefix(end == std::string_view::npos ? text.size() : end);
        break;
    }
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= 0x20 || byte == 0x7f) return invalid("the target has a control character");
        if (c == '#') return invalid("the target has a fragment, which is never sent");
    }
    const auto question = text.find('?');
    target.path = text.substr(0, question);
    if (target.path.empty() && !target.authority.empty()) target.path.push_back('/');
    if (target.path.empty() || target.path.front() != '/') {
        return invalid("the target must start with a slash");
    }
    if (question != std::string_view::npos) target.query_text = text.substr(question + 1);
    if (auto read = read_segments(target); !read) return read.error();
    if (auto read = read_query(target); !read) return read.error();
    return target;
}

Result<std::string> percent_decoded(std::string_view text, Plus plus) {
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+' && plus == Plus::Space) {
            decoded.push_back(' ');
        } else if (text[i] != '%') {
            decoded.push_back(text[i]);
        } else {
            const int high = i + 1 < text.size() ? hex_value(text[i + 1]) : -1;
            const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
            if (high < 0 || low < 0) return invalid("a percent sign without two hex digits");
            if (high == 0 && low == 0) return invalid("the target has an escaped NUL");
            decoded.push_back(static_cast<char>(high * 16 + low));
            i += 2;
        }
    }
    return decoded;
}

}  // namespace atl::net

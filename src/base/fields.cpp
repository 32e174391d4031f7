#include "base/fields.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

namespace atl::fields {

namespace json = boost::json;

namespace {

// Each value takes memory and time of its own, however short it is written: `[[],[],…` is the
// longest work a byte can make.
constexpr std::size_t kValuesMax = 1'000'000;

std::size_t values_in(std::string_view text) {
    std::size_t values = 1;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\') ++i;
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == ',' || c == '[' || c == '{') {
            ++values;
        }
    }
    return values;
}

}  // namespace

Result<json::object> parse_object(std::string_view text) {
    if (text.size() > kValuesMax && values_in(text) > kValuesMax) {
        return Error{Code::Exhausted, "JSON of more than a million values"};
    }
    json::parse_options options;
    options.max_depth = 64;  // a result is a bundle of bundles; nothing of ours is nested deeper
    boost::system::error_code failed;
    auto value = json::parse(text, failed, {}, options);
    if (failed) return Error{Code::Internal, "not JSON: " + failed.message()};
    if (!value.is_object()) return Error{Code::Internal, "JSON, but no object"};
    return std::move(value.as_object());
}

std::string text_of(const json::object& request, std::string_view key, std::string_view otherwise) {
    const auto* value = request.if_contains(key);
    if (value == nullptr || !value->is_string()) return std::string(otherwise);
    const auto& text = value->get_string();
    return std::string(text.data(), text.size());
}

std::int64_t number_of(const json::object& request, std::string_view key, std::int64_t otherwise) {
    const auto* value = request.if_contains(key);
    if (value == nullptr || !value->is_number()) return otherwise;
    boost::system::error_code failed;
    const auto number = value->to_number<std::int64_t>(failed);
    return failed ? otherwise : number;
}

bool flag_of(const json::object& request, std::string_view key, bool otherwise) {
    const auto* value = request.if_contains(key);
    return value != nullptr && value->is_bool() ? value->get_bool() : otherwise;
}

}  // namespace atl::fields

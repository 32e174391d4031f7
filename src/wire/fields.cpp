#include "wire/fields.hpp"

#include <boost/json/value.hpp>

namespace atl::wire {

namespace json = boost::json;

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

}  // namespace atl::wire

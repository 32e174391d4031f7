#include "api/e2b/message.hpp"

#include "base/encoding.hpp"
#include "base/result.hpp"
#include "schema/json.hpp"

#include <boost/json/value.hpp>
#include <charconv>

namespace atl::api::e2b {

namespace json = boost::json;

namespace {

std::string in_snake_case(std::string_view name) {
    std::string snake;
    for (const char c : name) {
        if (c >= 'A' && c <= 'Z') {
            snake.push_back('_');
            snake.push_back(static_cast<char>(c - 'A' + 'a'));
        } else {
            snake.push_back(c);
        }
    }
    return snake;
}

}  // namespace

const json::value* Message::find(std::string_view name) const {
    const auto* value = fields_.if_contains(name);
    if (value == nullptr) value = fields_.if_contains(in_snake_case(name));
    return value == nullptr || value->is_null() ? nullptr : value;
}

void Message::refuse(std::string_view name, std::string_view what) const {
    throw ErrorException(
        {Code::InvalidArgument, path_ + std::string(name) + ": " + std::string(what)});
}

std::string Message::text(std::string_view name) const {
    return text_if_any(name).value_or(std::string());
}

std::optional<std::string> Message::text_if_any(std::string_view name) const {
    const auto* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_string()) refuse(name, "must be a text");
    const auto& text = value->get_string();
    return std::string(text.data(), text.size());
}

std::optional<bool> Message::flag(std::string_view name) const {
    const auto* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_bool()) refuse(name, "must be true or false");
    return value->get_bool();
}

std::uint32_t Message::number(std::string_view name, std::uint32_t most) const {
    const auto* value = find(name);
    if (value == nullptr) return 0;
    std::int64_t number = -1;
    if (value->is_int64()) {
        number = value->get_int64();
    } else if (value->is_double() && value->get_double() >= 0 && value->get_double() <= most) {
        number = static_cast<std::int64_t>(value->get_double());
        if (static_cast<double>(number) != value->get_double()) number = -1;
    } else if (value->is_string()) {
        const std::string_view text = value->get_string();
        const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (failed != std::errc() || end != text.data() + text.size()) number = -1;
    }
    if (number < 0 || number > most) {
        refuse(name, "must be a whole number from 0 to " + std::to_string(most));
    }
    return static_cast<std::uint32_t>(number);
}

std::string Message::bytes(std::string_view name) const {
    const auto text = text_if_any(name).value_or(std::string());
    auto bytes = base64_decoded(text);
    if (bytes.empty() && !text.empty()) {
        // The alphabet of addresses is allowed as well.
        std::string usual = text;
        for (char& c : usual) c = c == '-' ? '+' : c == '_' ? '/' : c;
        bytes = base64_decoded(usual);
    }
    if (bytes.empty() && !text.empty()) refuse(name, "must be base64");
    return bytes;
}

std::vector<std::string> Message::texts(std::string_view name) const {
    const auto* value = find(name);
    if (value == nullptr) return {};
    if (!value->is_array()) refuse(name, "must be a list of texts");
    std::vector<std::string> all;
    for (const auto& one : value->get_array()) {
        if (!one.is_string()) refuse(name, "must be a list of texts");
        all.emplace_back(one.get_string().data(), one.get_string().size());
    }
    return all;
}

std::map<std::string, std::string> Message::text_map(std::string_view name) const {
    const auto* value = find(name);
    if (value == nullptr) return {};
    if (!value->is_object()) refuse(name, "must be an object of texts");
    std::map<std::string, std::string> all;
    for (const auto& [key, one] : value->get_object()) {
        if (!one.is_string()) refuse(name, "must be an object of texts");
        all.emplace(std::string(key),
                    std::string(one.get_string().data(), one.get_string().size()));
    }
    return all;
}

std::optional<Message> Message::message(std::string_view name) const {
    const auto* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_object()) refuse(name, "must be an object");
    return Message(value->get_object(), path_ + std::string(name) + ".");
}

Message message_from(std::string_view text, std::size_t bytes_max) {
    auto value = schema::parse_json(text, bytes_max);
    if (!value.is_object()) {
        throw ErrorException({Code::InvalidArgument, "a message must be a JSON object"});
    }
    return Message(std::move(value.get_object()));
}

}  // namespace atl::api::e2b

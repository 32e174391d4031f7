#include "api/e2b/body.hpp"

#include "api/secrets.hpp"
#include "base/result.hpp"
#include "schema/json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace atl::api::e2b {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

// Metadata and environment at their largest fit in.
constexpr std::size_t kControlBytesMax = 1u << 20;

[[noreturn]] void wrong(std::string_view name, const std::string& what) {
    throw ErrorException({Code::InvalidArgument, std::string(name) + ": " + what});
}

}  // namespace

asio::awaitable<Body> Body::read(net::Exchange& exchange) {
    const auto text = co_await exchange.read_body(kControlBytesMax);
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) co_return Body(json::object());
    auto parsed = schema::parse_json(text, kControlBytesMax);
    if (parsed.is_null()) co_return Body(json::object());
    if (!parsed.is_object()) {
        throw ErrorException({Code::InvalidArgument, "the body must be a JSON object"});
    }
    co_return Body(std::move(parsed.as_object()));
}

const json::value* Body::find(std::string_view name) const {
    const auto* value = fields_.if_contains(name);
    return value == nullptr || value->is_null() ? nullptr : value;
}

std::optional<std::string> Body::text(std::string_view name, std::size_t bytes_max) const {
    const auto* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_string()) wrong(name, "must be a string");
    if (value->get_string().size() > bytes_max) {
        wrong(name, "has at most " + std::to_string(bytes_max) + " bytes");
    }
    return std::string(value->get_string());
}

std::optional<bool> Body::flag(std::string_view name) const {
    const auto* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_bool()) wrong(name, "must be true or false");
    return value->get_bool();
}

std::optional<std::int64_t> Body::number(std::string_view name, std::int64_t least,
                                         std::int64_t most) const {
    const auto* value = find(name);
    if (value == nullptr) return std::nullopt;
    boost::system::error_code failed;
    const auto number = value->to_number<std::int64_t>(failed);
    if (failed) wrong(name, "must be a whole number");
    if (number < least || number > most) {
        wrong(name, "must be from " + std::to_string(least) + " to " + std::to_string(most) +
                        ", not " + std::to_string(number));
    }
    return number;
}

std::map<std::string, std::string> Body::texts(std::string_view name, std::size_t count_max,
                                               std::size_t name_bytes_max,
                                               std::size_t bytes_max) const {
    std::map<std::string, std::string> found;
    const auto* value = find(name);
    if (value == nullptr) return found;
    if (!value->is_object()) wrong(name, "must be an object of strings");
    if (value->get_object().size() > count_max) {
        wrong(name, "has at most " + std::to_string(count_max) + " entries");
    }
    for (const auto& [key, text] : value->get_object()) {
        if (!text.is_string()) wrong(name, "must be an object of strings");
        if (key.size() > name_bytes_max || text.get_string().size() > bytes_max) {
            wrong(name, "a name has at most " + std::to_string(name_bytes_max) +
                            " bytes and a value at most " + std::to_string(bytes_max));
        }
        found.emplace(std::string(key), std::string(text.get_string()));
    }
    return found;
}

std::optional<Body> Body::object(std::string_view name) const {
    const auto* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_object()) wrong(name, "must be an object");
    return Body(value->get_object());
}

core::Sha256 Body::digest() const { return sha256(json::serialize(fields_)); }

bool Body::says(std::string_view name) const {
    const auto* value = find(name);
    if (value == nullptr) return false;
    if (value->is_bool()) return value->get_bool();
    if (value->is_string()) return !value->get_string().empty();
    if (value->is_array()) return !value->get_array().empty();
    if (value->is_object()) return !value->get_object().empty();
    return true;
}

}  // namespace atl::api::e2b

#include "api/mcp/messages.hpp"

#include "schema/json.hpp"

namespace atl::api::mcp {

namespace json = boost::json;

namespace {

constexpr std::size_t kIdBytesMax = 256;
constexpr std::size_t kMethodBytesMax = 256;

std::string line_of(json::object message) {
    std::string text;
    schema::append_json(text, json::value(std::move(message)));
    return text;
}

json::value id_in(const json::object& from) {
    const auto* id = from.if_contains("id");
    if (id == nullptr) return nullptr;
    if (id->is_int64() || id->is_uint64()) return *id;
    if (id->is_string() && id->get_string().size() <= kIdBytesMax) return *id;
    throw Refused(kInvalidRequest, "id must be an integer, or a string of at most 256 bytes");
}

[[noreturn]] void refuse(const json::value& id, int code, std::string message) {
    throw Refused(Fault{code, std::move(message), std::nullopt, id});
}

}  // namespace

Message read_message(std::string_view text, std::size_t bytes_max) {
    json::value read;
    std::optional<Error> broken;
    try {
        read = schema::parse_json(text, bytes_max);
    } catch (const ErrorException& error) { broken = error.error; }
    if (broken) throw Refused(kParseError, broken->message);
    if (read.is_array()) {
        throw Refused(kInvalidRequest, "batches are not taken: send one message at a time");
    }
    if (!read.is_object()) throw Refused(kInvalidRequest, "a message is a JSON object");
    auto& object = read.get_object();
    Message message;
    message.id = id_in(object);
    if (text_in(object, "jsonrpc") != "2.0") {
        refuse(message.id, kInvalidRequest, "jsonrpc must be \"2.0\"");
    }
    const auto* method = object.if_contains("method");
    if (method == nullptr) {
        const bool answers = object.contains("result") || object.contains("error");
        if (!answers || message.id.is_null()) {
            refuse(message.id, kInvalidRequest, "a message has a method, or answers a request");
        }
        message.kind = Message::Kind::Response;
        return message;
    }
    if (!method->is_string() || method->get_string().empty() ||
        method->get_string().size() > kMethodBytesMax) {
        refuse(message.id, kInvalidRequest, "method must be a string of 1 to 256 bytes");
    }
    message.method = std::string(method->get_string());
    if (message.id.is_null()) message.kind = Message::Kind::Notification;
    if (auto* params = object.if_contains("params")) {
        if (!params->is_object()) refuse(message.id, kInvalidParams, "params must be an object");
        message.params = std::move(params->get_object());
    }
    return message;
}

std::string key_of(const json::value& id) {
    std::string text;
    schema::append_json(text, id);
    return text;
}

std::optional<std::string> text_in(const json::object& from, std::string_view key) {
    const auto* found = from.if_contains(key);
    if (found == nullptr || !found->is_string()) return std::nullopt;
    return std::string(found->get_string());
}

std::string needed_text(const json::object& from, std::string_view key, std::size_t bytes_max) {
    auto text = text_in(from, key);
    if (!text || text->empty() || text->size() > bytes_max) {
        throw Refused(kInvalidParams, std::string(key) + " must be a string of 1 to " +
                                          std::to_string(bytes_max) + " bytes");
    }
    return std::move(*text);
}

std::string result_text(const json::value& id, json::object result) {
    return line_of({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

std::string fault_text(const Fault& fault) {
    json::object error{{"code", fault.code}, {"message", fault.message}};
    if (fault.data) error["data"] = *fault.data;
    return line_of({{"jsonrpc", "2.0"}, {"id", fault.id}, {"error", std::move(error)}});
}

std::string notification_text(std::string_view method, json::object params) {
    return line_of({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

}  // namespace atl::api::mcp

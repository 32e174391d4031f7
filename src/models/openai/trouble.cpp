#include "models/openai/trouble.hpp"

#include "base/utf8.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace atl::openai {

namespace json = boost::json;

namespace {

constexpr std::size_t kQuotedBytesMax = 300;
constexpr std::size_t kParsedBytesMax = 64u << 10;

// What the provider says, as far as it was understood.
struct Said {
    std::string message;
    std::string code;  // "context_length_exceeded", "429", …
    std::string type;
    int status = 0;
};

std::string text_at(const json::object& from, std::string_view key) {
    const auto* value = from.if_contains(key);
    if (value == nullptr) return {};
    if (const auto* text = value->if_string()) return std::string(*text);
    if (value->is_int64() || value->is_uint64()) return json::serialize(*value);
    return {};
}

Said said_in(const json::value& value, int depth = 0) {
    Said said;
    if (const auto* text = value.if_string()) {
        said.message = *text;
    } else if (const auto* list = value.if_array(); list != nullptr && !list->empty()) {
        if (depth < 4) said = said_in(list->front(), depth + 1);  // FastAPI's list of details
    } else if (const auto* object = value.if_object()) {
        for (const char* inner : {"error", "detail", "errors"}) {
            const auto* at = object->if_contains(inner);
            if (at == nullptr || at->is_null() || at->is_bool() || depth >= 4) continue;
            said = said_in(*at, depth + 1);
            break;
        }
        if (said.message.empty()) said.message = text_at(*object, "message");
        if (said.message.empty()) said.message = text_at(*object, "msg");
        if (said.code.empty()) said.code = text_at(*object, "code");
        if (said.type.empty()) said.type = text_at(*object, "type");
        if (said.code.size() == 3 && said.code.find_first_not_of("0123456789") == said.code.npos) {
            said.status = std::stoi(said.code);
        }
    }
    return said;
}

Said said_in_text(std::string_view body) {
    body = body.substr(0, kParsedBytesMax);
    const auto first = body.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    if (body[first] == '{' || body[first] == '[' || body[first] == '"') {
        boost::system::error_code wrong;
        const auto value = json::parse(json::string_view(body.data(), body.size()), wrong);
        if (!wrong) return said_in(value);
    }
    Said said;
    if (body[first] != '<') said.message = body;
    return said;
}

std::string made_safe(std::string text, const ModelAddress& address) {
    if (address.key.size() >= 4) {
        for (std::size_t at = 0; (at = text.find(address.key, at)) != std::string::npos;) {
            text.replace(at, address.key.size(), "(the key)");
        }
    }
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    }
    text = as_utf8(text);
    if (text.size() > kQuotedBytesMax) {
        text = std::string(cut_utf8(text, kQuotedBytesMax)) + "…";
    }
    const auto first = text.find_first_not_of(' ');
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

bool says(const std::string& text, std::initializer_list<std::string_view> any) {
    std::string small = text.substr(0, 4096);
    std::transform(small.begin(), small.end(), small.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return std::any_of(any.begin(), any.end(), [&](std::string_view part) {
        return small.find(part) != std::string::npos;
    });
}

bool is_too_long(const Said& said) {
    return says(said.code + " " + said.type, {"context_length", "exceed_context"}) ||
           says(said.message,
                {"context length", "context window", "context size", "maximum context",
                 "prompt is too long", "input is too long", "too many tokens", "max_model_len",
                 "reduce the length of the messages", "exceeds the maximum number of tokens"});
}

// Where the person who reads it can mend it.
std::string key_setting(const ModelAddress& address) {
    return address.chosen_here ? "the key on the settings page" : "OPENAI_API_KEY";
}
std::string address_setting(const ModelAddress& address) {
    return address.chosen_here ? "the address on the settings page" : "OPENAI_BASE_URL";
}
std::string model_setting(const ModelAddress& address) {
    return address.chosen_here ? "the model on the settings page" : "OPENAI_MODEL";
}

Trouble no_model(const ModelAddress& address) {
    return {{Code::InvalidArgument, "there is no model \"" + address.model + "\" at " +
                                        address.origin + "; check " + model_setting(address)},
            false};
}

Trouble understood(int status, const Said& said, const ModelAddress& address) {
    const std::string who = "the model's provider at " + address.origin;
    const std::string words = made_safe(said.message, address);
    const std::string quoted = words.empty() ? "" : ": " + words;
    if (is_too_long(said)) {
        return {{Code::TooLarge,
                 "the conversation is too long for the model " + address.model + quoted},
                false};
    }
    if (says(said.code + " " + said.type, {"insufficient_quota", "billing"}) || status == 402) {
        return {{Code::Exhausted,
                 "the account at " + address.origin +
                     " has no quota left; check its plan and billing, or use another key"},
                false};
    }
    switch (status) {
        case 401:  // its words are left out: they like to repeat the key
            if (address.key.empty()) {
                return {{Code::Forbidden, who + " requires a key; set " + key_setting(address)},
                        false};
            }
            return {{Code::Forbidden, who + " refuses the key; check " + key_setting(address)},
                    false};
        case 403:
            return {{Code::Forbidden, who + " refuses this key or this use of it; check " +
                                          key_setting(address) + quoted},
                    false};
        case 404:
            if (says(said.message + " " + said.code, {"model"})) { return no_model(address); }
            return {{Code::InvalidArgument,
                     "there is no chat API at this address of " + address.origin + "; check " +
                         address_setting(address) + ", which usually ends in /v1, and " +
                         model_setting(address)},
                    false};
        case 408: return {{Code::Unavailable, who + " took too long" + quoted}, true};
        case 413: return {{Code::TooLarge, who + " refuses a request this large" + quoted}, false};
        case 425:
        case 429:
            return {{Code::Unavailable,
                     who + " is asked too often at the moment; try again in a while" + quoted},
                    true};
        default: break;
    }
    if (status >= 500) {
        return {{Code::Unavailable,
                 who + " has trouble of its own (status " + std::to_string(status) + ")" + quoted},
                status != 501 && status != 505};
    }
    if (status >= 300 && status < 400) {
        return {{Code::InvalidArgument,
                 who + " redirects, which is not followed; check " + address_setting(address)},
                false};
    }
    if (says(said.message, {"model"}) && says(said.message, {"not found", "does not exist"})) {
        return no_model(address);
    }
    return {{Code::InvalidArgument,
             who + " rejects the request (status " + std::to_string(status) + ")" + quoted},
            false};
}

}  // namespace

Trouble trouble_of_status(int status, std::string_view body, const ModelAddress& address) {
    return understood(status, said_in_text(body), address);
}

Trouble trouble_of_object(const json::value& error, const ModelAddress& address) {
    const Said said = said_in(error);
    int status = said.status;
    if (status == 0) {
        const std::string kind = said.code + " " + said.type;
        if (says(kind, {"rate_limit"})) status = 429;
        if (says(kind, {"authentication", "invalid_api_key"})) status = 401;
        if (says(kind, {"invalid_request", "badrequest"})) status = 400;
    }
    if (status < 400) status = 500;
    return understood(status, said, address);
}

Trouble no_answer(std::string_view what_came, const ModelAddress& address) {
    return {
        {Code::Internal, "what came from " + address.origin + " is no answer of a chat model (" +
                             std::string(what_came) + "); check " + address_setting(address)},
        false};
}

std::string words_of(std::string_view body, const ModelAddress& address) {
    return made_safe(said_in_text(body).message, address);
}

}  // namespace atl::openai

#include "models/openai/request.hpp"

#include "base/encoding.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <vector>

namespace atl::openai {

namespace json = boost::json;

namespace {

constexpr std::size_t kToolNameMax = 64;
constexpr std::size_t kUnreadableBytesMax = 4096;
constexpr std::string_view kImagesOfTools = "Images that the tools made:";

std::string tool_name(std::string_view name) {
    std::string out(name.substr(0, kToolNameMax));
    for (char& c : out) {
        const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!fine) c = '_';
    }
    return out.empty() ? "unnamed" : out;
}

std::string arguments_text(const std::string& arguments) {
    boost::system::error_code wrong;
    const auto value = json::parse(arguments, wrong);
    if (!wrong && value.is_object()) return arguments;
    if (arguments.find_first_not_of(" \t\r\n") == std::string::npos) return "{}";
    const auto text = as_utf8(cut_utf8(arguments, kUnreadableBytesMax));
    const json::object told{{"unreadable_arguments", text}};
    return json::serialize(told);
}

json::object text_part(std::string_view text) {
    return {{"type", "text"}, {"text", json::string_view(text.data(), text.size())}};
}

json::object image_part(const core::ChatImage& image) {
    json::object url{
        {"url", "data:" + as_utf8(image.media_type) + ";base64," + base64_encoded(image.bytes)}};
    return {{"type", "image_url"}, {"image_url", std::move(url)}};
}

std::string note_for(std::size_t images) {
    return images == 1 ? "[an image that this model cannot see]"
                       : "[" + std::to_string(images) + " images that this model cannot see]";
}

const char* role_name(core::ChatRole role) {
    switch (role) {
        case core::ChatRole::System: return "system";
        case core::ChatRole::User: return "user";
        case core::ChatRole::Assistant: return "assistant";
        case core::ChatRole::Tool: return "tool";
    }
    return "user";
}

// Writes messages one after the other. Images of tools wait until the answers to all calls are
// there, for nothing may stand between these.
class Messages {
public:
    explicit Messages(const Dialect& dialect) : dialect_(dialect) {}

    void add(const core::ChatMessage& message) {
        if (message.role != core::ChatRole::Tool) show_images();
        std::string text = as_utf8(message.text);
        if (!message.images.empty() && !dialect_.sees_images) {
            text.append(text.empty() ? "" : "\n").append(note_for(message.images.size()));
        }
        json::object out{{"role", role_name(message.role)}};
        const bool shows = dialect_.sees_images && !message.images.empty();
        if (shows && message.role == core::ChatRole::User) {
            json::array parts;
            if (!text.empty()) parts.push_back(text_part(text));
            for (const auto& image : message.images) parts.push_back(image_part(image));
            out["content"] = std::move(parts);
        } else {
            if (shows) {
                for (const auto& image : message.images) waiting_.push_back(&image);
            }
            out["content"] = text;
        }
        if (message.role == core::ChatRole::Tool)
            out["tool_call_id"] = as_utf8(message.tool_call_id);
        if (!message.tool_calls.empty()) {
            json::array calls;
            for (const auto& call : message.tool_calls) {
                json::object function{{"name", tool_name(call.name)},
                                      {"arguments", arguments_text(call.arguments)}};
                calls.push_back(json::object{{"id", as_utf8(call.id)},
                                             {"type", "function"},
                                             {"function", std::move(function)}});
            }
            out["tool_calls"] = std::move(calls);
            if (text.empty()) out["content"] = nullptr;
        }
        list_.push_back(std::move(out));
    }

    json::array take() {
        show_images();
        return std::move(list_);
    }

private:
    void show_images() {
        if (waiting_.empty()) return;
        json::array parts{text_part(kImagesOfTools)};
        for (const auto* image : waiting_) parts.push_back(image_part(*image));
        waiting_.clear();
        list_.push_back(json::object{{"role", "user"}, {"content", std::move(parts)}});
    }

    const Dialect& dialect_;
    json::array list_;
    std::vector<const core::ChatImage*> waiting_;
};

json::value schema_of(const std::string& text) {
    boost::system::error_code wrong;
    auto value = json::parse(text, wrong);
    if (!wrong && value.is_object()) return value;
    return json::object{{"type", "object"}, {"properties", json::object()}};
}

}  // namespace

std::string request_body(const core::ChatRequest& request, std::string_view model,
                         const Dialect& dialect) {
    json::object body{{"model", json::string_view(model.data(), model.size())}, {"stream", true}};
    if (dialect.asks_for_usage) body["stream_options"] = json::object{{"include_usage", true}};
    if (request.answer_tokens_max != 0) {
        body[dialect.says_completion_tokens ? "max_completion_tokens" : "max_tokens"] =
            request.answer_tokens_max;
    }
    Messages messages(dialect);
    // One system message, at the beginning: templates of several models refuse any other.
    auto next = request.messages.begin();
    core::ChatMessage system;
    system.role = core::ChatRole::System;
    for (; next != request.messages.end() && next->role == core::ChatRole::System; ++next) {
        system.text += (system.text.empty() ? "" : "\n") + next->text;
    }
    if (next != request.messages.begin()) messages.add(system);
    for (; next != request.messages.end(); ++next) messages.add(*next);
    body["messages"] = messages.take();
    if (!request.tools.empty()) {
        json::array tools;
        for (const auto& tool : request.tools) {
            json::object function{{"name", tool_name(tool.name)},
                                  {"description", as_utf8(tool.description)},
                                  {"parameters", schema_of(tool.parameters)}};
            tools.push_back(json::object{{"type", "function"}, {"function", std::move(function)}});
        }
        body["tools"] = std::move(tools);
    }
    return json::serialize(body);
}

bool name_says_it_sees(std::string_view model) {
    std::string name(model);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (name.find("audio") != name.npos || name.find("embed") != name.npos) return false;
    for (const char* part : {"gpt-4o",          "gpt-4.1",   "gpt-4-turbo", "gpt-5",  "chatgpt-4o",
                             "o4-mini",         "vision",    "-vl",         "vl-",    "llava",
                             "pixtral",         "gemma-3",   "gemma3",      "gemini", "claude",
                             "llama-4",         "minicpm-v", "internvl",    "molmo",  "moondream",
                             "mistral-small-3", "smolvlm"}) {
        if (name.find(part) != name.npos) return true;
    }
    const bool is_o3 = name == "o3" || name.starts_with("o3-2") || name.starts_with("o3-pro");
    return is_o3 || name == "o1" || name.starts_with("o1-2");
}

}  // namespace atl::openai

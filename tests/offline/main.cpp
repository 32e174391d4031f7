// The offline model on a leash, for tests in Python: a conversation as one line of JSON in, the
// next step as one line out. No part of the product.
#include "models/offline/offline_model.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>
#include <exception>
#include <iostream>
#include <string>

namespace {

namespace json = boost::json;
using namespace atl;

std::string text_of(const json::object& object, const char* name) {
    const auto* value = object.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

core::ChatRole role_of(const std::string& name) {
    if (name == "system") return core::ChatRole::System;
    if (name == "assistant") return core::ChatRole::Assistant;
    if (name == "tool") return core::ChatRole::Tool;
    return core::ChatRole::User;
}

core::ChatRequest request_of(const json::value& line) {
    core::ChatRequest request;
    for (const json::value& value : line.at("messages").as_array()) {
        const json::object& object = value.as_object();
        core::ChatMessage message;
        message.role = role_of(text_of(object, "role"));
        message.text = text_of(object, "text");
        message.tool_call_id = text_of(object, "tool_call_id");
        if (const auto* calls = object.if_contains("tool_calls")) {
            for (const json::value& call : calls->as_array()) {
                const json::object& fields = call.as_object();
                message.tool_calls.push_back(
                    {text_of(fields, "id"), text_of(fields, "name"), text_of(fields, "arguments")});
            }
        }
        request.messages.push_back(std::move(message));
    }
    request.tools.push_back({"run_python", "", "{}"});
    return request;
}

struct Ear : core::ChatListener {
    std::string heard;
    void text(std::string_view piece) noexcept override { heard += piece; }
    void reasoning(std::string_view) noexcept override {}
};

json::object answer(const core::ChatReply& reply, const Ear& ear) {
    json::object out;
    out["text"] = reply.text;
    out["heard"] = ear.heard;
    json::array calls;
    for (const core::ToolCall& call : reply.tool_calls) {
        calls.push_back({{"id", call.id}, {"name", call.name}, {"arguments", call.arguments}});
    }
    out["tool_calls"] = calls;
    return out;
}

}  // namespace

int main() {
    offline::OfflineModel model;
    std::string line;
    while (std::getline(std::cin, line)) {
        json::object out;
        try {
            core::ChatRequest request = request_of(json::parse(line));
            Ear ear;
            core::ChatReply reply;
            boost::asio::io_context io;
            std::exception_ptr failed;
            boost::asio::co_spawn(io, model.chat(std::move(request), ear),
                                  [&](std::exception_ptr e, core::ChatReply r) {
                                      failed = e;
                                      reply = std::move(r);
                                  });
            io.run();
            if (failed) std::rethrow_exception(failed);
            out = answer(reply, ear);
        } catch (const std::exception& e) { out["error"] = e.what(); }
        std::cout << json::serialize(out) << std::endl;
    }
    return 0;
}

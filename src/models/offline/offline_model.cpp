#include "models/offline/offline_model.hpp"

#include "models/offline/conversation.hpp"

#include <algorithm>
#include <boost/json.hpp>

namespace atl::offline {
namespace {

constexpr std::size_t kPieceBytes = 24;

// Pieces of whole characters, so that each is valid text by itself.
void stream(std::string_view text, core::ChatListener& listener) {
    while (!text.empty()) {
        std::size_t end = std::min(kPieceBytes, text.size());
        while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
        listener.text(text.substr(0, end));
        text.remove_prefix(end);
    }
}

}  // namespace

core::ChatModelInfo OfflineModel::info() const {
    core::ChatModelInfo info;
    info.provider = "offline";
    info.name = "offline analyst (no language model)";
    return info;
}

boost::asio::awaitable<core::ChatReply> OfflineModel::chat(core::ChatRequest request,
                                                           core::ChatListener& listener) {
    core::ChatReply reply;
    const Step step = next_step(request);
    if (step.code.empty()) {
        stream(step.answer, listener);
        reply.text = step.answer;
        co_return reply;
    }
    boost::json::object arguments;
    arguments["code"] = step.code;
    core::ToolCall call;
    call.id = "offline-" + std::to_string(request.messages.size());
    call.name = "run_python";
    call.arguments = boost::json::serialize(arguments);
    reply.tool_calls.push_back(std::move(call));
    reply.finish = core::ChatReply::Finish::ToolCalls;
    co_return reply;
}

}  // namespace atl::offline

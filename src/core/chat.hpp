#pragma once
// Interface: a chat model. A conversation and tools in, text and tool calls out.
//
// Values only; JSON is passed as text, since the arguments that a model wrote may not be JSON at
// all, and it is the agent that reports this to the model.
//
// Threads   one, the executor's of the awaiting coroutine.
// Trusts    nothing that the model says: names of tools, arguments, counts and sizes are checked by
//           their users. An implementation bounds what it takes in.
// Throws    ErrorException with a sentence for the person who asked. Unavailable: not reachable, or
//           busy still after its retries. Forbidden: the key was refused. InvalidArgument: the
//           provider does not take this request. TooLarge: the conversation is beyond the model's
//           context, or its answer beyond ours. Exhausted: the account's quota is used up.
//           Timeout. Internal: what came is no answer.
// Cancel    by cancelling the coroutine; nothing more is heard then.
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atl::core {

enum class ChatRole { System, User, Assistant, Tool };

struct ToolCall {
    std::string id;  // the model's name for this call; the answer to it carries the same
    std::string name;
    std::string arguments;  // as the model wrote them: JSON, it is hoped
};

struct ChatImage {
    std::string media_type;
    std::string bytes;
};

struct ChatMessage {
    ChatRole role = ChatRole::User;
    std::string text;
    std::vector<ChatImage> images;     // for models that see
    std::vector<ToolCall> tool_calls;  // Assistant: what it asked for
    std::string tool_call_id;          // Tool: which call this answers
};
[[nodiscard]] inline ChatMessage chat_message(ChatRole role, std::string text) {
    ChatMessage message;
    message.role = role;
    message.text = std::move(text);
    return message;
}

struct ToolDescription {
    std::string name;
    std::string description;
    std::string parameters;  // a JSON schema
};

struct ChatRequest {
    std::vector<ChatMessage> messages;
    std::vector<ToolDescription> tools;
    std::uint32_t answer_tokens_max = 0;  // 0: the model's own limit
};

struct ChatUsage {
    std::uint64_t prompt_tokens = 0;
    std::uint64_t answer_tokens = 0;
};

struct ChatReply {
    enum class Finish { Stop, ToolCalls, Length, Filtered };
    std::string text;
    std::string reasoning;  // what a model thought aloud, where it says so
    std::vector<ToolCall> tool_calls;
    Finish finish = Finish::Stop;
    ChatUsage usage;
};

// Hears an answer while it grows. Called on the awaiting coroutine's executor; must not throw.
class ChatListener {
public:
    virtual ~ChatListener() = default;
    virtual void text(std::string_view piece) noexcept = 0;
    virtual void reasoning(std::string_view piece) noexcept = 0;
};

struct ChatModelInfo {
    std::string provider;  // "openai", "offline"
    std::string name;      // of the model
    bool sees_images = false;
    std::uint64_t context_tokens_max = 0;  // 0: not known
};

class ChatModel {
public:
    virtual ~ChatModel() = default;
    [[nodiscard]] virtual ChatModelInfo info() const = 0;
    // `listener` outlives the call.
    virtual boost::asio::awaitable<ChatReply> chat(ChatRequest request, ChatListener& listener) = 0;
};

}  // namespace atl::core

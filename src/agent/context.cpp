#include "agent/context.hpp"

#include "agent/message_details.hpp"
#include "agent/tokens.hpp"

#include <algorithm>
#include <deque>
#include <set>

namespace atl::agent {

namespace asio = boost::asio;

namespace {

constexpr std::uint64_t kWindow = 64;  // messages that are read at once, going back
constexpr std::uint64_t kWindowBytes = 4u << 20;

struct Turn {
    std::uint64_t number = 0;
    std::vector<core::ThreadMessage> messages;
};

core::ChatMessage plain(core::ChatRole role, std::string text) {
    core::ChatMessage message;
    message.role = role;
    message.text = std::move(text);
    return message;
}

// Answers for calls that have none, behind the last message that could hold one.
void close_calls(std::vector<core::ChatMessage>& chat, std::set<std::string>& open) {
    for (const auto& id : open) {
        auto answer = plain(core::ChatRole::Tool, "[no result: the turn was cut off here]");
        answer.tool_call_id = id;
        chat.push_back(std::move(answer));
    }
    open.clear();
}

std::uint64_t tokens_of(const std::vector<core::ChatMessage>& chat) {
    std::uint64_t tokens = 0;
    for (const auto& message : chat) tokens += estimate_tokens(message);
    return tokens;
}

std::vector<Turn> by_turn(std::vector<core::ThreadMessage> messages) {
    std::vector<Turn> turns;
    for (auto& message : messages) {
        if (turns.empty() || turns.back().number != message.turn) {
            turns.push_back({message.turn, {}});
        }
        turns.back().messages.push_back(std::move(message));
    }
    return turns;
}

}  // namespace

std::vector<core::ChatMessage> as_chat(const std::vector<core::ThreadMessage>& messages) {
    std::vector<core::ChatMessage> chat;
    std::set<std::string> open;
    for (const auto& message : messages) {
        switch (message.role) {
            case core::MessageRole::User:
                close_calls(chat, open);
                chat.push_back(plain(core::ChatRole::User, message.content));
                break;
            case core::MessageRole::Assistant: {
                close_calls(chat, open);
                auto said = plain(core::ChatRole::Assistant, message.content);
                const auto details = details_of(message);
                for (const auto& call : details.tool_calls) {
                    said.tool_calls.push_back({call.id, call.name, call.arguments});
                    open.insert(call.id);
                }
                chat.push_back(std::move(said));
                break;
            }
            case core::MessageRole::Tool: {
                const auto details = details_of(message);
                if (!details.run || open.erase(details.run->call_id) == 0) break;
                auto answer = plain(core::ChatRole::Tool, message.content);
                answer.tool_call_id = details.run->call_id;
                chat.push_back(std::move(answer));
                break;
            }
            case core::MessageRole::Note:
                close_calls(chat, open);
                chat.push_back(plain(core::ChatRole::Assistant, "[" + message.content + "]"));
                break;
        }
    }
    close_calls(chat, open);
    return chat;
}

asio::awaitable<Context> RecentContexts::build(ContextWish wish) {
    Context context;
    context.tokens_max = wish.tokens_max;
    context.request.answer_tokens_max = wish.answer_tokens_max;
    context.request.tools = std::move(wish.tools);
    context.request.messages.push_back(plain(core::ChatRole::System, std::move(wish.system)));
    const auto fixed = estimate_tokens(context.request.messages.front());
    context.parts.push_back({"system", 0, 0, fixed, true, "files and rules"});
    const auto tools = estimate_tokens(context.request) - fixed;
    if (!context.request.tools.empty()) {
        context.parts.push_back({"tools", 0, 0, tools, true, "what the model may call"});
    }
    std::uint64_t used = fixed + tools;

    const auto whose = core::Whose::anyones();  // the thread is the caller's: it was found by them
    std::deque<std::vector<core::ChatMessage>> kept;
    std::deque<ContextPart> parts;
    std::vector<core::ThreadMessage> rest;  // of a turn whose beginning is in the window before
    std::uint64_t before = wish.thread.messages + 1;
    bool full = false;
    while (before > 1 && !full) {
        const std::uint64_t from = before > kWindow ? before - kWindow : 1;
        std::vector<core::ThreadMessage> window;
        for (std::uint64_t next = from; next < before;) {
            auto some = co_await threads_.read(whose, wish.thread.id, next, kWindowBytes);
            if (some.empty()) break;
            next = some.back().sequence + 1;
            for (auto& one : some) {
                if (one.sequence < before) window.push_back(std::move(one));
            }
        }
        if (window.empty()) break;
        for (auto& one : rest) window.push_back(std::move(one));
        rest.clear();
        before = from;
        auto turns = by_turn(std::move(window));
        if (from > 1) {
            rest = std::move(turns.front().messages);
            turns.erase(turns.begin());
        }
        for (auto turn = turns.rbegin(); turn != turns.rend(); ++turn) {
            auto chat = as_chat(turn->messages);
            const auto tokens = tokens_of(chat);
            const auto first = turn->messages.front().sequence;
            const auto last = turn->messages.back().sequence;
            const bool question = wish.question >= first && wish.question <= last;
            if (used + tokens > wish.tokens_max) {
                if (question) {
                    throw ErrorException(
                        {Code::TooLarge,
                         "the question has about " + std::to_string(tokens) +
                             " tokens, and the budget of the model's context leaves " +
                             std::to_string(wish.tokens_max > used ? wish.tokens_max - used : 0)});
                }
                full = true;
                before = last + 1;
                break;
            }
            used += tokens;
            kept.push_front(std::move(chat));
            parts.push_front({question ? "question" : "turn", first, last, tokens, true,
                              question ? "the question" : "recent"});
        }
    }
    if (full && before > 1) {
        context.parts.push_back(
            {"turn", 1, before - 1, 0, false, "older than what fits the budget"});
    }
    for (auto& part : parts) context.parts.push_back(std::move(part));
    for (auto& chat : kept) {
        for (auto& message : chat) context.request.messages.push_back(std::move(message));
    }
    // Asked once more after its turn was cut off, the question stands further up.
    auto& messages = context.request.messages;
    if (wish.question != 0 && messages.back().role != core::ChatRole::User) {
        messages.push_back(plain(core::ChatRole::User, std::move(wish.question_text)));
        const auto tokens = estimate_tokens(messages.back());
        used += tokens;
        context.parts.push_back({"question", wish.question, wish.question, tokens, true,
                                 "the question, asked once more"});
    }
    context.tokens = used;
    co_return context;
}

asio::awaitable<void> RecentContexts::turn_ended(core::ThreadRecord) { co_return; }
asio::awaitable<void> RecentContexts::forget(ThreadId) { co_return; }

}  // namespace atl::agent

#include "agent/past_turns.hpp"

#include "agent/message_details.hpp"
#include "agent/text.hpp"
#include "agent/tokens.hpp"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <set>

namespace atl::agent {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::uint64_t kWindow = 32;  // messages that are read at once, going back
// Of one read: a store reads on to so many bytes, whoever needs them.
constexpr std::uint64_t kPieceBytes = 1u << 20;
constexpr std::uint64_t kWindowBytes = 16u << 10;
constexpr std::uint64_t kTurnBytes = 4u << 10;  // a usual one
constexpr std::size_t kShortPastOutput = 600;
constexpr std::size_t kShortArgument = 600;
constexpr std::size_t kNote = 60;  // what a cut adds; for less it is not worth it
constexpr std::size_t kBriefText = 1000;
// Of the room: what whole turns may take before older ones are told without their long outputs.
constexpr std::uint64_t kWholeShare = 2, kWholeShareOf = 3;

// Answers for calls that have none, behind the last message that could hold one.
void close_calls(Chat& chat, std::set<std::string>& open) {
    for (const auto& id : open) {
        auto answer =
            core::chat_message(core::ChatRole::Tool, "[no result: the turn was cut off here]");
        answer.tool_call_id = id;
        chat.push_back(std::move(answer));
    }
    open.clear();
}

// Still JSON, for providers read it.
std::string short_arguments(const std::string& arguments) {
    if (arguments.size() <= kShortArgument) return arguments;
    json::error_code wrong;
    auto value = json::parse(arguments, wrong);
    if (wrong || !value.is_object()) return "{}";
    for (auto& member : value.get_object()) {
        if (auto* text = member.value().if_string()) {
            *text = cut_in_the_middle(std::string_view(text->data(), text->size()), kShortArgument);
        }
    }
    auto text = json::serialize(value);
    return text.size() < arguments.size() ? text : arguments;
}

}  // namespace

asio::awaitable<void> TurnsBack::read_window() {
    const auto from = before_ > kWindow ? before_ - kWindow : 1;
    const auto whose = core::Whose::anyones();  // the thread is the caller's: they found it
    std::vector<core::ThreadMessage> read;
    for (auto next = from; next < before_;) {
        auto some = co_await threads_.read(whose, id_, next, kWindowBytes);
        if (some.empty()) break;
        next = some.back().sequence + 1;
        for (auto& one : some) {
            if (one.sequence < before_) read.push_back(std::move(one));
        }
    }
    before_ = read.empty() ? 1 : from;
    read.insert(read.end(), std::make_move_iterator(window_.begin()),
                std::make_move_iterator(window_.end()));
    window_ = std::move(read);
}

asio::awaitable<std::optional<PastTurn>> TurnsBack::next() {
    // A turn is whole when a message of the one before it is there as well.
    while (before_ > 1 && (window_.empty() || window_.front().turn == window_.back().turn)) {
        co_await read_window();
    }
    if (window_.empty()) co_return std::nullopt;
    PastTurn turn;
    turn.number = window_.back().turn;
    auto first = window_.end();
    while (first != window_.begin() && std::prev(first)->turn == turn.number) --first;
    turn.messages.assign(std::make_move_iterator(first), std::make_move_iterator(window_.end()));
    window_.erase(first, window_.end());
    co_return turn;
}

asio::awaitable<SomeTurns> read_turns(core::Threads& threads, TurnsQuery query) {
    SomeTurns some;
    const auto whose = core::Whose::anyones();
    std::size_t bytes = 0;
    bool full = false;
    for (auto next = query.from; next <= query.until && !full;) {
        const auto piece =
            std::min<std::uint64_t>({kPieceBytes, query.bytes_max, kTurnBytes * query.turns_max});
        auto messages = co_await threads.read(whose, query.id, next, piece);
        if (messages.empty()) break;
        for (auto& message : messages) {
            if (message.sequence > query.until) break;
            next = message.sequence + 1;
            const bool begins = some.turns.empty() || some.turns.back().number != message.turn;
            full = begins ? some.turns.size() >= query.turns_max
                          : some.turns.size() == 1 && bytes >= query.bytes_max;
            if (full) break;
            if (begins) some.turns.push_back({message.turn, {}});
            bytes += core::bytes_of(message);
            some.turns.back().messages.push_back(std::move(message));
        }
        if (bytes >= query.bytes_max && some.turns.size() > 1) {
            // What was read last is perhaps not all of its turn.
            full = true;
            if (some.turns.back().last() < query.until) some.turns.pop_back();
        }
    }
    some.all = !some.turns.empty() && some.turns.back().last() >= query.until;
    co_return some;
}

Chat as_chat(const std::vector<core::ThreadMessage>& messages) {
    Chat chat;
    std::set<std::string> open;
    // A question that was refused, for its length perhaps, must not push out those before it.
    const bool answered = std::any_of(messages.begin(), messages.end(), [](const auto& message) {
        return message.role == core::MessageRole::Assistant;
    });
    for (const auto& message : messages) {
        switch (message.role) {
            case core::MessageRole::User:
                close_calls(chat, open);
                chat.push_back(core::chat_message(
                    core::ChatRole::User,
                    answered ? message.content : cut_in_the_middle(message.content, kBriefText)));
                break;
            case core::MessageRole::Assistant: {
                close_calls(chat, open);
                auto said = core::chat_message(core::ChatRole::Assistant, message.content);
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
                auto answer = core::chat_message(core::ChatRole::Tool, message.content);
                answer.tool_call_id = details.run->call_id;
                chat.push_back(std::move(answer));
                break;
            }
            case core::MessageRole::Note:
                close_calls(chat, open);
                chat.push_back(
                    core::chat_message(core::ChatRole::Assistant, "[" + message.content + "]"));
                break;
        }
    }
    close_calls(chat, open);
    return chat;
}

Chat shortened(const Chat& whole) {
    Chat chat = whole;
    for (auto& message : chat) {
        if (message.role == core::ChatRole::Tool &&
            message.text.size() > kShortPastOutput + kNote) {
            message.text = cut_in_the_middle(message.text, kShortPastOutput);
        }
        for (auto& call : message.tool_calls) call.arguments = short_arguments(call.arguments);
    }
    return estimate_tokens(chat) < estimate_tokens(whole) ? chat : whole;
}

Chat brief(const Chat& whole) {
    Chat chat;
    for (const auto& message : whole) {
        if (message.role == core::ChatRole::User) {
            chat.push_back(
                core::chat_message(message.role, cut_in_the_middle(message.text, kBriefText)));
        }
    }
    for (auto message = whole.rbegin(); message != whole.rend(); ++message) {
        if (message->role != core::ChatRole::Assistant || message->text.empty()) continue;
        chat.push_back(
            core::chat_message(message->role, cut_in_the_middle(message->text, kBriefText)));
        break;
    }
    auto longer = shortened(whole);
    return estimate_tokens(chat) < estimate_tokens(longer) ? chat : longer;
}

std::uint64_t estimate_tokens(const Chat& chat) noexcept {
    std::uint64_t tokens = 0;
    for (const auto& message : chat) tokens += estimate_tokens(message);
    return tokens;
}

namespace {

// What is left makes short ones whole again, the latest first.
void make_whole(const std::vector<TurnSizes>& latest_first, std::vector<Form>& forms,
                std::uint64_t used, std::uint64_t tokens_max) {
    for (std::size_t i = 0; i < forms.size(); ++i) {
        const auto& turn = latest_first[i];
        if (forms[i] != Form::Short || used - turn.shortened + turn.whole > tokens_max) continue;
        forms[i] = Form::Whole;
        used = used - turn.shortened + turn.whole;
    }
}

}  // namespace

std::optional<std::vector<Form>> fit_all(const std::vector<TurnSizes>& latest_first,
                                         std::uint64_t tokens_max) {
    std::uint64_t used = 0;
    for (const auto& turn : latest_first) used += turn.shortened;
    if (used > tokens_max) return std::nullopt;
    std::vector<Form> forms(latest_first.size(), Form::Short);
    make_whole(latest_first, forms, used, tokens_max);
    return forms;
}

std::vector<Form> fit_latest(const std::vector<TurnSizes>& latest_first, std::uint64_t tokens_max) {
    std::vector<Form> forms;
    std::uint64_t used = 0;
    const auto whole_max = tokens_max / kWholeShareOf * kWholeShare;
    for (const auto& turn : latest_first) {
        const bool latest = forms.empty();
        const bool all_whole = latest || forms.back() == Form::Whole;
        if (all_whole && used + turn.whole <= (latest ? tokens_max : whole_max)) {
            forms.push_back(Form::Whole);
            used += turn.whole;
        } else if (used + turn.shortened <= tokens_max) {
            forms.push_back(Form::Short);
            used += turn.shortened;
        } else if (latest && used + turn.brief <= tokens_max) {
            forms.push_back(Form::Brief);
            used += turn.brief;
        } else {
            break;
        }
    }
    make_whole(latest_first, forms, used, tokens_max);
    return forms;
}

}  // namespace atl::agent

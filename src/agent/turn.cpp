#include "agent/turn.hpp"

#include "agent/text.hpp"
#include "agent/tokens.hpp"
#include "agent/within.hpp"

#include <algorithm>
#include <boost/json/object.hpp>
#include <map>
#include <optional>

namespace atl::agent {

namespace asio = boost::asio;
namespace json = boost::json;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::size_t kArgumentsBytesMax = 4u << 20;
constexpr std::size_t kAnswerBytesMax = 1u << 20;
constexpr std::size_t kShortOutput = 600;  // of an older call in the same turn, when room is short
constexpr std::size_t kWholeOutputs = 2;   // the latest calls keep theirs
constexpr std::size_t kCallNameBytesMax = 100;

double ms_since(Clock::time_point from) {
    return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

// Passes on what a model says, and notes when it began.
class Hearing final : public core::ChatListener {
public:
    Hearing(TurnListener& listener, std::string& text) : listener_(listener), text_(text) {}
    void text(std::string_view piece) noexcept override {
        if (piece.empty()) return;
        if (!first_) first_ = Clock::now();
        if (text_.size() + piece.size() > kAnswerBytesMax) return;
        text_ += piece;
        listener_.token(piece);
    }
    void reasoning(std::string_view piece) noexcept override {
        if (piece.empty()) return;
        if (!first_) first_ = Clock::now();
        listener_.reasoning(piece);
    }
    [[nodiscard]] const std::optional<Clock::time_point>& first() const { return first_; }

private:
    TurnListener& listener_;
    std::string& text_;
    std::optional<Clock::time_point> first_;
};

ToolResult refusal(const core::ToolCall& call, std::string sentence) {
    ToolResult result;
    result.tool = first_line(call.name, kCallNameBytesMax);
    result.output = std::move(sentence);
    result.failed = true;
    return result;
}

std::string sentences_of(const schema::ValidationError& error) {
    std::string text = "The arguments are not valid:";
    for (const auto& issue : error.issues) {
        text += "\n- ";
        if (!issue.path.empty()) text += issue.path + ": ";
        text += issue.message;
    }
    return text;
}

std::string names_of(const Tools& tools) {
    std::string names;
    for (const auto& tool : tools.for_models()) names += (names.empty() ? "" : ", ") + tool.name;
    return names;
}

// The person who asked can do nothing about the server's key or the shape of its requests.
ErrorException of_model(Error error) {
    if (error.code != Code::Timeout) error.code = Code::Unavailable;
    return ErrorException(std::move(error));
}

// Older tool outputs of this turn are shortened when the request grows over its budget.
void make_room(core::ChatRequest& request, std::uint64_t tokens_max) {
    auto tokens = estimate_tokens(request);
    if (tokens <= tokens_max) return;
    std::vector<core::ChatMessage*> outputs;
    for (auto& message : request.messages) {
        if (message.role == core::ChatRole::Tool) outputs.push_back(&message);
        if (message.role == core::ChatRole::User && !message.images.empty()) {
            tokens -= std::min(tokens, estimate_tokens(message));
            message.images.clear();
            message.text += " [shown before]";
            tokens += estimate_tokens(message);
        }
    }
    for (std::size_t i = 0; i + kWholeOutputs < outputs.size() && tokens > tokens_max; ++i) {
        tokens -= std::min(tokens, estimate_tokens(*outputs[i]));
        outputs[i]->text = cut_in_the_middle(outputs[i]->text, kShortOutput);
        tokens += estimate_tokens(*outputs[i]);
    }
}

class Loop {
public:
    explicit Loop(TurnParts& parts) : parts_(parts), limits_(parts.limits) {}

    asio::awaitable<TurnEnd> run() {
        for (;;) {
            make_room(parts_.request, limits_.context_tokens_max);
            ++end_.usage.model_calls;
            const bool last = is_last();
            if (last && end_.usage.model_calls > 1) {
                parts_.request.messages.push_back(core::chat_message(
                    core::ChatRole::User,
                    "[The budget of this turn is used up. Answer now from what you have, without "
                    "calling a tool.]"));
            }
            auto reply = co_await ask_model();
            if (!reply) {
                end_.stopped = parts_.environment.cancellation().why();
                co_return std::move(end_);
            }
            if (reply->tool_calls.empty()) {
                finish(*reply);
                co_return std::move(end_);
            }
            if (last) {
                end_.stopped = why_last_;
                say("I had to stop here: the budget of this turn (" + why_last_ +
                    ") is used up before I was done.");
                co_return std::move(end_);
            }
            co_await run_calls(std::move(*reply));
            if (parts_.environment.cancellation().requested()) {
                end_.text.clear();
                end_.stopped = parts_.environment.cancellation().why();
                co_return std::move(end_);
            }
        }
    }

private:
    [[nodiscard]] bool is_last() {
        const auto& usage = end_.usage;
        const auto tokens = usage.prompt_tokens + usage.answer_tokens;
        // In cents, of prices for a million.
        const auto cost = (usage.prompt_tokens * limits_.prompt_price +
                           usage.answer_tokens * limits_.answer_price) /
                          1'000'000;
        why_last_.clear();
        if (usage.model_calls >= limits_.steps_max) why_last_ = "steps";
        if (tokens >= limits_.tokens_max) why_last_ = "tokens";
        if (limits_.cost_max > 0 && cost >= limits_.cost_max) why_last_ = "cost";
        if (bad_calls_ >= limits_.bad_calls_max) why_last_ = "repeated or broken calls";
        return !why_last_.empty();
    }

    asio::awaitable<std::optional<core::ChatReply>> ask_model() {
        end_.text.clear();
        Hearing hearing(parts_.listener, end_.text);
        const auto began = Clock::now();
        const auto sent = estimate_tokens(parts_.request);
        core::ChatRequest request = parts_.request;
        std::optional<core::ChatReply> reply;
        std::exception_ptr failed;
        try {
            auto asked = parts_.model.chat(std::move(request), hearing);
            reply = co_await within(std::move(asked), parts_.environment.cancellation(), kNoEnd);
        } catch (const ErrorException& error) {
            failed = std::make_exception_ptr(of_model(error.error));
        } catch (...) { failed = std::current_exception(); }
        end_.model_ms += ms_since(began);
        if (end_.usage.model_calls == 1) {
            const auto first = hearing.first().value_or(Clock::now());
            end_.first_token_ms = std::chrono::duration<double, std::milli>(first - began).count();
        }
        if (failed) std::rethrow_exception(failed);
        if (!reply) co_return std::nullopt;
        // A provider that does not count is counted for.
        end_.usage.prompt_tokens +=
            reply->usage.prompt_tokens > 0 ? reply->usage.prompt_tokens : sent;
        end_.usage.answer_tokens += reply->usage.answer_tokens > 0
                                        ? reply->usage.answer_tokens
                                        : estimate_tokens(reply->text) + reply->tool_calls.size();
        // What came whole and not in pieces is heard now.
        if (end_.text.empty() && !reply->text.empty()) hearing.text(reply->text);
        co_return reply;
    }

    void say(std::string_view sentence) {
        if (!end_.text.empty()) {
            end_.text += "\n\n";
            parts_.listener.token("\n\n");
        }
        end_.text += sentence;
        parts_.listener.token(sentence);
    }

    void finish(const core::ChatReply& reply) {
        if (reply.finish == core::ChatReply::Finish::Filtered) {
            end_.stopped = "filtered";
            say("The model's provider held back the answer.");
        } else if (reply.finish == core::ChatReply::Finish::Length) {
            end_.stopped = "length";
            say("[The answer ends here: the model's limit for one answer is reached.]");
        } else if (end_.text.empty()) {
            throw ErrorException(
                {Code::Unavailable, "the model returned an empty answer; ask again, or rephrase"});
        }
    }

    asio::awaitable<void> run_calls(core::ChatReply reply) {
        if (reply.tool_calls.size() > limits_.calls_a_reply_max) {
            reply.tool_calls.resize(limits_.calls_a_reply_max);
        }
        for (std::size_t i = 0; i < reply.tool_calls.size(); ++i) {
            // An answer must name its call, also when the model has not.
            auto& id = reply.tool_calls[i].id;
            if (id.empty()) {
                id = "call_" + std::to_string(end_.usage.model_calls) + "_" + std::to_string(i);
            }
        }
        auto said = core::chat_message(core::ChatRole::Assistant, end_.text);
        said.tool_calls = reply.tool_calls;
        parts_.listener.called(end_.text, reply.tool_calls);
        parts_.request.messages.push_back(std::move(said));
        std::vector<core::ChatImage> seen;
        std::string shown;
        for (const auto& call : reply.tool_calls) {
            auto result = co_await run_call(call);
            auto answer = core::chat_message(core::ChatRole::Tool, result.output);
            answer.tool_call_id = call.id;
            parts_.request.messages.push_back(std::move(answer));
            for (const auto& image : result.images) shown += " " + image.path;
            std::move(result.seen.begin(), result.seen.end(), std::back_inserter(seen));
            result.seen.clear();
            co_await parts_.listener.ran(call, std::move(result));
        }
        if (seen.empty()) co_return;
        auto look = core::chat_message(core::ChatRole::User, "Images that the code made:" + shown);
        look.images = std::move(seen);
        parts_.request.messages.push_back(std::move(look));
    }

    asio::awaitable<ToolResult> run_call(core::ToolCall call) {
        if (parts_.environment.cancellation().requested()) {
            co_return refusal(call, "[not run: the turn was stopped]");
        }
        const Tool* tool = parts_.tools.find(call.name);
        if (tool == nullptr) {
            ++bad_calls_;
            const auto nearest = parts_.tools.nearest(call.name);
            std::string sentence = "There is no tool " + schema::quoted(call.name) + ".";
            if (!nearest.empty()) sentence += " Did you mean " + std::string(nearest) + "?";
            co_return refusal(call, sentence + " There are: " + names_of(parts_.tools) + ".");
        }
        if (++same_[call.name + "\n" + call.arguments] > limits_.same_call_max) {
            ++bad_calls_;
            co_return refusal(call, "[not run: this same call was made " +
                                        std::to_string(limits_.same_call_max) +
                                        " times already. Do something else, or answer.]");
        }
        std::optional<ToolResult> result;
        std::optional<std::string> wrong;
        const auto began = Clock::now();
        try {
            auto arguments =
                schema::parse_json(call.arguments.empty() ? "{}" : std::string_view(call.arguments),
                                   kArgumentsBytesMax);
            if (auto* object = arguments.if_object()) object->erase("session_id");
            parts_.listener.status("running " + tool->name);
            result = co_await tool->call(parts_.environment, std::move(arguments));
        } catch (const schema::ValidationError& error) {
            ++bad_calls_;
            wrong = sentences_of(error);
        } catch (const ErrorException& error) { wrong = error.error.message; }
        if (wrong) {
            result = refusal(call, std::move(*wrong));
            result->exec_ms = ms_since(began);
        }
        result->tool = tool->name;
        if (result->exec_ms == 0) result->exec_ms = ms_since(began);
        end_.code_ms += result->exec_ms;
        co_return std::move(*result);
    }

    TurnParts& parts_;
    const TurnLimits& limits_;
    TurnEnd end_;
    std::map<std::string, std::uint32_t> same_;
    std::uint32_t bad_calls_ = 0;
    std::string why_last_;
};

}  // namespace

asio::awaitable<TurnEnd> run_turn(TurnParts parts) {
    Loop loop(parts);
    co_return co_await loop.run();
}

}  // namespace atl::agent

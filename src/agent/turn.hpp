#pragma once
// One turn of a thread: the loop of model and tools, from a question to an answer.
//
//     ask the model ──▶ text: the answer
//          ▲         └▶ tool calls: run them in their order, tell what came of each ──┐
//          └──────────────────────────────────────────────────────────────────────────┘
//
// A turn is limited in requests, tokens, time and cost (TurnLimits). When one of these is used up,
// the model is asked once more, to answer with what it has. Repeated calls, unknown tools and
// invalid arguments are reported back to the model, a limited number of
// times.
// Owns      nothing: all that it works with is borrowed and outlives it.
// Threads   one, the executor's.
// Trusts    nothing that the model says, and nothing that tools bring out of a sandbox.
// On failure ErrorException with a sentence for the person who asked. What was told to the listener
//           before stays told.
#include "agent/cancellation.hpp"
#include "agent/tools.hpp"
#include "core/chat.hpp"

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace atl::agent {

struct TurnLimits {
    std::uint32_t steps_max = 24;          // requests to the model
    std::uint64_t tokens_max = 1'000'000;  // of all requests and answers together
    std::chrono::milliseconds time_max{std::chrono::minutes{10}};
    std::uint64_t cost_max = 0;      // in cents; 0 = none
    std::uint64_t prompt_price = 0;  // cents for a million tokens
    std::uint64_t answer_price = 0;
    std::uint32_t same_call_max = 3;  // then it is not run again
    std::uint32_t bad_calls_max = 5;  // unknown tools, broken arguments, repeated calls
    std::uint32_t calls_a_reply_max = 16;
    std::uint64_t context_tokens_max = 100'000;  // of one request
};

// Hears a turn while it goes on.
class TurnListener {
public:
    virtual ~TurnListener() = default;
    virtual void status(std::string_view text) noexcept = 0;
    virtual void token(std::string_view text) noexcept = 0;
    virtual void reasoning(std::string_view text) noexcept = 0;
    // The model called tools; `text` is what it said before. Told to nobody yet.
    virtual void called(std::string text, std::vector<core::ToolCall> calls) = 0;
    // One of them is done. Returns when it is stored; only then anybody hears of it.
    virtual boost::asio::awaitable<void> ran(core::ToolCall call, ToolResult result) = 0;
};

struct TurnParts {
    core::ChatModel& model;
    const Tools& tools;
    ToolEnvironment& environment;
    TurnListener& listener;
    TurnLimits limits;
    core::ChatRequest request;
};

struct TurnEnd {
    std::string text;  // what the model said last: the answer, or its end
    TurnUsage usage;
    double first_token_ms = 0;
    double model_ms = 0;
    double code_ms = 0;
    std::string
        stopped;  // empty: the model was done. Else: steps, tokens, cost, or Cancellation::why()
};

boost::asio::awaitable<TurnEnd> run_turn(TurnParts parts);

}  // namespace atl::agent

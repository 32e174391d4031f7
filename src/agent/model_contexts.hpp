#pragma once
// What is sent to the model for a question, within a budget of tokens: the interface.
//
//     system prompt, tools │ summaries of older turns │ recent turns │ the question, recalled turns
//
// The question is in the thread already (core::Threads::begin_turn wrote it). Everything that is
// left out stays in the thread: a context prunes what is sent, never what is kept.
// Threads   one, the executor's.
// Trusts    the store. Texts of users, models and tools pass through as they are.
// On failure ErrorException of the store. TooLarge: the question alone is over the budget.
#include "core/chat.hpp"
#include "core/threads.hpp"

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace atl::agent {

struct ModelContextInput {
    core::ThreadRecord thread;   // as begin_turn answered: its last message is the question
    std::uint64_t question = 0;  // the question's sequence; 0: none yet (a look, no turn)
    std::string question_text;   // what to recall for
    std::string system;          // prompt.hpp
    std::vector<core::ToolDescription> tools;
    std::uint64_t tokens_max = 0;         // of all that is sent, the answer's room not included
    std::uint32_t answer_tokens_max = 0;  // 0: the model's own limit
};

// One stretch of what could be sent, and why it is or is not: for GET /v1/threads/{id}/context.
struct ModelContextPart {
    std::string kind;                   // system, tools, summary, recalled, turn, question
    std::uint64_t first = 0, last = 0;  // sequences of its messages; 0: none
    std::uint64_t tokens = 0;           // about
    bool sent = false;
    std::string why;
};

struct ModelContext {
    core::ChatRequest request;
    std::vector<ModelContextPart>
        parts;                 // in the order in which they are sent; what is not, in place
    std::uint64_t tokens = 0;  // of the request, about
    std::uint64_t tokens_max = 0;
};

class ModelContexts {
public:
    virtual ~ModelContexts() = default;
    virtual boost::asio::awaitable<ModelContext> build(ModelContextInput input) = 0;
    // A turn has ended, and its messages are stored: time to summarise and to index. Awaited when
    // the client was told and the next turn may run, so it may take its time; must not throw.
    virtual boost::asio::awaitable<void> turn_ended(core::ThreadRecord thread) = 0;
    // The thread is gone, and what was kept about it shall be.
    virtual boost::asio::awaitable<void> forget(ThreadId id) = 0;
    // What is under way shall end soon: the server stops.
    virtual void begin_stop() = 0;
};

}  // namespace atl::agent

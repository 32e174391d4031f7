#pragma once
// Finds the thread of a conversation, for clients that name no thread and send the whole history
// each time (the OpenAI-style endpoint), so that the sandbox keeps its variables and files.
//
//     find ──▶ known, and nothing came after it      that thread
//         ├──▶ known, but the thread has gone on     a fork at that turn: the question was asked
//         │    (or is at work for somebody else)     again, or changed
//         └──▶ not known                             none: the caller makes one, with past_of()
//     … the question is answered …
//     answered / broken_off ──▶ marks in the store (core::Threads::mark), for the next find
//
// Threads that are made for conversations have ids that begin with tc-. They are listed, shown and
// removed as all are, and keep_house() removes those that were not used for `unused_max`.
//
// Owns      which threads are in use here (Hold). Threads and store are borrowed.
// Threads   one, the executor's; megabytes of history are hashed on a worker.
// Trusts    nobody: a conversation finds threads of its own owner alone.
// On failure ErrorException of the store. A fork that cannot be made (what is copied is at work) is
//           as good as an unknown conversation.
#include "agent/conversation_keys.hpp"
#include "agent/threads.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace atl::agent {

struct ConversationOptions {
    std::chrono::milliseconds unused_max = std::chrono::hours{30 * 24};  // 0 = for ever
    std::function<void(const std::string&)> tell;                        // for the log
};

class Conversations {
public:
    Conversations(boost::asio::any_io_executor executor, Threads& threads, core::Threads& store,
                  ConversationOptions options);

    // A thread that answers a question now: no other conversation goes on in it meanwhile.
    class [[nodiscard]] Hold {
    public:
        Hold(Conversations& in, ThreadId thread, bool forked = false)
            : in_(&in), thread_(std::move(thread)), forked_(forked) {
            in_->held_.insert(thread_.text());
        }
        Hold(Hold&& other) noexcept
            : in_(std::exchange(other.in_, nullptr)),
              thread_(std::move(other.thread_)),
              forked_(other.forked_) {}
        Hold& operator=(Hold&& other) noexcept {
            std::swap(in_, other.in_);
            std::swap(thread_, other.thread_);
            std::swap(forked_, other.forked_);
            return *this;
        }
        ~Hold() {
            if (in_ == nullptr) return;
            const auto held = in_->held_.find(thread_.text());
            if (held != in_->held_.end()) in_->held_.erase(held);
        }
        [[nodiscard]] const ThreadId& thread() const noexcept { return thread_; }
        // Whether find() made it, as a fork of one that has gone on since.
        [[nodiscard]] bool forked() const noexcept { return forked_; }

    private:
        Conversations* in_;
        ThreadId thread_;
        bool forked_;
    };

    using ConversationPtr = std::shared_ptr<const Conversation>;
    // `said` of it ends with the question. Nothing: the conversation is not known.
    boost::asio::awaitable<std::optional<Hold>> find(ConversationPtr conversation);
    // The question was answered with `answer` in that turn.
    boost::asio::awaitable<void> answered(ConversationPtr conversation, std::string answer,
                                          core::ThreadMark mark);
    // Its answer did not come to its end: asked again, it is asked in the same thread.
    boost::asio::awaitable<void> broken_off(ConversationPtr conversation, core::ThreadMark mark);

    // Removes what nobody used for long, now and then. Until stop().
    boost::asio::awaitable<void> keep_house(std::function<bool()> not_now);
    void begin_stop();

private:
    boost::asio::awaitable<std::optional<Hold>> hold_if_free(std::string owner,
                                                             core::ThreadMark mark);
    boost::asio::awaitable<void> note(std::string owner, std::vector<std::string> keys,
                                      core::ThreadMark mark);
    boost::asio::awaitable<void> remove_unused();

    Threads& threads_;
    core::Threads& store_;
    ConversationOptions options_;
    std::multiset<std::string> held_;
    boost::asio::steady_timer round_;
    bool stopping_ = false;
};

}  // namespace atl::agent

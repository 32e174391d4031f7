#pragma once
// What tests of contexts share: a store and an index in memory, models and embeddings that say what
// a test wrote down. For tests only.
#include "agent/keywords.hpp"
#include "agent/message_details.hpp"
#include "base/result.hpp"
#include "core/chat.hpp"
#include "core/recall.hpp"
#include "core/threads_bench.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace atl::agent::testing {

namespace asio = boost::asio;

// One thread, written by the test.
class MemoryThreads final : public core::Threads {
public:
    core::ThreadRecord thread = core::contract::thread("t1", "ann");
    std::vector<core::ThreadMessage> messages;
    std::size_t reads = 0, messages_read = 0, patches = 0;
    std::function<void()> before_patch;  // what another server does meanwhile
    std::size_t lost_answers = 0;        // so many writes of turns happen, and nobody is told
    std::set<std::string> marks;

    std::uint64_t write(const core::TurnHold& hold, std::vector<core::ThreadMessage> more) {
        if (hold.mark.empty() || marks.insert(hold.mark).second) {
            for (auto& one : more) say(one.role, std::move(one.content));
        }
        if (lost_answers > 0) {
            --lost_answers;
            throw ErrorException({Code::Unavailable, "the store did not answer in time"});
        }
        return messages.size();
    }

    void say(core::MessageRole role, std::string text, const MessageDetails& details = {}) {
        core::ThreadMessage message = core::contract::message(role, std::move(text));
        message.details_json = text_of(details);
        message.turn = thread.turns;
        message.sequence = messages.size() + 1;
        messages.push_back(std::move(message));
        thread.messages = messages.size();
    }
    // A turn with its answer; 0 bytes of output: no tool.
    void turn(const std::string& question, const std::string& answer, std::size_t output = 0) {
        ++thread.turns;
        say(core::MessageRole::User, question);
        if (output > 0) {
            const auto id = "call" + std::to_string(messages.size());
            MessageDetails calls, ran;
            calls.tool_calls.push_back({id, "run_python", R"({"code":"1+1"})"});
            say(core::MessageRole::Assistant, "", calls);
            ran.run.emplace();
            ran.run->call_id = id;
            say(core::MessageRole::Tool, std::string(output, 'o'), ran);
        }
        say(core::MessageRole::Assistant, answer);
    }
    void ask(const std::string& question) {
        ++thread.turns;
        say(core::MessageRole::User, question);
    }

    asio::awaitable<core::ThreadRecord> get_thread(core::Whose, ThreadId id) override {
        if (id != thread.id) throw ErrorException({Code::NotFound, "there is no such thread"});
        co_return thread;
    }
    asio::awaitable<core::ThreadRecord> patch_thread(core::Whose, ThreadId,
                                                     core::ThreadPatch patch) override {
        ++patches;
        if (before_patch) before_patch();
        if (patch.memory_json) thread.memory_json = *patch.memory_json;
        co_return thread;
    }
    asio::awaitable<std::vector<core::ThreadMessage>> read(core::Whose, ThreadId,
                                                           std::uint64_t sequence,
                                                           std::uint64_t bytes_max) override {
        ++reads;
        std::vector<core::ThreadMessage> some;
        std::uint64_t bytes = 0;
        for (auto at = std::max<std::uint64_t>(sequence, 1); at <= messages.size(); ++at) {
            if (!some.empty() && bytes >= bytes_max) break;
            some.push_back(messages[at - 1]);
            bytes += core::bytes_of(some.back());
        }
        messages_read += some.size();
        co_return some;
    }

    // Not asked here.
    asio::awaitable<core::UploadRecord> add_upload(core::UploadRecord, core::UploadRoom) override {
        throw std::logic_error("not here");
    }
    asio::awaitable<core::UploadRecord> get_upload(core::Whose, UploadId) override {
        throw std::logic_error("not here");
    }
    asio::awaitable<core::UploadPage> list_uploads(core::UploadQuery) override {
        throw std::logic_error("not here");
    }
    asio::awaitable<void> remove_upload(core::Whose, UploadId) override {
        throw std::logic_error("not here");
    }
    asio::awaitable<core::ThreadRecord> create_thread(core::ThreadRecord, std::uint64_t) override {
        throw std::logic_error("not here");
    }
    asio::awaitable<core::ThreadRecord> fork_thread(core::ThreadFork) override {
        throw std::logic_error("not here");
    }
    asio::awaitable<core::ThreadPage> list_threads(core::ThreadQuery) override {
        throw std::logic_error("not here");
    }
    asio::awaitable<std::vector<core::ThreadRecord>> family(core::Whose, ThreadId) override {
        throw std::logic_error("not here");
    }
    asio::awaitable<SessionId> remove_thread(core::Whose, ThreadId, core::Time) override {
        throw std::logic_error("not here");
    }
    asio::awaitable<core::TurnBegun> begin_turn(core::TurnRequest) override {
        throw std::logic_error("not here");
    }
    asio::awaitable<bool> renew_turn(core::TurnHold, core::Time) override {
        throw std::logic_error("not here");
    }
    asio::awaitable<bool> cancel_turn(ThreadId) override { throw std::logic_error("not here"); }
    asio::awaitable<std::uint64_t> append(core::TurnHold hold,
                                          std::vector<core::ThreadMessage> more) override {
        co_return write(hold, std::move(more));
    }
    asio::awaitable<std::uint64_t> end_turn(core::TurnHold hold,
                                            std::vector<core::ThreadMessage> more) override {
        co_return write(hold, std::move(more));
    }
    asio::awaitable<void> mark(std::string, std::vector<std::string>, core::ThreadMark) override {
        throw std::logic_error("not here");
    }
    asio::awaitable<std::vector<core::ThreadMark>> marked(std::string, std::string) override {
        throw std::logic_error("not here");
    }
    asio::awaitable<core::Home> take_home(ThreadId, std::string) override {
        throw std::logic_error("not here");
    }
    asio::awaitable<void> leave_home(ThreadId, std::string) override {
        throw std::logic_error("not here");
    }
    asio::awaitable<void> live(std::string, core::Time) override {
        throw std::logic_error("not here");
    }
    asio::awaitable<void> ask_for_home(ThreadId, std::string) override {
        throw std::logic_error("not here");
    }
    asio::awaitable<std::vector<ThreadId>> asked_of(std::string) override {
        throw std::logic_error("not here");
    }
};

// Ranks by the number of words in common; of vectors by their product.
class MemoryRecall final : public core::Recall {
public:
    std::map<std::string, std::map<std::uint64_t, core::RecallEntry>> entries;
    bool broken = false;
    std::size_t adds = 0;

    asio::awaitable<std::uint64_t> indexed(ThreadId id) override {
        check();
        const auto& of = entries[id.text()];
        co_return of.empty() ? 0 : of.rbegin()->first;
    }
    asio::awaitable<void> add(ThreadId id, std::vector<core::RecallEntry> more) override {
        check();
        ++adds;
        for (auto& one : more) entries[id.text()][one.sequence] = one;
        co_return;
    }
    asio::awaitable<std::vector<core::RecallHit>> find(ThreadId id, std::string words,
                                                       std::vector<float> vector,
                                                       std::uint64_t before,
                                                       std::size_t limit) override {
        check();
        const auto wanted = keywords_of(words);
        std::vector<core::RecallHit> hits;
        for (const auto& [sequence, entry] : entries[id.text()]) {
            if (sequence >= before) break;
            auto score = static_cast<double>(shared_words(wanted, entry.text).size());
            for (std::size_t i = 0; i < std::min(vector.size(), entry.vector.size()); ++i) {
                score += static_cast<double>(vector[i] * entry.vector[i]);
            }
            if (score > 0) hits.push_back({sequence, score});
        }
        std::stable_sort(hits.begin(), hits.end(),
                         [](const auto& a, const auto& b) { return a.score > b.score; });
        if (hits.size() > limit) hits.resize(limit);
        co_return hits;
    }
    asio::awaitable<void> forget(ThreadId id) override {
        check();
        entries.erase(id.text());
        co_return;
    }
    asio::awaitable<std::optional<ThreadId>> thread_after(ThreadId id) override {
        check();
        const auto next = entries.upper_bound(id.text());
        if (next == entries.end()) co_return std::nullopt;
        co_return ThreadId(next->first);
    }

private:
    void check() const {
        if (broken) throw ErrorException({Code::Unavailable, "the disk is gone"});
    }
};

class ScriptedModel final : public core::ChatModel {
public:
    std::string answer = "[turn 1] the model's own words";
    bool fails = false;
    bool hangs = false;
    std::vector<core::ChatRequest> asked;

    [[nodiscard]] core::ChatModelInfo info() const override { return {"test", "test", false, 0}; }
    asio::awaitable<core::ChatReply> chat(core::ChatRequest request, core::ChatListener&) override {
        asked.push_back(std::move(request));
        if (fails) throw ErrorException({Code::Unavailable, "the model is away"});
        if (hangs) {
            const auto executor = co_await asio::this_coro::executor;
            asio::steady_timer never(executor, asio::steady_timer::time_point::max());
            co_await never.async_wait(asio::use_awaitable);
        }
        core::ChatReply reply;
        reply.text = answer;
        co_return reply;
    }
};

class ScriptedEmbeddings final : public core::Embeddings {
public:
    std::function<std::vector<float>(const std::string&)> vector_of;
    bool fails = false;
    std::size_t texts_asked = 0, tries = 0;

    [[nodiscard]] std::string name() const override { return "test"; }
    asio::awaitable<std::vector<std::vector<float>>> embed(
        std::vector<std::string> texts) override {
        ++tries;
        if (fails) throw ErrorException({Code::Unavailable, "no vectors today"});
        texts_asked += texts.size();
        std::vector<std::vector<float>> all;
        for (const auto& text : texts) all.push_back(vector_of(text));
        co_return all;
    }
};

}  // namespace atl::agent::testing

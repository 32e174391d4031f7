#include "api/thread_history.hpp"

#include "core/paging.hpp"

#include <algorithm>
#include <iterator>

namespace atl::api {

namespace {

constexpr std::uint32_t kLimitUnlessAsked = 100;

std::uint64_t begin_of(const HistoryQuery& asked, const ThreadId& id) {
    if (asked.cursor.empty()) return 1;
    const auto cursor = core::read_cursor(asked.cursor);
    if (cursor.id != id.text() || cursor.time < 1) {
        throw ErrorException({Code::InvalidArgument, "the cursor is of another thread's history"});
    }
    return static_cast<std::uint64_t>(cursor.time);
}

// Where in the thread a message begins: an answer with the first step on the way to it.
std::uint64_t begin_of(const std::vector<HistoryMessage>& history, std::size_t at) {
    const bool has_steps = history[at].role == "assistant" && at > 0;
    return has_steps ? history[at - 1].sequence + 1 : history[at].sequence;
}

}  // namespace

boost::asio::awaitable<HistoryAnswer> read_history(agent::Threads& threads, core::Whose whose,
                                                   ThreadId id, HistoryQuery asked) {
    HistoryAnswer answer;
    answer.thread_id = id.text();
    if (!asked.limit && asked.cursor.empty()) {
        answer.messages = history_of(co_await threads.messages(whose, id), asked.all);
        co_return answer;
    }
    const std::size_t limit = asked.limit.value_or(kLimitUnlessAsked);
    auto from = begin_of(asked, id);
    std::vector<core::ThreadMessage> messages;
    // One more than is shown: only then the last one is whole.
    while (answer.messages.size() <= limit) {
        auto some = co_await threads.some_messages(whose, id, from);
        if (some.empty()) break;
        from = some.back().sequence + 1;
        std::move(some.begin(), some.end(), std::back_inserter(messages));
        answer.messages = history_of(messages, asked.all);
    }
    if (answer.messages.size() > limit) {
        const auto next = static_cast<std::int64_t>(begin_of(answer.messages, limit));
        answer.next_cursor = core::write_cursor({next, id.text()});
        answer.messages.resize(limit);
    }
    co_return answer;
}

}  // namespace atl::api

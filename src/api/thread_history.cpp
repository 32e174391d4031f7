#include "api/thread_history.hpp"

#include "core/paging.hpp"

#include <algorithm>
#include <iterator>

namespace atl::api {

namespace asio = boost::asio;

namespace {

constexpr std::uint32_t kLimitUnlessAsked = 100;
// A message on its way: as it was read, as it is shown, as it is printed and as it is sent.
constexpr std::uint64_t kCopies = 4;
constexpr std::uint64_t kMessageBytes = 512;  // besides its texts

// The next piece of a thread, paid for; empty: there is no more.
asio::awaitable<std::vector<core::ThreadMessage>> next_messages(agent::Threads& threads,
                                                                core::Whose whose, ThreadId id,
                                                                std::uint64_t from,
                                                                AnswerBudget::Share& share) {
    auto some = co_await threads.some_messages(std::move(whose), std::move(id), from);
    std::uint64_t bytes = 0;
    for (const auto& one : some)
        bytes += kMessageBytes + one.content.size() + one.details_json.size();
    if (!share.take(kCopies * bytes)) {
        throw ErrorException({Code::Exhausted,
                              "this thread is too long to be sent as a whole while others are "
                              "sent as well; read its history with limit and cursor"});
    }
    co_return some;
}

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

asio::awaitable<std::vector<core::ThreadMessage>> read_messages(agent::Threads& threads,
                                                                core::Whose whose, ThreadId id,
                                                                AnswerBudget::Share& share) {
    std::vector<core::ThreadMessage> all;
    for (std::uint64_t from = 1;;) {
        auto some = co_await next_messages(threads, whose, id, from, share);
        if (some.empty()) break;
        from = some.back().sequence + 1;
        std::move(some.begin(), some.end(), std::back_inserter(all));
    }
    co_return all;
}

asio::awaitable<HistoryAnswer> read_history(agent::Threads& threads, core::Whose whose, ThreadId id,
                                            HistoryQuery asked, AnswerBudget::Share& share) {
    HistoryAnswer answer;
    answer.thread_id = id.text();
    if (!asked.limit && asked.cursor.empty()) {
        const auto messages = co_await read_messages(threads, whose, id, share);
        answer.messages = history_of(messages, asked.all);
        co_return answer;
    }
    const std::size_t limit = asked.limit.value_or(kLimitUnlessAsked);
    auto from = begin_of(asked, id);
    std::vector<core::ThreadMessage> messages;
    // One more than is shown: only then the last one is whole.
    while (answer.messages.size() <= limit) {
        auto some = co_await next_messages(threads, whose, id, from, share);
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

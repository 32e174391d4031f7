#include "api/thread_history.hpp"

#include "base/workers.hpp"
#include "core/paging.hpp"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <iterator>
#include <utility>

namespace atl::api {

namespace asio = boost::asio;

namespace {

constexpr std::uint32_t kLimitUnlessAsked = 100;
// A message on its way: as it was read, as it is shown, as it is printed and as it is sent.
constexpr std::uint64_t kCopies = 4;
constexpr std::uint64_t kMessageBytes = 512;  // besides its texts

std::uint64_t cost_of(const core::ThreadMessage& message) {
    return kMessageBytes + core::bytes_of(message);
}

// The next piece of a thread, paid for; empty: there is no more.
asio::awaitable<std::vector<core::ThreadMessage>> next_messages(agent::Threads& threads,
                                                                core::Whose whose, ThreadId id,
                                                                std::uint64_t from,
                                                                AnswerBudget::Share& share) {
    auto some = co_await threads.some_messages(std::move(whose), std::move(id), from);
    std::uint64_t bytes = 0;
    for (const auto& one : some) bytes += cost_of(one);
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

// On a worker, which takes the messages.
asio::awaitable<std::vector<HistoryMessage>> views_of(std::vector<core::ThreadMessage> messages,
                                                      bool all) {
    const auto make = [&] { return history_of(std::move(messages), all); };
    auto& workers = workers_of(co_await asio::this_coro::executor);
    co_return co_await workers.run(make);
}

}  // namespace

bool HistoryPage::take(core::ThreadMessage&& message) {
    if (shown_.begins(message)) {
        // An answer is not parted, so the page ends where the next message begins.
        if (count_ == limit_ || (count_ > 0 && bytes_ >= bytes_max_)) return false;
        ++count_;
    }
    bytes_ += cost_of(message);
    messages_.push_back(std::move(message));
    return true;
}

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
        auto messages = co_await read_messages(threads, whose, id, share);
        answer.messages = co_await views_of(std::move(messages), asked.all);
        co_return answer;
    }
    HistoryPage page(asked.all, asked.limit.value_or(kLimitUnlessAsked));
    auto from = begin_of(asked, id);
    // Until a message is not taken: only then the last one of the page is whole.
    while (!answer.next_cursor) {
        auto some = co_await next_messages(threads, whose, id, from, share);
        if (some.empty()) break;
        from = some.back().sequence + 1;
        for (auto& one : some) {
            const auto sequence = static_cast<std::int64_t>(one.sequence);
            if (page.take(std::move(one))) continue;
            answer.next_cursor = core::write_cursor({sequence, id.text()});
            break;
        }
    }
    answer.messages = co_await views_of(page.messages(), asked.all);
    co_return answer;
}

}  // namespace atl::api

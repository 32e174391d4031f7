#pragma once
// A conversation as the API shows it: whole, or a page of it.
//
// A page ends with so many messages or so many bytes, whichever comes first, and shows one message
// at least. It reads no more of the thread than it shows, and what it must to know whether there is
// a next one: the end of a long thread costs what its beginning does. What is read is counted in a
// budget for all answers that are put together in memory, until the answer is sent. A worker makes
// the views: charts are large, and the loop has others to answer.
#include "agent/threads.hpp"
#include "api/answer_budget.hpp"
#include "api/thread_types.hpp"

#include <boost/asio/awaitable.hpp>

namespace atl::api {

// What a page has of the messages of a thread, as they come.
class HistoryPage {
public:
    static constexpr std::uint64_t kBytesMax = 8u << 20;
    explicit HistoryPage(bool all, std::size_t limit = SIZE_MAX,
                         std::uint64_t bytes_max = kBytesMax)
        : shown_(all), limit_(limit), bytes_max_(bytes_max) {}

    // False: the page is full, and the next one begins with this message, which is not taken.
    [[nodiscard]] bool take(core::ThreadMessage&& message);
    [[nodiscard]] std::vector<core::ThreadMessage> messages() { return std::move(messages_); }

private:
    ShownMessages shown_;
    const std::size_t limit_;
    const std::uint64_t bytes_max_;
    std::size_t count_ = 0;
    std::uint64_t bytes_ = 0;
    std::vector<core::ThreadMessage> messages_;
};

// Whole, unless a limit or a cursor is asked for. Throws InvalidArgument on a cursor that is none
// of this thread's, Exhausted when the budget is.
boost::asio::awaitable<HistoryAnswer> read_history(agent::Threads& threads, core::Whose whose,
                                                   ThreadId id, HistoryQuery asked,
                                                   AnswerBudget::Share& share);
// All messages, as they are stored. Exhausted.
boost::asio::awaitable<std::vector<core::ThreadMessage>> read_messages(agent::Threads& threads,
                                                                       core::Whose whose,
                                                                       ThreadId id,
                                                                       AnswerBudget::Share& share);

}  // namespace atl::api

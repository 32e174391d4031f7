#pragma once
// A conversation as the API shows it: whole, or a page of it.
//
// A page reads no more of the thread than it shows (and one message, to know whether there is a
// next one), so that the end of a long thread costs what its beginning does. What is read is
// counted in a budget for all answers that are put together in memory, until the answer is sent.
#include "agent/threads.hpp"
#include "api/answer_budget.hpp"
#include "api/thread_types.hpp"

#include <boost/asio/awaitable.hpp>

namespace atl::api {

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

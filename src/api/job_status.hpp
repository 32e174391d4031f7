#pragma once
// GET /status of a job with much of a log: the text of a StatusAnswer, sent while the log is read.
//
// The answer has what was printed first and the errors behind it, and the log has them as they
// came. So it is read twice where there are both, and no more of it is held than a piece.
#include "net/exchange.hpp"
#include "sessions/jobs.hpp"

namespace atl::api {

// What the log had when `record` was read. If the job is removed, the response is cut off.
boost::asio::awaitable<void> send_long_status(net::Exchange& exchange, sessions::Jobs& jobs,
                                              core::JobRecord record);

}  // namespace atl::api

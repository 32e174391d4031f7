#pragma once
// GET /status of a job with much of a log: the text of a StatusAnswer, sent while the log is read.
//
// The answer has all of stdout before all of stderr; the log has them interleaved. So the log is
// read twice if it has both, and only one piece of it is held at a time.
#include "net/exchange.hpp"
#include "sessions/jobs.hpp"

namespace atl::api {

// What the log had when `record` was read. If the job is removed, the response is cut off.
boost::asio::awaitable<void> send_long_status(net::Exchange& exchange, sessions::Jobs& jobs,
                                              core::JobRecord record);

}  // namespace atl::api

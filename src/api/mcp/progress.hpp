#pragma once
// Tells a client that its call goes on: notifications/progress while code runs.
//
//     code_starts, code_prints ──▶ Progress ──tell()──▶ the call's stream, at most two a second
//
// Owns      what was printed last: one line of it. Threads: one, the loop's.
// A client that reads slowly hears less often; the run does not wait for it.
#include "net/exchange.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <string>
#include <string_view>

namespace atl::api::mcp {

class Progress {
public:
    Progress(boost::asio::any_io_executor executor, boost::json::value token)
        : token_(std::move(token)), wake_(std::move(executor)) {}

    void begins(std::string_view language);
    void prints(std::string_view bytes);
    // Until end().
    boost::asio::awaitable<void> tell(net::EventStream stream);
    void end();

private:
    [[nodiscard]] std::string notification();

    boost::json::value token_;
    boost::asio::steady_timer wake_;
    std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
    std::string line_;   // that is being printed, as far as it is told
    std::string shown_;  // the last whole one
    std::string language_;
    bool ended_ = false;
};

}  // namespace atl::api::mcp

#pragma once
// The audit log: who did what, and how it ended. Written behind the requests, in their order.
//
// Owns      a queue of records that are not in the store yet, and the coroutine that brings them.
// Threads   the server's one.
// Bounded   the queue, and how many refused requests a second are written down: a flood of them
// must
//           not fill the disk. What was left out is counted in the next record that is written.
// Failure   a store that cannot write loses records; the count says how many, when it can again.
#include "core/store.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <string>

namespace atl::api {

struct Deed {
    std::string action;  // "session.create"
    std::string object;
    std::string outcome = "ok";
    std::string owner;
    std::string key_id;
    std::string request_id;
    boost::json::object detail;
};

class AuditLog {
public:
    AuditLog(boost::asio::any_io_executor executor, core::Store& store);

    void write(Deed deed);
    void write_denied(Deed deed);

    // Until stop() has been called and the queue is empty.
    boost::asio::awaitable<void> run();
    // Returns when everything is written.
    boost::asio::awaitable<void> stop();

private:
    core::Store& store_;
    std::deque<core::AuditRecord> waiting_;
    boost::asio::steady_timer news_;
    boost::asio::steady_timer all_done_;
    std::uint64_t left_out_ = 0;
    double denied_left_;
    std::chrono::steady_clock::time_point denied_at_;
    bool stopping_ = false;
    bool running_ = false;
};

}  // namespace atl::api

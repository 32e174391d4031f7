#pragma once
// The audit log: who did what, and how it ended. Written asynchronously, in the order of the
// requests.
//
// Owns      a queue of records that are not in the store yet, and the coroutine that writes them.
// Threads   the server's one.
// Bounded   the queue and the records, and how many actions of one owner are recorded
//           (audit_shares.hpp). What was left out is counted in the next record of that owner.
// Failure   a store that cannot write loses records; the count says how many, when it can again.
#include "api/audit_shares.hpp"
#include "core/store.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/object.hpp>
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
    void write(Deed deed, AuditShares::Kind kind);

    core::Store& store_;
    std::deque<core::AuditRecord> waiting_;
    boost::asio::steady_timer news_;
    boost::asio::steady_timer all_done_;
    AuditShares shares_;
    bool stopping_ = false;
    bool running_ = false;
};

}  // namespace atl::api

#include "api/audit.hpp"
#include "base/as_tuple.hpp"

#include <boost/asio/use_awaitable.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

namespace atl::api {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kWaitingMax = 4096;
constexpr std::size_t kTextBytesMax = 1024;  // of a name in a record

}  // namespace

AuditLog::AuditLog(asio::any_io_executor executor, core::Store& store)
    : store_(store),
      news_(executor, asio::steady_timer::time_point::max()),
      all_done_(executor, asio::steady_timer::time_point::max()) {}

void AuditLog::write(Deed deed) { write(std::move(deed), AuditShares::Kind::Done); }

void AuditLog::write_denied(Deed deed) { write(std::move(deed), AuditShares::Kind::Denied); }

void AuditLog::write(Deed deed, AuditShares::Kind kind) {
    if (waiting_.size() >= kWaitingMax) {
        shares_.left_out(deed.owner);
        return;
    }
    if (!shares_.take(deed.owner, kind, AuditShares::Clock::now())) return;
    if (const auto before = shares_.take_left_out(deed.owner); before > 0) {
        deed.detail["left_out_before"] = before;
    }
    core::AuditRecord record;
    record.time = core::time_now();
    record.owner = std::move(deed.owner);
    record.key_id = std::move(deed.key_id);
    record.action = std::move(deed.action);
    record.object = deed.object.substr(0, kTextBytesMax);
    record.outcome = std::move(deed.outcome);
    record.request_id = deed.request_id.substr(0, kTextBytesMax);
    record.detail_json = boost::json::serialize(deed.detail);
    waiting_.push_back(std::move(record));
    news_.cancel();
}

asio::awaitable<void> AuditLog::run() {
    running_ = true;
    while (!stopping_ || !waiting_.empty()) {
        if (waiting_.empty()) {
            co_await news_.async_wait(kAsTuple);
            continue;
        }
        core::AuditRecord record = std::move(waiting_.front());
        waiting_.pop_front();
        const std::string owner = record.owner;
        bool written = true;
        try {
            co_await store_.append_audit(std::move(record));
        } catch (const std::exception&) { written = false; }
        shares_.written(owner);
        if (!written) shares_.left_out(owner);
    }
    running_ = false;
    all_done_.cancel();
}

asio::awaitable<void> AuditLog::stop() {
    stopping_ = true;
    news_.cancel();
    while (running_) co_await all_done_.async_wait(kAsTuple);
}

}  // namespace atl::api

#include "api/audit.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

namespace atl::api {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::size_t kWaitingMax = 4096;
constexpr double kDeniedMost = 50;
constexpr double kDeniedASecond = 5;
constexpr auto as_tuple = asio::as_tuple(asio::use_awaitable);

}  // namespace

AuditLog::AuditLog(asio::any_io_executor executor, core::Store& store)
    : store_(store),
      news_(executor, asio::steady_timer::time_point::max()),
      all_done_(executor, asio::steady_timer::time_point::max()),
      denied_left_(kDeniedMost),
      denied_at_(Clock::now()) {}

void AuditLog::write(Deed deed) {
    if (waiting_.size() >= kWaitingMax) {
        ++left_out_;
        return;
    }
    if (left_out_ > 0) deed.detail["left_out_before"] = std::exchange(left_out_, 0);
    core::AuditRecord record;
    record.time = core::time_now();
    record.owner = std::move(deed.owner);
    record.key_id = std::move(deed.key_id);
    record.action = std::move(deed.action);
    record.object = std::move(deed.object);
    record.outcome = std::move(deed.outcome);
    record.request_id = std::move(deed.request_id);
    record.detail_json = boost::json::serialize(deed.detail);
    waiting_.push_back(std::move(record));
    news_.cancel();
}

void AuditLog::write_denied(Deed deed) {
    const auto now = Clock::now();
    const double passed = std::chrono::duration<double>(now - denied_at_).count();
    denied_left_ = std::min(kDeniedMost, denied_left_ + passed * kDeniedASecond);
    denied_at_ = now;
    if (denied_left_ < 1) {
        ++left_out_;
        return;
    }
    denied_left_ -= 1;
    write(std::move(deed));
}

asio::awaitable<void> AuditLog::run() {
    running_ = true;
    while (!stopping_ || !waiting_.empty()) {
        if (waiting_.empty()) {
            co_await news_.async_wait(as_tuple);
            continue;
        }
        core::AuditRecord record = std::move(waiting_.front());
        waiting_.pop_front();
        bool written = true;
        try {
            co_await store_.append_audit(std::move(record));
        } catch (const std::exception&) { written = false; }
        if (!written) ++left_out_;
    }
    running_ = false;
    all_done_.cancel();
}

asio::awaitable<void> AuditLog::stop() {
    stopping_ = true;
    news_.cancel();
    while (running_) co_await all_done_.async_wait(as_tuple);
}

}  // namespace atl::api

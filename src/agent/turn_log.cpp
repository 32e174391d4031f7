#include "agent/turn_log.hpp"
#include "base/as_tuple.hpp"

#include <boost/asio/use_awaitable.hpp>

namespace atl::agent {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kEventsMax = 20'000;
constexpr std::size_t kBytesMax = 4u << 20;  // of which results of code may be half

}  // namespace

void TurnLog::add(std::string_view name, std::string data) {
    bytes_ += data.size();
    events_.push_back({name, std::move(data)});
    while (events_.size() > 1 && (events_.size() > kEventsMax || bytes_ > kBytesMax)) {
        bytes_ -= events_.front().data.size();
        events_.pop_front();
        ++first_;
    }
    news_.cancel();
}

void TurnLog::end() {
    ended_ = true;
    news_.cancel();
}

void TurnLog::drop() noexcept {
    first_ += events_.size();
    events_ = {};
    bytes_ = 0;
    news_.cancel();
}

const TurnLog::Event* TurnLog::after(std::uint64_t seen) const noexcept {
    if (seen + 1 < first_ || seen >= last()) return nullptr;
    return &events_[static_cast<std::size_t>(seen + 1 - first_)];
}

asio::awaitable<void> TurnLog::news() { co_await news_.async_wait(kAsTuple); }

}  // namespace atl::agent

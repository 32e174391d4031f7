#include "guest_client/run_queues.hpp"
#include "base/as_tuple.hpp"

#include <boost/asio/use_awaitable.hpp>

namespace atl::guest_client {

namespace asio = boost::asio;

RunQueues::Position::Position(RunQueues& queues, std::string context,
                              asio::any_io_executor executor)
    : queues_(queues),
      context_(std::move(context)),
      changed_(executor, asio::steady_timer::time_point::max()) {
    queues_.by_context_[context_].push_back(this);
}

RunQueues::Position::~Position() {
    const auto queue = queues_.by_context_.find(context_);
    const bool was_first = is_first();
    std::erase(queue->second, this);
    if (queue->second.empty()) {
        queues_.by_context_.erase(queue);
    } else if (was_first) {
        queue->second.front()->changed_.cancel();
    }
}

bool RunQueues::Position::is_first() const {
    return queues_.by_context_.at(context_).front() == this;
}

asio::awaitable<bool> RunQueues::Position::first() {
    while (!is_first() && !left_) { co_await changed_.async_wait(kAsTuple); }
    co_return !left_;
}

}  // namespace atl::guest_client

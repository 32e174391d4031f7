#include "guest_client/run_queues.hpp"
#include "base/as_tuple.hpp"

#include <boost/asio/use_awaitable.hpp>

namespace atl::guest_client {

namespace asio = boost::asio;

Turns::Place::Place(Turns& turns, std::string name, asio::any_io_executor executor)
    : turns_(turns),
      name_(std::move(name)),
      changed_(executor, asio::steady_timer::time_point::max()) {
    turns_.lines_[name_].push_back(this);
}

Turns::Place::~Place() {
    const auto line = turns_.lines_.find(name_);
    const bool was_first = first();
    std::erase(line->second, this);
    if (line->second.empty()) {
        turns_.lines_.erase(line);
    } else if (was_first) {
        line->second.front()->changed_.cancel();
    }
}

bool Turns::Place::first() const { return turns_.lines_.at(name_).front() == this; }

asio::awaitable<bool> Turns::Place::came() {
    while (!first() && !given_up_) { co_await changed_.async_wait(kAsTuple); }
    co_return !given_up_;
}

}  // namespace atl::guest_client

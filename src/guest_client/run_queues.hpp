#pragma once
// A FIFO queue of runs for each kernel. The guest queues runs as well; they wait here so that the
// timeout on the host starts when the timeout in the guest does.
//
//     RunQueues::Position position(queues, "default", executor);   // at the end of the queue
//     if (!co_await position.first()) …;                           // it left the queue
//
// Threads   the executor's one. RunQueues must outlive its positions.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <map>
#include <string>

namespace atl::guest_client {

class RunQueues {
public:
    class Position {
    public:
        Position(RunQueues& queues, std::string context, boost::asio::any_io_executor executor);
        ~Position();
        Position(const Position&) = delete;
        Position& operator=(const Position&) = delete;

        // True when this is the first of its queue; false after leave().
        boost::asio::awaitable<bool> first();
        void leave() {
            left_ = true;
            changed_.cancel();
        }

    private:
        [[nodiscard]] bool is_first() const;
        RunQueues& queues_;
        std::string context_;
        boost::asio::steady_timer changed_;
        bool left_ = false;
    };

private:
    std::map<std::string, std::deque<Position*>> by_context_;
};

}  // namespace atl::guest_client

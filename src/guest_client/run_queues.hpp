#pragma once
// A FIFO queue of runs for each kernel. The guest queues runs as well; they wait here so that the
// timeout on the host starts when the timeout in the guest does.
//
//     Turns::Place place(turns, "default", executor);
//     if (!co_await place.came()) …;             // removed from the queue, by give_up()
//
// Threads   the executor's one. Turns must outlive its places.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <map>
#include <string>

namespace atl::guest_client {

class Turns {
public:
    class Place {
    public:
        Place(Turns& turns, std::string name, boost::asio::any_io_executor executor);
        ~Place();
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;

        // Returns when it is this one's turn: true; or when it was given up: false.
        boost::asio::awaitable<bool> came();
        void give_up() {
            given_up_ = true;
            changed_.cancel();
        }

    private:
        [[nodiscard]] bool first() const;
        Turns& turns_;
        std::string name_;
        boost::asio::steady_timer changed_;
        bool given_up_ = false;
    };

private:
    std::map<std::string, std::deque<Place*>> lines_;
};

}  // namespace atl::guest_client

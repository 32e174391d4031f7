#pragma once
// The host's own clock behind whatever a guest was asked: when the time is up, the link is cut.
//
//     const Backstop stop(executor, link, 60s);   // until the end of the scope
//
// Everything that waits on the link then hears that the sandbox was closed. Threads   the link's.
#include "sessions/guest_link.hpp"

#include <boost/asio/steady_timer.hpp>
#include <memory>

namespace atl::sessions {

class Backstop {
public:
    Backstop(boost::asio::any_io_executor executor, std::shared_ptr<GuestLink> link,
             std::chrono::milliseconds after)
        : timer_(executor, after) {
        timer_.async_wait([link = std::move(link)](boost::system::error_code cancelled) {
            if (!cancelled) link->close();
        });
    }

private:
    boost::asio::steady_timer timer_;
};

}  // namespace atl::sessions

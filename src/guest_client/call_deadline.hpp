#pragma once
// A deadline for a call to a guest: closes the link if the call takes longer.
//
//     const CallDeadline stop(executor, link, 60s);   // until the end of the scope
//
// Everything that waits on the link then fails, because the sandbox was closed. Time in which the
// session was frozen (GuestLink::stand_still) does not count, and a server that itself stood still
// past the deadline reads on for a moment first.
// Threads   the link's.
#include "guest_client/guest_link.hpp"

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>

namespace atl::guest_client {

class CallDeadline {
public:
    // `first` is done before the link is cut: a guest that hears the end need not obey it.
    CallDeadline(boost::asio::any_io_executor executor, std::shared_ptr<GuestLink> link,
                 std::chrono::milliseconds after, std::function<void()> first = nullptr);
    ~CallDeadline();
    CallDeadline(const CallDeadline&) = delete;
    CallDeadline& operator=(const CallDeadline&) = delete;

private:
    struct State;
    static void wait(const std::shared_ptr<State>& state, std::chrono::nanoseconds time);

    std::shared_ptr<State> state_;
};

}  // namespace atl::guest_client

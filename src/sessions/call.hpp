#pragma once
// One operation on a guest link that takes or gives more than one answer: bytes in, bytes out,
// events on the way. For what GuestLink::call is too small for.
#include "sessions/guest_link.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>
#include <functional>
#include <string>
#include <string_view>

namespace atl::sessions {

struct CallHandlers {
    std::function<void(boost::json::object)> event;
    std::function<void(wire::Kind, std::string_view)> output;
    std::function<void(std::string_view)> data;
    // The next piece to send; empty at the end. Left out: nothing is sent.
    std::function<boost::asio::awaitable<std::string>()> source;
    // Set: the guest gets no credit for what was heard until Call::grant, and `cost` is told what
    // each event or piece has cost.
    std::function<void(std::size_t)> cost;
    // Somebody else has asked the kernel of this context to stop.
    std::function<void(const std::string&)> interrupted;
};

class Call {
public:
    explicit Call(std::shared_ptr<GuestLink> link) : link_(std::move(link)) {}

    // The end's object. Throws ErrorException. When the coroutine is destroyed in mid-call the
    // operation is cancelled.
    boost::asio::awaitable<boost::json::object> run(boost::json::object request,
                                                    CallHandlers handlers);

    // While run() is under way.
    void control(const boost::json::object& command);
    void grant(std::size_t bytes) { link_->grant(channel_, bytes); }

private:
    std::shared_ptr<GuestLink> link_;
    ChannelId channel_ = 0;
};

}  // namespace atl::sessions

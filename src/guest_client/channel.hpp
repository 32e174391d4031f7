#pragma once
// One call to a guest: a request, the events and output of its answer, and its end.
//
//     ChannelHandlers handlers;
//     handlers.output = [&text](core::Stream, std::string_view piece) { text += piece; };
//     Channel channel = link->open(request, std::move(handlers));   // declared after `text`
//     const auto end = co_await channel.end();
//
// Owns      its handlers. Destroying the channel abandons the call: no handler runs from then on,
//           the guest is told to cancel, what it still sends is dropped, its credit returned. So
//           handlers may refer to whatever outlives the channel: declare that before it, and in a
//           class make the channel the last member.
// Threads   one, its link's.
// After the end, or when the link is lost, every function here is harmless.
// Not here  the stream and its frames (guest_link.hpp).
#include "base/fd.hpp"
#include "base/result.hpp"
#include "core/outcome.hpp"
#include "wire/assembler.hpp"
#include "wire/flow.hpp"
#include "wire/frame.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace atl::guest_client {

class GuestLink;
using ChannelId = std::uint32_t;

// What may still come on a channel after the last grant: its credit, and one frame beyond it.
inline constexpr std::size_t kUnpaidBytesMax = 2 * wire::kPayloadBytesMax;

// Any may be left out. They are called from the loop, never from inside open() or the destructor.
struct ChannelHandlers {
    std::function<void(boost::json::object)> event;
    // Came along with the event that follows at once. Whose it is, the guest alone says: look at it
    // before using it. Empty when it was lost on the way, for want of a free descriptor here.
    std::function<void(UniqueFd)> descriptor;
    std::function<void(core::Stream, std::string_view)> output;
    std::function<void(std::string_view)> data;
    std::function<void()> eof;
    // Set: the guest gets credit only when grant() is called, and this is told what the event or
    // piece just heard has cost. Left out: the guest gets it as soon as the handler has returned.
    std::function<void(std::size_t)> cost;
    // Somebody else has asked the kernel of this context to stop what it does.
    std::function<void(const std::string& /*context*/)> interrupted;
    // The last call. `{"ok": false, …}` has become an Error.
    std::function<void(const Result<boost::json::object>&)> ended;
};

class [[nodiscard]] Channel {
public:
    Channel() = default;  // of no call
    Channel(Channel&&) noexcept = default;
    Channel& operator=(Channel&& other) noexcept;
    ~Channel() { abandon(); }

    // Opened, not ended, not abandoned.
    [[nodiscard]] bool open() const noexcept { return state_ && state_->open(); }
    // 0: of no call.
    [[nodiscard]] ChannelId id() const noexcept { return state_ ? state_->id : 0; }

    // The end's object, once. Throws ErrorException.
    boost::asio::awaitable<boost::json::object> end() const;

    // The guest may send so many bytes more; for a channel whose handlers have `cost`.
    void grant(std::size_t bytes) const;
    void control(const boost::json::object& command) const;
    void eof() const;
    // Sends bytes, waiting for credit as long as needed. False when the channel is not open.
    boost::asio::awaitable<bool> data(std::string bytes) const;
    // The same; the bytes must stay until it returns.
    boost::asio::awaitable<bool> lend(std::string_view bytes) const;

    // Now, not at the end of its life. Whoever waits in data() gets false, in end() an error.
    void abandon() noexcept;

private:
    friend class GuestLink;

    // Shared by the handle, the link's table while the guest may still speak of it, and coroutines
    // that wait: none of these need outlive another.
    struct State {
        State(ChannelId number, std::shared_ptr<const ChannelHandlers> calls,
              const boost::asio::any_io_executor& executor, std::size_t event_bytes_max);
        [[nodiscard]] bool open() const noexcept { return !result && !abandoned; }

        ChannelId id;
        // Null once ended or abandoned. Shared with a handler that runs, which may abandon it.
        std::shared_ptr<const ChannelHandlers> handlers;
        wire::SendCredit credit;
        wire::ReceiveCredit received;
        wire::EventAssembler events;
        boost::asio::steady_timer changed;  // cancelled when credit came, or the end
        std::optional<Result<boost::json::object>> result;
        bool abandoned = false;
        std::size_t unpaid = 0;  // came, and no credit was given for it yet
        // With `cost`, in bytes: heard and not yet dealt with; the parts so far of an event that is
        // not whole; what of all this was paid for ahead, for an event may be larger than all
        // credit, and its end must come.
        std::size_t held_back = 0;
        std::size_t parts = 0;
        std::size_t paid_ahead = 0;
    };

    Channel(std::shared_ptr<GuestLink> link, std::shared_ptr<State> state) noexcept
        : link_(std::move(link)), state_(std::move(state)) {}
    static boost::asio::awaitable<boost::json::object> wait(std::shared_ptr<State> state);

    std::shared_ptr<GuestLink> link_;
    std::shared_ptr<State> state_;
};

}  // namespace atl::guest_client

#pragma once
// The host's end of the stream to one guest: opens channels, passes frames on, keeps the credit.
//
// Owns      the stream. Sinks are borrowed: each must outlive its channel, or close it first.
// Threads   one, its executor's. Nothing here is safe from two.
// Trusts    nothing that arrives. A guest that breaks the protocol, sends on credit it does not
//           have, or answers on a channel that nobody opened is cut off.
// If the guest dies or is cut off, every open channel ends with the reason.
#include "base/fd.hpp"
#include "base/result.hpp"
#include "sessions/turns.hpp"
#include "wire/assembler.hpp"
#include "wire/flow.hpp"
#include "wire/frame.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace atl::sessions {

using ChannelId = std::uint32_t;

// When the guest may send more on a channel.
enum class Credit {
    WhenHeard,  // as soon as the sink has returned
    ByHand,     // when somebody calls GuestLink::grant: for who passes bytes on to a slow reader
};

// Who listens on a channel.
class Sink {
public:
    virtual ~Sink() = default;
    virtual void event(boost::json::object) {}
    // Came along with the event that is about to follow. Whose it is, the guest alone says: look at
    // it before using it.
    virtual void descriptor(UniqueFd) {}
    virtual void output(wire::Kind, std::string_view) {}  // Stdout or Stderr
    virtual void data(std::string_view) {}
    virtual void eof() {}
    // Of a channel with Credit::ByHand: what the event or piece that was just heard has cost, to be
    // granted once it is dealt with.
    virtual void owes(std::size_t) {}
    // Somebody else has asked the kernel of this context to stop what it does.
    virtual void interrupted(const std::string& /*context*/) {}
    // The last word; the channel is closed. `{"ok": false, …}` has become an Error.
    virtual void end(Result<boost::json::object> result) = 0;
};

class GuestLink : public std::enable_shared_from_this<GuestLink> {
public:
    // Shared because its reading coroutine must outlive a caller that lets go.
    [[nodiscard]] static std::shared_ptr<GuestLink> start(boost::asio::any_io_executor executor,
                                                          UniqueFd stream);

    ChannelId open(const boost::json::object& request, Sink& sink,
                   Credit credit = Credit::WhenHeard);
    // The guest may send as many bytes more on a channel with Credit::ByHand.
    void grant(ChannelId channel, std::size_t bytes);
    void control(ChannelId channel, const boost::json::object& command);
    // Tells every sink.
    void interrupted(const std::string& context);
    void eof(ChannelId channel);
    // Stops listening; what still comes on the channel is dropped and paid for.
    void abandon(ChannelId channel);
    // Sends bytes, waiting for credit as long as needed. False when the channel is closed.
    boost::asio::awaitable<bool> data(ChannelId channel, std::string bytes);
    // The same; the bytes must stay until it returns.
    boost::asio::awaitable<bool> lend(ChannelId channel, std::string_view bytes);

    // One request, one answer. Throws ErrorException.
    boost::asio::awaitable<boost::json::object> call(boost::json::object request);

    // Whoever freezes and thaws the sandbox says so here, for the clocks on this side.
    void stand_still(bool still);
    [[nodiscard]] std::chrono::steady_clock::duration stood_still() const;  // until now, in all

    // Who runs next in each kernel behind this link.
    [[nodiscard]] Turns& turns() noexcept { return turns_; }

    // While a sink hears an event: how long its text was.
    [[nodiscard]] std::size_t event_bytes() const noexcept { return event_bytes_; }

    void close();
    [[nodiscard]] bool alive() const noexcept { return alive_; }
    [[nodiscard]] const boost::asio::any_io_executor& executor() const noexcept {
        return executor_;
    }

private:
    struct Channel {
        Sink* sink;  // null once abandoned
        wire::SendCredit credit;
        wire::ReceiveCredit received;
        wire::EventAssembler events;
        std::shared_ptr<boost::asio::steady_timer> credit_came;
        Credit mode = Credit::WhenHeard;
        // With Credit::ByHand, in bytes: heard and not yet dealt with; the parts so far of an event
        // that is not whole; what of all this was paid for ahead, for an event may be larger than
        // all credit, and its end must come.
        std::size_t held_back = 0;
        std::size_t parts = 0;
        std::size_t paid_ahead = 0;
    };
    GuestLink(boost::asio::any_io_executor executor, UniqueFd stream);
    boost::asio::awaitable<void> read();
    // A large event is parsed on a worker, while others have the loop. Nothing is read meanwhile.
    struct Parsed {
        std::size_t bytes;
        Result<boost::json::object> object;
    };
    [[nodiscard]] bool ends_large_event(const wire::Frame& frame) const;
    boost::asio::awaitable<Parsed> parse_event(wire::Frame last);
    [[nodiscard]] Result<void> take(const wire::Frame& frame, std::optional<Parsed> event);
    void lose(const Error& why);
    [[nodiscard]] ssize_t receive(char* into, std::size_t size);
    [[nodiscard]] Result<void> take_event(Channel& channel, const wire::Frame& frame,
                                          std::optional<Parsed> parsed);
    void hold_back(ChannelId id, Channel& channel, std::size_t bytes, bool is_part);
    void pay_parts(ChannelId id, Channel& channel);
    void pay(ChannelId id, std::size_t bytes);
    void send(wire::Kind kind, ChannelId channel, std::string_view payload);
    void send_at_once(ChannelId channel, std::string_view payload);
    void flush();
    void wait_to_write();

    boost::asio::any_io_executor executor_;
    boost::asio::posix::stream_descriptor stream_;
    wire::FrameDecoder decoder_;
    std::map<ChannelId, Channel> channels_;
    static constexpr ChannelId kFirstChannel = 16;  // lower numbers are the runtime's own
    ChannelId next_ = kFirstChannel;
    std::deque<UniqueFd> descriptors_;  // came, and no event has named them yet
    std::string out_;
    bool writing_ = false;
    boost::asio::steady_timer drained_;  // cancelled when there is room in out_ again
    Turns turns_;
    std::chrono::steady_clock::duration stood_still_{};
    std::optional<std::chrono::steady_clock::time_point> still_since_;
    std::size_t event_bytes_ = 0;
    bool alive_ = true;
    bool said_hello_ = false;
};

}  // namespace atl::sessions

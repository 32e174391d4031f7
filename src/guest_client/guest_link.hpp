#pragma once
// The host's end of the stream to one guest: opens channels, passes frames on, keeps the credit.
//
// Owns      the stream, and the handlers of each open channel (channel.hpp).
// Threads   one, its executor's. Nothing here is safe from two.
// Trusts    nothing that arrives. A guest that breaks the protocol, sends on credit it does not
//           have, answers on a channel that nobody opened, or passes descriptors that nobody asked
//           for is cut off.
// If the guest dies or is cut off, or this side cannot read or write any more, every open channel
// ends with the reason.
#include "base/fd.hpp"
#include "base/result.hpp"
#include "core/clock.hpp"
#include "guest_client/channel.hpp"
#include "guest_client/run_queues.hpp"
#include "wire/frame.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace atl::guest_client {

class GuestLink : public std::enable_shared_from_this<GuestLink> {
public:
    // Shared by its reader, which ends with the stream, and by the channels. If the stream cannot
    // be used at all, the link that comes back is lost already, and says why to whoever opens.
    [[nodiscard]] static std::shared_ptr<GuestLink> start(
        boost::asio::any_io_executor executor, UniqueFd stream,
        core::Clock& clock = core::system_clock());

    // Always a channel; if the request cannot be sent, its end says so.
    Channel open(const boost::json::object& request, ChannelHandlers handlers);
    // One request, one answer. Throws ErrorException.
    boost::asio::awaitable<boost::json::object> call(boost::json::object request);
    // Tells every channel.
    void interrupted(const std::string& context);

    // Whoever freezes and thaws the sandbox says so here, for the clocks on this side.
    void stand_still(bool still);
    [[nodiscard]] std::chrono::steady_clock::duration stood_still() const;  // until now, in all

    // Runs that wait for a kernel behind this link.
    [[nodiscard]] RunQueues& run_queues() noexcept { return run_queues_; }

    // While a handler hears an event: how long its text was.
    [[nodiscard]] std::size_t event_bytes() const noexcept { return event_bytes_; }

    // It has so much to read that no request is sent any more.
    [[nodiscard]] bool is_behind() const noexcept;

    // `why`: what whoever waits for the guest hears.
    void close(std::string why = "the sandbox was closed");
    [[nodiscard]] bool alive() const noexcept { return !lost_; }
    [[nodiscard]] const boost::asio::any_io_executor& executor() const noexcept {
        return executor_;
    }
    // For whoever measures what the guest does.
    [[nodiscard]] core::Clock& clock() const noexcept { return clock_; }

private:
    friend class Channel;
    using State = Channel::State;
    using StatePtr = std::shared_ptr<Channel::State>;

    GuestLink(boost::asio::any_io_executor executor, core::Clock& clock);
    void take_over(UniqueFd stream);

    // What channels do.
    void grant(State& channel, std::size_t bytes);
    void control(State& channel, const boost::json::object& command);
    void eof(State& channel);
    void abandon(State& channel) noexcept;
    static boost::asio::awaitable<bool> data(std::shared_ptr<GuestLink> link, StatePtr channel,
                                             std::string bytes);
    static boost::asio::awaitable<bool> lend(std::shared_ptr<GuestLink> link, StatePtr channel,
                                             std::string_view bytes);

    static boost::asio::awaitable<void> read(std::shared_ptr<GuestLink> self);
    void reader_ended(std::exception_ptr failed);
    [[nodiscard]] Error ending() const;
    // A large event is parsed on a worker, while the loop serves others. Nothing is read until
    // then.
    struct Parsed {
        std::size_t bytes;
        Result<boost::json::object> object;
    };
    [[nodiscard]] bool ends_large_event(const wire::Frame& frame) const;
    boost::asio::awaitable<Parsed> parse_event(wire::Frame last);
    [[nodiscard]] Result<void> take(const wire::Frame& frame, std::optional<Parsed> event);
    [[nodiscard]] Result<void> take_hello(const wire::Frame& frame);
    [[nodiscard]] Result<void> take_event(State& channel, const wire::Frame& frame,
                                          std::optional<Parsed> parsed);
    static void finish(State& channel, Result<boost::json::object> result);
    void lose(const Error& why);
    [[nodiscard]] Result<std::size_t> receive(char* into, std::size_t size);
    void hold_back(State& channel, std::size_t bytes, bool is_part);
    void pay_parts(State& channel);
    void pay(State& channel, std::size_t bytes);
    void send(wire::Kind kind, ChannelId channel, std::string_view payload);
    void send_at_once(ChannelId channel, std::string_view payload);
    void flush() noexcept;
    void wait_to_write();
    void cannot_write(int cause) noexcept;
    [[nodiscard]] ChannelId next_id();

    boost::asio::any_io_executor executor_;
    core::Clock& clock_;
    boost::asio::posix::stream_descriptor stream_;
    wire::FrameDecoder decoder_;
    std::map<ChannelId, StatePtr> channels_;        // until the guest has said End
    static constexpr ChannelId kFirstChannel = 16;  // lower numbers are the runtime's own
    ChannelId next_ = kFirstChannel;
    std::deque<UniqueFd> descriptors_;  // came, and no event has named them yet
    std::string out_;
    bool writing_ = false;
    int write_error_ = 0;                // of a stream that was shut for it
    boost::asio::steady_timer drained_;  // cancelled when there is room in out_ again
    RunQueues run_queues_;
    std::chrono::steady_clock::duration stood_still_{};
    std::optional<std::chrono::steady_clock::time_point> still_since_;
    std::size_t event_bytes_ = 0;
    std::optional<Error> lost_;  // why
    bool taking_ = false;
    bool said_hello_ = false;
};

}  // namespace atl::guest_client

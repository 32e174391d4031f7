#include "sessions/guest_link.hpp"

#include "base/watched.hpp"
#include "base/workers.hpp"
#include "sys/descriptor_passing.hpp"
#include "wire/fields.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace atl::sessions {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t kReadBytes = 256 * 1024;
constexpr std::size_t kSendBytes = 64 * 1024;
// Credit bounds what a channel may send; this, what waits here while the guest is slow to read.
constexpr std::size_t kUnsentMax = 256 * 1024;
// In the kernel: so that neither side waits for the other's turn after each few frames.
constexpr int kSocketBytes = 1 << 20;
// More than any sandbox has under way at one time; one that sends them for nothing is cut off.
constexpr std::size_t kDescriptorsMax = 256;
constexpr std::size_t kEventBytesMax = 40u << 20;  // a result with its images
constexpr std::size_t kLargeEventBytes = 128 * 1024;
constexpr auto as_tuple = asio::as_tuple(asio::use_awaitable);

Code code_of(std::string_view name) {
    if (name == "invalid_argument") return Code::InvalidArgument;
    if (name == "not_found") return Code::NotFound;
    if (name == "conflict") return Code::Conflict;
    if (name == "forbidden") return Code::Forbidden;
    if (name == "exhausted") return Code::Exhausted;
    if (name == "unavailable") return Code::Unavailable;
    return Code::Internal;
}

Result<json::object> outcome_of(std::string_view payload) {
    auto result = wire::parse_object(payload);
    if (!result) return result.error().during("the guest's answer");
    const auto* ok = result->if_contains("ok");
    if (ok != nullptr && ok->is_bool() && ok->get_bool()) return std::move(*result);
    return Error{code_of(wire::text_of(*result, "code")), wire::text_of(*result, "message")};
}

}  // namespace

std::shared_ptr<GuestLink> GuestLink::start(asio::any_io_executor executor, UniqueFd stream) {
    std::shared_ptr<GuestLink> link(new GuestLink(executor, std::move(stream)));
    asio::co_spawn(
        executor, [link]() -> asio::awaitable<void> { return link->read(); }, asio::detached);
    return link;
}

GuestLink::GuestLink(asio::any_io_executor executor, UniqueFd stream)
    : executor_(executor),
      stream_(watched(executor, std::move(stream))),
      drained_(executor, asio::steady_timer::time_point::max()) {
    stream_.non_blocking(true);
    const int fd = stream_.native_handle();
    // Beyond what the system allows to everybody it takes root, and is a matter of speed alone.
    if (::setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &kSocketBytes, sizeof kSocketBytes) != 0) {
        ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kSocketBytes, sizeof kSocketBytes);
    }
}

asio::awaitable<void> GuestLink::read() {
    const auto self = shared_from_this();
    while (alive_) {
        auto [failed] =
            co_await stream_.async_wait(asio::posix::stream_descriptor::wait_read, as_tuple);
        if (failed || !alive_) break;
        const ssize_t n = receive(decoder_.writable(kReadBytes), kReadBytes);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (n <= 0) {
            lose({Code::Unavailable, "the sandbox has ended"});
            break;
        }
        decoder_.wrote(static_cast<std::size_t>(n));
        while (alive_) {
            auto frame = decoder_.next();
            if (!frame) {
                lose({Code::Unavailable,
                      "the sandbox broke the protocol: " + frame.error().message});
                break;
            }
            if (!frame->has_value()) break;
            std::optional<Parsed> event;
            if (ends_large_event(**frame)) {
                event = co_await parse_event(**frame);
                if (!alive_) break;
            }
            if (auto taken = take(**frame, std::move(event)); !taken) {
                lose({Code::Unavailable,
                      "the sandbox broke the protocol: " + taken.error().message});
                break;
            }
        }
        flush();
    }
}

ssize_t GuestLink::receive(char* into, std::size_t size) {
    const int stream = stream_.native_handle();
    std::vector<UniqueFd> along;
    bool cut = false;
    const ssize_t n = sys::receive_with(stream, into, size, 0, along, &cut);
    // The guest kept its word, and this process has no free descriptor: an empty one takes its
    // place, so that its event alone is without one (`descriptor_lost`) and the sandbox goes on.
    if (n > 0 && cut && along.empty()) along.emplace_back();
    for (auto& one : along) descriptors_.push_back(std::move(one));
    return n < 0 && errno == ENOTSOCK ? ::read(stream, into, size) : n;
}

bool GuestLink::ends_large_event(const wire::Frame& frame) const {
    if (frame.kind != wire::Kind::Event || frame.more()) return false;
    const auto found = channels_.find(frame.channel);
    if (found == channels_.end()) return false;
    const auto bytes = found->second.events.bytes_with(frame);
    return bytes >= kLargeEventBytes && bytes <= kEventBytesMax;
}

asio::awaitable<GuestLink::Parsed> GuestLink::parse_event(wire::Frame last) {
    const std::string text = channels_.at(last.channel).events.finish(last);
    const auto parse = [&text] { return wire::parse_object(text); };
    auto object = co_await workers_of(executor_).run(parse);
    Parsed parsed{text.size(), std::move(object)};
    co_return parsed;
}

Result<void> GuestLink::take_event(Channel& channel, const wire::Frame& frame,
                                   std::optional<Parsed> parsed) {
    std::optional<json::object> event;
    if (parsed) {
        if (!parsed->object) return parsed->object.error();
        event_bytes_ = parsed->bytes;
        event = std::move(*parsed->object);
    } else {
        event_bytes_ = channel.events.bytes_with(frame);
        auto added = channel.events.add(frame);
        if (!added) return added.error();
        event = std::move(*added);
    }
    if (!event) return {};
    Sink* const sink = channel.sink;
    if (wire::flag_of(*event, "descriptor")) {
        if (descriptors_.empty()) return Error{Code::Internal, "the guest sent no descriptor"};
        UniqueFd first = std::move(descriptors_.front());
        descriptors_.pop_front();
        (*event)["descriptor_lost"] = !first;
        if (sink != nullptr && first) sink->descriptor(std::move(first));
    }
    if (sink != nullptr) sink->event(std::move(*event));
    return {};
}

Result<void> GuestLink::take(const wire::Frame& frame, std::optional<Parsed> event) {
    if (descriptors_.size() > kDescriptorsMax) {
        return Error{Code::Internal, "the guest sent descriptors that nobody asked for"};
    }
    if (frame.kind == wire::Kind::Hello) {
        auto hello = wire::parse_object(frame.payload);
        if (!hello || said_hello_) return Error{Code::Internal, "the guest greets oddly"};
        said_hello_ = true;
        if (const auto error = wire::text_of(*hello, "error"); !error.empty()) {
            return Error{Code::Unavailable, "build the sandbox: " + error};
        }
        return {};
    }
    const auto found = channels_.find(frame.channel);
    if (found == channels_.end() && frame.channel < kFirstChannel &&
        frame.kind == wire::Kind::End) {
        // The runtime's claim, which it did not wait for: a first run follows it on the same
        // stream.
        auto claimed = outcome_of(frame.payload);
        if (!claimed) return claimed.error().during("claim the sandbox");
        return {};
    }
    if (found == channels_.end()) {
        return Error{Code::Internal, "the guest spoke on a channel that nobody opened"};
    }
    Channel& channel = found->second;
    if (wire::costs_credit(frame.kind) && !channel.received.arrived(frame.payload.size())) {
        return Error{Code::Internal, "the guest sent more than it had credit for"};
    }
    const ChannelId id = frame.channel;
    switch (frame.kind) {
        case wire::Kind::Event:
            if (auto taken = take_event(channel, frame, std::move(event)); !taken) {
                return taken.error();
            }
            break;
        case wire::Kind::Stdout:
        case wire::Kind::Stderr:
            if (channel.sink != nullptr) channel.sink->output(frame.kind, frame.payload);
            break;
        case wire::Kind::Data:
            if (channel.sink != nullptr) channel.sink->data(frame.payload);
            break;
        case wire::Kind::Eof:
            if (channel.sink != nullptr) channel.sink->eof();
            break;
        case wire::Kind::Credit: {
            auto bytes = wire::parse_credit(frame.payload);
            if (!bytes) return bytes.error();
            channel.credit.add(*bytes);
            channel.credit_came->cancel();
            break;
        }
        case wire::Kind::End: {
            Sink* sink = channel.sink;
            channel.credit_came->cancel();
            channels_.erase(found);
            if (sink != nullptr) sink->end(outcome_of(frame.payload));
            return {};
        }
        default: return Error{Code::Internal, "the guest sent a frame that only a host sends"};
    }
    // A sink may have closed the channel, or the link, while it listened.
    const auto still = channels_.find(id);
    if (still == channels_.end() || !wire::costs_credit(frame.kind)) return {};
    if (still->second.mode == Credit::WhenHeard || still->second.sink == nullptr) {
        pay(id, frame.payload.size());
    } else {
        hold_back(id, still->second, frame.payload.size(), frame.more());
    }
    return {};
}

// Part of an event is nothing that anybody could deal with, so it is paid for ahead; but only when
// all before it is dealt with, and the whole then counts in full. So at most one event, which the
// assembler bounds, goes beyond the credit.
void GuestLink::hold_back(ChannelId id, Channel& channel, std::size_t bytes, bool is_part) {
    channel.parts += bytes;
    if (is_part) return pay_parts(id, channel);
    const std::size_t whole = std::exchange(channel.parts, 0);
    channel.held_back += whole;
    channel.sink->owes(whole);
}

void GuestLink::pay_parts(ChannelId id, Channel& channel) {
    if (channel.held_back > 0 || channel.parts <= channel.paid_ahead) return;
    const std::size_t bytes = channel.parts - channel.paid_ahead;
    channel.paid_ahead = channel.parts;
    pay(id, bytes);
}

void GuestLink::pay(ChannelId id, std::size_t bytes) {
    const auto found = channels_.find(id);
    if (found == channels_.end()) return;
    const auto grant = found->second.received.consumed(bytes);
    if (grant > 0) wire::append_credit(out_, id, grant);
}

void GuestLink::grant(ChannelId channel, std::size_t bytes) {
    const auto found = channels_.find(channel);
    if (found == channels_.end()) return;
    Channel& of = found->second;
    bytes = std::min(bytes, of.held_back);
    of.held_back -= bytes;
    const std::size_t paid = std::min(bytes, of.paid_ahead);
    of.paid_ahead -= paid;
    pay(channel, bytes - paid);
    pay_parts(channel, of);
    flush();
}

void GuestLink::lose(const Error& why) {
    if (!alive_) return;
    alive_ = false;
    boost::system::error_code ignored;
    stream_.close(ignored);
    drained_.cancel();
    out_.clear();
    auto channels = std::move(channels_);
    channels_.clear();
    for (auto& [id, channel] : channels) {
        channel.credit_came->cancel();
        if (channel.sink != nullptr) channel.sink->end(why);
    }
}

void GuestLink::close() { lose({Code::Unavailable, "the sandbox was closed"}); }

ChannelId GuestLink::open(const json::object& request, Sink& sink, Credit credit) {
    const ChannelId id = next_++;
    channels_.emplace(id, Channel{&sink,
                                  {},
                                  {},
                                  wire::EventAssembler(kEventBytesMax),
                                  std::make_shared<asio::steady_timer>(
                                      executor_, asio::steady_timer::time_point::max()),
                                  credit});
    const std::string text = json::serialize(request);
    if (!alive_ || text.size() > wire::kPayloadBytesMax) {
        const Error why = alive_
                              ? Error{Code::InvalidArgument, "the request is larger than 256 KiB"}
                              : Error{Code::Unavailable, "the sandbox has ended"};
        asio::post(executor_, [self = shared_from_this(), id, why] {
            const auto found = self->channels_.find(id);
            if (found == self->channels_.end()) return;
            Sink* waiting = found->second.sink;
            self->channels_.erase(found);
            if (waiting != nullptr) waiting->end(why);
        });
        return id;
    }
    send(wire::Kind::Request, id, text);
    flush();
    return id;
}

void GuestLink::control(ChannelId channel, const json::object& command) {
    if (channels_.count(channel) == 0) return;
    send(wire::Kind::Control, channel, json::serialize(command));
    flush();
}

void GuestLink::stand_still(bool still) {
    stood_still_ = stood_still();
    still_since_.reset();
    if (still) still_since_ = std::chrono::steady_clock::now();
}

std::chrono::steady_clock::duration GuestLink::stood_still() const {
    if (!still_since_) return stood_still_;
    return stood_still_ + (std::chrono::steady_clock::now() - *still_since_);
}

void GuestLink::interrupted(const std::string& context) {
    std::vector<ChannelId> open;
    for (const auto& [id, channel] : channels_) open.push_back(id);
    for (const auto id : open) {  // a sink may close others
        const auto found = channels_.find(id);
        if (found == channels_.end() || found->second.sink == nullptr) continue;
        found->second.sink->interrupted(context);
    }
}

void GuestLink::eof(ChannelId channel) {
    if (channels_.count(channel) == 0) return;
    send(wire::Kind::Eof, channel, {});
    flush();
}

void GuestLink::abandon(ChannelId channel) {
    const auto found = channels_.find(channel);
    if (found == channels_.end()) return;
    found->second.sink = nullptr;
    // Somebody who waits for credit would not see the end of what is cancelled.
    grant(channel, found->second.held_back);
    control(channel, {{"do", "cancel"}});
}

asio::awaitable<bool> GuestLink::data(ChannelId channel, std::string bytes) {
    const bool sent = co_await lend(channel, bytes);
    co_return sent;
}

asio::awaitable<bool> GuestLink::lend(ChannelId channel, std::string_view bytes) {
    const auto self = shared_from_this();
    while (!bytes.empty()) {
        const auto found = channels_.find(channel);
        // A lost link never drains: who waited for that would wait for ever.
        if (found == channels_.end() || !alive_) co_return false;
        if (!found->second.credit.open()) {
            const auto timer = found->second.credit_came;
            co_await timer->async_wait(as_tuple);
            continue;
        }
        if (out_.size() > kUnsentMax) {
            co_await drained_.async_wait(as_tuple);
            continue;
        }
        const auto piece = bytes.substr(0, kSendBytes);
        found->second.credit.spend(piece.size());
        send_at_once(channel, piece);
        bytes.remove_prefix(piece.size());
    }
    co_return true;
}

asio::awaitable<json::object> GuestLink::call(json::object request) {
    struct Answer : Sink {
        std::optional<Result<json::object>> result;
        asio::steady_timer came;
        explicit Answer(asio::any_io_executor executor)
            : came(executor, asio::steady_timer::time_point::max()) {}
        void end(Result<json::object> outcome) override {
            result.emplace(std::move(outcome));
            came.cancel();
        }
    };
    const auto self = shared_from_this();
    Answer answer(executor_);
    open(request, answer);
    while (!answer.result) co_await answer.came.async_wait(as_tuple);
    co_return std::move(*answer.result).value();
}

void GuestLink::send(wire::Kind kind, ChannelId channel, std::string_view payload) {
    wire::append_frame(out_, kind, channel, payload);
}

// Straight from the caller's bytes to the socket; only what the kernel does not take is copied.
void GuestLink::send_at_once(ChannelId channel, std::string_view payload) {
    if (!out_.empty() || writing_ || !alive_) {
        send(wire::Kind::Data, channel, payload);
        return flush();
    }
    wire::append_frame_header(out_, wire::Kind::Data, channel, payload.size());
    iovec pieces[2] = {{out_.data(), out_.size()},
                       {const_cast<char*>(payload.data()), payload.size()}};
    ssize_t n = 0;
    do n = ::writev(stream_.native_handle(), pieces, 2);
    while (n < 0 && errno == EINTR);
    const auto sent = static_cast<std::size_t>(std::max<ssize_t>(n, 0));
    if (sent < out_.size()) {
        out_.erase(0, sent);
        out_.append(payload);
    } else {
        const auto left = payload.substr(sent - out_.size());
        out_.assign(left);
    }
    if (n < 0 && errno != EAGAIN) {
        out_.clear();  // the reader will notice and say so to everybody
        return;
    }
    if (!out_.empty()) wait_to_write();
}

void GuestLink::flush() {
    if (writing_ || !alive_) return;
    std::size_t sent = 0;
    while (sent < out_.size()) {
        const ssize_t n = ::write(stream_.native_handle(), out_.data() + sent, out_.size() - sent);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) break;
        if (n < 0) {  // the reader will notice and say so to everybody
            out_.clear();
            return;
        }
        sent += static_cast<std::size_t>(n);
    }
    out_.erase(0, sent);
    if (out_.size() <= kUnsentMax) drained_.cancel();
    if (!out_.empty()) wait_to_write();
}

void GuestLink::wait_to_write() {
    writing_ = true;
    stream_.async_wait(asio::posix::stream_descriptor::wait_write,
                       [self = shared_from_this()](boost::system::error_code failed) {
                           self->writing_ = false;
                           if (!failed) self->flush();
                       });
}

}  // namespace atl::sessions

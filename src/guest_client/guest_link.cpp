#include "guest_client/guest_link.hpp"

#include "base/as_tuple.hpp"
#include "base/fields.hpp"
#include "base/must.hpp"
#include "base/workers.hpp"
#include "sys/descriptor_passing.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace atl::guest_client {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

// Read at once: a little by a link that says little, of which there are a thousand; more and more
// while what comes fills it.
constexpr std::size_t kReadBytesMin = 4 * 1024;
constexpr std::size_t kReadBytesMax = 256 * 1024;
constexpr std::size_t kSendBytes = 64 * 1024;
// Credit bounds what a channel may send; this, what waits here while the guest is slow to read.
constexpr std::size_t kUnsentMax = 256 * 1024;
// Requests and commands wait for no credit. A guest that has so much to read and does not read it
// gets no more requests, and with a command on top it is cut off.
constexpr std::size_t kUnreadMax = 4u << 20;
// In the kernel: so that neither side waits for the other after every few frames.
constexpr int kSocketBytes = 1 << 20;
// Each comes with the first byte of the event that names it, and a read stops after such a message.
// So two can wait at most; a guest that sends more without naming them is after our file table.
constexpr std::size_t kDescriptorsMax = 8;
constexpr std::size_t kEventBytesMax = 40u << 20;  // a result with its images
constexpr std::size_t kLargeEventBytes = 128 * 1024;

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
    auto result = fields::parse_object(payload);
    if (!result) return result.error().during("the guest's answer");
    const auto* ok = result->if_contains("ok");
    if (ok != nullptr && ok->is_bool() && ok->get_bool()) return std::move(*result);
    return Error{code_of(fields::text_of(*result, "code")), fields::text_of(*result, "message")};
}

Error broken(const std::string& how) {
    return {Code::Unavailable, "the sandbox violated the protocol: " + how};
}

}  // namespace

std::shared_ptr<GuestLink> GuestLink::start(asio::any_io_executor executor, UniqueFd stream,
                                            core::Clock& clock) {
    std::shared_ptr<GuestLink> link(new GuestLink(executor, clock));
    link->take_over(std::move(stream));
    if (!link->alive()) return link;
    // Nobody waits for the reader. It owns the link and refers to nothing else; however it ends,
    // the link is lost and every channel hears why.
    asio::co_spawn(executor, read(link),
                   [link](std::exception_ptr failed) { link->reader_ended(failed); });
    return link;
}

GuestLink::GuestLink(asio::any_io_executor executor, core::Clock& clock)
    : executor_(executor),
      clock_(clock),
      stream_(executor),
      drained_(executor, asio::steady_timer::time_point::max()) {}

void GuestLink::take_over(UniqueFd stream) {
    boost::system::error_code failed;
    stream_.assign(stream.get(), failed);
    if (failed) {  // no epoll watch to be had; the descriptor is still ours to close
        lost_ = Error{Code::Unavailable, "watch the stream of the sandbox: " + failed.message()};
        return;
    }
    const int fd = stream.release();
    stream_.non_blocking(true, failed);
    if (failed) return lose({Code::Unavailable, "use the stream: " + failed.message()});
    // Beyond what the system allows to everybody it takes root, and is a matter of speed alone.
    if (::setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &kSocketBytes, sizeof kSocketBytes) != 0) {
        ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kSocketBytes, sizeof kSocketBytes);
    }
}

void GuestLink::reader_ended(std::exception_ptr failed) {
    std::string why = "its stream is no longer read";
    try {
        if (failed) std::rethrow_exception(failed);
    } catch (const std::exception& error) { why = error.what(); } catch (...) {
    }
    lose({Code::Unavailable, "the sandbox was cut off: " + why});
}

asio::awaitable<void> GuestLink::read(std::shared_ptr<GuestLink> self) {
    GuestLink& link = *self;
    std::size_t room = kReadBytesMin;
    while (link.alive()) {
        auto [failed] =
            co_await link.stream_.async_wait(asio::posix::stream_descriptor::wait_read, kAsTuple);
        if (!link.alive()) break;
        if (failed) {
            link.lose({Code::Unavailable, "wait for the sandbox: " + failed.message()});
            break;
        }
        const auto n = link.receive(link.decoder_.writable(room), room);
        if (!n) {
            link.lose(n.error());
            break;
        }
        if (*n == 0) continue;
        link.decoder_.wrote(*n);
        if (*n == room) {
            room = std::min(room * 8, kReadBytesMax);
        } else if (*n < room / 8) {
            room = std::max(room / 2, kReadBytesMin);
        }
        while (link.alive()) {
            auto frame = link.decoder_.next();
            if (!frame) {
                link.lose(broken(frame.error().message));
                break;
            }
            if (!frame->has_value()) break;
            std::optional<Parsed> event;
            if (link.ends_large_event(**frame)) {
                event = co_await link.parse_event(**frame);
                if (!link.alive()) break;
            }
            if (auto taken = link.take(**frame, std::move(event)); !taken) {
                link.lose(broken(taken.error().message));
                break;
            }
        }
        link.flush();
        if (room == kReadBytesMin) link.decoder_.shrink(room);
    }
}

// What an end of the stream means.
Error GuestLink::ending() const {
    if (write_error_ == 0 || write_error_ == EPIPE || write_error_ == ECONNRESET) {
        return {Code::Unavailable, "the sandbox has ended"};
    }
    return {Code::Unavailable, std::string("send to the sandbox: ") + std::strerror(write_error_)};
}

// Bytes read; none when there are none now.
Result<std::size_t> GuestLink::receive(char* into, std::size_t size) {
    const int stream = stream_.native_handle();
    std::vector<UniqueFd> along;
    bool cut = false;
    ssize_t n = sys::receive_with(stream, into, size, 0, along, &cut);
    if (n < 0 && errno == ENOTSOCK) n = ::read(stream, into, size);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return std::size_t{0};
    if (n < 0 && errno != ECONNRESET && errno != EPIPE) {
        return Error{Code::Unavailable,
                     std::string("read from the sandbox: ") + std::strerror(errno)};
    }
    if (n <= 0) return ending();
    for (auto& one : along) descriptors_.push_back(std::move(one));
    // A guest sends one with each message. Where it was lost, an empty one keeps its place in the
    // line, so that one call fails and not the next as well.
    if (cut && along.empty()) descriptors_.emplace_back();
    // Counted as they arrive: a frame that never ends would bring one with each of its bytes.
    if (descriptors_.size() > kDescriptorsMax) {
        return broken("the guest sent descriptors that nobody asked for");
    }
    return static_cast<std::size_t>(n);
}

bool GuestLink::ends_large_event(const wire::Frame& frame) const {
    if (frame.kind != wire::Kind::Event || frame.more()) return false;
    const auto found = channels_.find(frame.channel);
    if (found == channels_.end()) return false;
    const auto bytes = found->second->events.bytes_with(frame);
    return bytes >= kLargeEventBytes && bytes <= kEventBytesMax;
}

asio::awaitable<GuestLink::Parsed> GuestLink::parse_event(wire::Frame last) {
    const std::string text = channels_.at(last.channel)->events.finish(last);
    const auto parse = [&text] { return fields::parse_object(text); };
    auto object = co_await workers_of(executor_).run(parse);
    Parsed parsed{text.size(), std::move(object)};
    co_return parsed;
}

Result<void> GuestLink::take_event(State& channel, const wire::Frame& frame,
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
    if (fields::flag_of(*event, "descriptor")) {
        if (descriptors_.empty()) return Error{Code::Internal, "the guest sent no descriptor"};
        UniqueFd first = std::move(descriptors_.front());
        descriptors_.pop_front();
        const auto handlers = channel.handlers;
        if (handlers && handlers->descriptor) handlers->descriptor(std::move(first));
    }
    const auto handlers = channel.handlers;
    if (handlers && handlers->event) handlers->event(std::move(*event));
    return {};
}

Result<void> GuestLink::take_hello(const wire::Frame& frame) {
    auto hello = fields::parse_object(frame.payload);
    if (!hello || said_hello_) return Error{Code::Internal, "the guest sent an invalid hello"};
    said_hello_ = true;
    if (const auto error = fields::text_of(*hello, "error"); !error.empty()) {
        return Error{Code::Unavailable, "build the sandbox: " + error};
    }
    return {};
}

Result<void> GuestLink::take(const wire::Frame& frame, std::optional<Parsed> event) {
    must(!std::exchange(taking_, true), "frames are taken one after the other");
    const struct Taken {
        ~Taken() { taking = false; }
        bool& taking;
    } taken_at_the_end{taking_};
    if (frame.kind == wire::Kind::Hello) return take_hello(frame);
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
    // Held: a handler may close the link, and with it the table.
    const StatePtr held = found->second;
    State& channel = *held;
    must(channel.id == frame.channel, "a channel stands in the table under its number");
    if (wire::costs_credit(frame.kind) && !channel.received.arrived(frame.payload.size())) {
        return Error{Code::Internal, "the guest sent more than it had credit for"};
    }
    if (wire::costs_credit(frame.kind)) channel.unpaid += frame.payload.size();
    // Output and data of no bytes cost nothing, so nobody hears them: a handler that keeps each
    // piece would keep as many as a hostile guest likes.
    if (wire::costs_credit(frame.kind) && frame.kind != wire::Kind::Event &&
        frame.payload.empty()) {
        return {};
    }
    // Held as well: a handler may abandon its own channel.
    const auto handlers = channel.handlers;
    switch (frame.kind) {
        case wire::Kind::Event:
            if (auto taken = take_event(channel, frame, std::move(event)); !taken) {
                return taken.error();
            }
            break;
        case wire::Kind::Stdout:
        case wire::Kind::Stderr:
            if (handlers && handlers->output) {
                handlers->output(
                    frame.kind == wire::Kind::Stdout ? core::Stream::Stdout : core::Stream::Stderr,
                    frame.payload);
            }
            break;
        case wire::Kind::Data:
            if (handlers && handlers->data) handlers->data(frame.payload);
            break;
        case wire::Kind::Eof:
            if (handlers && handlers->eof) handlers->eof();
            break;
        case wire::Kind::Credit: {
            auto bytes = wire::parse_credit(frame.payload);
            if (!bytes) return bytes.error();
            channel.credit.add(*bytes);
            channel.changed.cancel();
            break;
        }
        case wire::Kind::End:
            channels_.erase(found);
            finish(channel, outcome_of(frame.payload));
            return {};
        default: return Error{Code::Internal, "the guest sent a frame that only a host sends"};
    }
    if (!alive() || !wire::costs_credit(frame.kind)) return {};
    if (channel.handlers && channel.handlers->cost) {
        hold_back(channel, frame.payload.size(), frame.more());
    } else {
        pay(channel, frame.payload.size());
    }
    return {};
}

// Part of an event is nothing that anybody could deal with, so it is paid for ahead; but only when
// all before it is dealt with, and the whole then counts in full. So at most one event, which the
// assembler bounds, goes beyond the credit.
void GuestLink::hold_back(State& channel, std::size_t bytes, bool is_part) {
    channel.parts += bytes;
    if (is_part) return pay_parts(channel);
    const std::size_t whole = std::exchange(channel.parts, 0);
    channel.held_back += whole;
    const auto handlers = channel.handlers;
    handlers->cost(whole);
}

void GuestLink::pay_parts(State& channel) {
    must(channel.paid_ahead <= channel.held_back + channel.parts,
         "no more is paid for ahead than has come");
    if (channel.held_back > 0 || channel.parts <= channel.paid_ahead) return;
    const std::size_t bytes = channel.parts - channel.paid_ahead;
    channel.paid_ahead = channel.parts;
    pay(channel, bytes);
}

void GuestLink::pay(State& channel, std::size_t bytes) {
    must(bytes <= channel.unpaid, "credit is given for what has come, and once");
    channel.unpaid -= bytes;
    const auto grant = channel.received.consumed(bytes);
    if (grant == 0) return;
    out_.reserve(out_.size() + wire::kHeaderBytes + sizeof grant);
    wire::append_credit(out_, channel.id, grant);
}

void GuestLink::grant(State& channel, std::size_t bytes) {
    if (!alive()) return;
    bytes = std::min(bytes, channel.held_back);
    channel.held_back -= bytes;
    const std::size_t paid = std::min(bytes, channel.paid_ahead);
    channel.paid_ahead -= paid;
    pay(channel, bytes - paid);
    pay_parts(channel);
    flush();
}

// Says the end, once; to nobody if the channel was abandoned.
void GuestLink::finish(State& channel, Result<json::object> result) {
    if (!channel.open()) return;
    const auto handlers = std::exchange(channel.handlers, nullptr);
    channel.result.emplace(std::move(result));
    channel.changed.cancel();
    if (handlers && handlers->ended) handlers->ended(*channel.result);
}

void GuestLink::lose(const Error& why) {
    if (lost_) return;
    lost_ = why;
    boost::system::error_code ignored;
    stream_.close(ignored);
    drained_.cancel();
    out_.clear();
    descriptors_.clear();
    const auto channels = std::move(channels_);
    channels_.clear();
    for (const auto& [id, channel] : channels) {
        try {
            finish(*channel, why);
        } catch (const std::exception&) {
            // One that cannot take its end must not keep it from the others.
        }
    }
}

bool GuestLink::is_behind() const noexcept { return out_.size() > kUnreadMax; }

void GuestLink::close(std::string why) { lose({Code::Unavailable, std::move(why)}); }

ChannelId GuestLink::next_id() {
    // After four thousand million calls the numbers begin again; some may be taken still.
    while (next_ < kFirstChannel || channels_.count(next_) > 0) ++next_;
    return next_++;
}

Channel GuestLink::open(const json::object& request, ChannelHandlers handlers) {
    const auto state = std::make_shared<State>(
        next_id(), std::make_shared<const ChannelHandlers>(std::move(handlers)), executor_,
        kEventBytesMax);
    Channel channel(shared_from_this(), state);
    const std::string text = json::serialize(request);
    const bool unread = is_behind();
    if (!alive() || unread || text.size() > wire::kPayloadBytesMax) {
        const Error refused =
            unread ? Error{Code::Unavailable,
                           "the sandbox does not read what it is sent; try again later"}
                   : Error{Code::InvalidArgument, "the request is larger than 256 KiB"};
        const Error why = lost_.value_or(refused);
        asio::post(executor_, [state, why] { finish(*state, why); });
        return channel;
    }
    channels_.emplace(state->id, state);
    try {
        send(wire::Kind::Request, state->id, text);
    } catch (...) {  // the guest has not heard of it, so nothing may come on it
        channels_.erase(state->id);
        throw;
    }
    flush();
    return channel;
}

void GuestLink::control(State& channel, const json::object& command) {
    if (!alive()) return;
    if (is_behind()) return cannot_write(ENOBUFS);
    send(wire::Kind::Control, channel.id, json::serialize(command));
    flush();
}

void GuestLink::stand_still(bool still) {
    stood_still_ = stood_still();
    still_since_.reset();
    if (still) still_since_ = clock_.now();
}

std::chrono::steady_clock::duration GuestLink::stood_still() const {
    if (!still_since_) return stood_still_;
    return stood_still_ + (clock_.now() - *still_since_);
}

void GuestLink::interrupted(const std::string& context) {
    const auto channels = channels_;  // a handler may open and close others
    for (const auto& [id, channel] : channels) {
        const auto handlers = channel->handlers;
        if (handlers && handlers->interrupted) handlers->interrupted(context);
    }
}

void GuestLink::eof(State& channel) {
    if (!alive()) return;
    send(wire::Kind::Eof, channel.id, {});
    flush();
}

void GuestLink::abandon(State& channel) noexcept {
    if (!channel.open()) return;
    channel.abandoned = true;
    // Destroyed at the end of this, or of the call to one of them that led here.
    const auto handlers = std::exchange(channel.handlers, nullptr);
    try {
        channel.changed.cancel();
        drained_.cancel();
        // A guest that waits for credit would not see the end of what is cancelled.
        grant(channel, channel.held_back);
        const json::object command{{"do", "cancel"}};
        if (channels_.count(channel.id) > 0) control(channel, command);
    } catch (const std::exception&) {
        // No memory to tell the guest: it goes on with this to its end, and nobody listens.
    }
}

asio::awaitable<bool> GuestLink::data(std::shared_ptr<GuestLink> link, StatePtr channel,
                                      std::string bytes) {
    const bool sent = co_await lend(std::move(link), std::move(channel), bytes);
    co_return sent;
}

asio::awaitable<bool> GuestLink::lend(std::shared_ptr<GuestLink> link, StatePtr channel,
                                      std::string_view bytes) {
    while (!bytes.empty()) {
        // A lost link never drains: who waited for that would wait for ever.
        if (!channel || !channel->open() || !link->alive()) co_return false;
        if (!channel->credit.open()) {
            co_await channel->changed.async_wait(kAsTuple);
            continue;
        }
        if (link->out_.size() > kUnsentMax) {
            co_await link->drained_.async_wait(kAsTuple);
            continue;
        }
        const auto piece = bytes.substr(0, kSendBytes);
        channel->credit.spend(piece.size());
        link->send_at_once(channel->id, piece);
        bytes.remove_prefix(piece.size());
    }
    co_return true;
}

asio::awaitable<json::object> GuestLink::call(json::object request) {
    const Channel channel = open(request, {});
    co_return co_await channel.end();
}

// Room first: half a frame would make nonsense of all that follows.
void GuestLink::send(wire::Kind kind, ChannelId channel, std::string_view payload) {
    out_.reserve(out_.size() + wire::kHeaderBytes + payload.size());
    wire::append_frame(out_, kind, channel, payload);
}

// Straight from the caller's bytes to the socket; only what the kernel does not take is copied.
void GuestLink::send_at_once(ChannelId channel, std::string_view payload) {
    if (!out_.empty() || writing_ || !alive()) {
        send(wire::Kind::Data, channel, payload);
        return flush();
    }
    if (write_error_ != 0) return;
    wire::append_frame_header(out_, wire::Kind::Data, channel, payload.size());
    iovec pieces[2] = {{out_.data(), out_.size()},
                       {const_cast<char*>(payload.data()), payload.size()}};
    ssize_t n = 0;
    do n = ::writev(stream_.native_handle(), pieces, 2);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno != EAGAIN) return cannot_write(errno);
    try {
        const auto sent = static_cast<std::size_t>(std::max<ssize_t>(n, 0));
        if (sent < out_.size()) {
            out_.erase(0, sent);
            out_.append(payload);
        } else {
            const auto left = payload.substr(sent - out_.size());
            out_.assign(left);
        }
        if (!out_.empty()) wait_to_write();
    } catch (const std::exception&) { cannot_write(ENOMEM); }  // half a frame is with the guest
}

void GuestLink::flush() noexcept {
    if (writing_ || !alive() || write_error_ != 0) return;
    std::size_t sent = 0;
    while (sent < out_.size()) {
        const ssize_t n = ::write(stream_.native_handle(), out_.data() + sent, out_.size() - sent);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) break;
        if (n < 0) return cannot_write(errno);
        sent += static_cast<std::size_t>(n);
    }
    out_.erase(0, sent);
    try {
        if (out_.size() <= kUnsentMax) drained_.cancel();
        if (!out_.empty()) wait_to_write();
    } catch (const std::exception&) { cannot_write(ENOMEM); }
}

void GuestLink::wait_to_write() {
    const auto on = [self = shared_from_this()](boost::system::error_code failed) {
        self->writing_ = false;
        if (!self->alive()) return;
        if (failed) return self->cannot_write(failed.value());
        self->flush();
    };
    stream_.async_wait(asio::posix::stream_descriptor::wait_write, on);
    writing_ = true;
}

// The link ends, but not here: whoever just wrote does not expect to hear the ends of other calls.
// The stream is shut, so the reader gets what the guest said before, and then its end. That goes
// for EPIPE as well: a guest can stop reading and go on sending.
void GuestLink::cannot_write(int cause) noexcept {
    out_.clear();
    if (write_error_ != 0) return;
    write_error_ = cause;
    if (::shutdown(stream_.native_handle(), SHUT_RDWR) == 0) return;
    try {  // no socket
        asio::post(executor_, [self = shared_from_this()] { self->lose(self->ending()); });
    } catch (const std::exception&) {
        // Not even that: then whoever writes next tries again.
        write_error_ = 0;
    }
}

}  // namespace atl::guest_client

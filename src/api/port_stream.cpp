#include "api/port_stream.hpp"

#include "base/as_tuple.hpp"
#include "net/problem.hpp"

#include <algorithm>
#include <boost/asio/use_awaitable.hpp>
#include <cstring>

namespace atl::api {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t kIdleBytesMax = 4096;  // what an idle stream keeps of its buffer

}  // namespace

PortStream::PortStream(guest_client::GuestLink& link, asio::any_io_executor executor, int port)
    : came_(executor, asio::steady_timer::time_point::max()) {
    guest_client::ChannelHandlers handlers;
    handlers.event = [this](const json::object& one) { event(one); };
    handlers.data = [this](std::string_view piece) { data(piece); };
    handlers.eof = [this] {
        their_end_ = true;
        came_.cancel();
    };
    handlers.cost = [this](std::size_t bytes) { cost(bytes); };
    handlers.ended = [this](const Result<json::object>& result) { ended(result); };
    const json::object request{{"op", "dial"}, {"port", port}};
    channel_ = link.open(request, std::move(handlers));
}

asio::awaitable<std::unique_ptr<PortStream>> PortStream::dial(
    std::shared_ptr<guest_client::GuestLink> link, asio::any_io_executor executor, int port,
    std::chrono::milliseconds patience) {
    std::unique_ptr<PortStream> stream(new PortStream(*link, executor, port));
    stream->came_.expires_after(patience);
    while (!stream->connected_ && !stream->failed_) {
        const auto [woken] = co_await stream->came_.async_wait(kAsTuple);
        if (!woken && !stream->connected_ && !stream->failed_) {
            throw net::Problem(Code::Timeout, "nothing accepts connections on port " +
                                                  std::to_string(port) + " of the sandbox");
        }
    }
    if (!stream->connected_) {
        throw net::Problem(Code::Unavailable, "nothing listens on port " + std::to_string(port) +
                                                  " of the sandbox: " + stream->failed_->message)
            .with_status(502);
    }
    stream->came_.expires_at(asio::steady_timer::time_point::max());
    co_return stream;
}

void PortStream::event(const json::object& event) {
    const auto* name = event.if_contains("event");
    if (name == nullptr || !name->is_string() || name->get_string() != "connected") return;
    connected_ = true;
    came_.cancel();
}

void PortStream::data(std::string_view piece) {
    in_.append(piece);
    heard_data_ = true;
    came_.cancel();
}

void PortStream::cost(std::size_t bytes) {
    // Data is paid for when it is read.
    if (!std::exchange(heard_data_, false)) channel_.grant(bytes);
}

void PortStream::ended(const Result<json::object>& result) {
    if (!result)
        failed_ = result.error();
    else if (!their_end_)
        failed_ = Error{Code::Unavailable, "the connection in the sandbox broke"};
    came_.cancel();
}

asio::awaitable<std::size_t> PortStream::read_some(std::span<char> into) {
    while (in_.empty() && !their_end_ && !failed_) co_await came_.async_wait(kAsTuple);
    if (in_.empty()) {
        if (their_end_) co_return 0;
        throw ErrorException(*failed_);
    }
    const std::size_t bytes = std::min(into.size(), in_.size() - in_at_);
    std::memcpy(into.data(), in_.data() + in_at_, bytes);
    in_at_ += bytes;
    if (in_at_ == in_.size()) {
        in_at_ = 0;
        in_.clear();
        if (in_.capacity() > kIdleBytesMax) in_.shrink_to_fit();
    }
    channel_.grant(bytes);
    co_return bytes;
}

asio::awaitable<void> PortStream::write_all(std::string_view bytes) {
    const Error closed{Code::Unavailable, "the connection is closed"};
    if (!channel_.open()) throw ErrorException(closed);
    const bool sent = co_await channel_.lend(bytes);
    if (!sent) throw ErrorException(closed);
}

void PortStream::shutdown_write() { channel_.eof(); }

void PortStream::close() {
    channel_.abandon();
    if (!failed_) failed_ = Error{Code::Unavailable, "the connection was closed"};
    came_.cancel();
}

}  // namespace atl::api

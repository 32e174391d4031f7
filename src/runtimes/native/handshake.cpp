#include "runtimes/native/handshake.hpp"

#include "base/as_tuple.hpp"
#include "base/fields.hpp"
#include "base/watched.hpp"
#include "sys/descriptor_passing.hpp"
#include "sys/files.hpp"
#include "wire/assembler.hpp"
#include "wire/frame.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <cstring>
#include <memory>
#include <unistd.h>

namespace atl::native {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

// Waits for the stream without owning it: the descriptor goes back to its owner in every case.
// A clock that cuts the wait short: a guest that hangs must not hang us.
class Borrowed {
public:
    Borrowed(asio::any_io_executor executor, int fd, std::chrono::milliseconds time_max)
        : shared_(std::make_shared<Shared>(
              Shared{try_watched(executor, fd).value(), {executor, time_max}})) {
        shared_->stream.non_blocking(true);
        // The handler may run after we are gone, so it holds what it touches.
        shared_->clock.async_wait([shared = shared_](boost::system::error_code cancelled) {
            if (cancelled) return;
            shared->expired = true;
            boost::system::error_code ignored;
            if (shared->stream.is_open()) shared->stream.cancel(ignored);
        });
    }
    ~Borrowed() {
        shared_->clock.cancel();
        shared_->stream.release();
    }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;

    [[nodiscard]] int fd() noexcept { return shared_->stream.native_handle(); }
    asio::awaitable<void> wait(asio::posix::stream_descriptor::wait_type what =
                                   asio::posix::stream_descriptor::wait_read) {
        if (!shared_->expired) co_await shared_->stream.async_wait(what, kAsTuple);
        if (shared_->expired) {
            throw ErrorException({Code::Unavailable, "the sandbox did not answer in time"});
        }
    }

    asio::awaitable<void> pause(std::chrono::milliseconds time) {
        asio::steady_timer timer(shared_->stream.get_executor(), time);
        co_await timer.async_wait(kAsTuple);
    }

private:
    struct Shared {
        asio::posix::stream_descriptor stream;
        asio::steady_timer clock;
        bool expired = false;
    };
    std::shared_ptr<Shared> shared_;
};

// Exactly one frame, read header first, so that no byte of what follows is taken from the stream's
// next owner.
asio::awaitable<wire::Frame> read_frame(Borrowed& stream, std::string& kept) {
    wire::FrameDecoder decoder;
    std::string bytes;
    std::size_t wanted = wire::kHeaderBytes;
    for (;;) {
        while (bytes.size() < wanted) {
            char piece[4096];
            const std::size_t room = std::min(sizeof piece, wanted - bytes.size());
            const ssize_t n = ::read(stream.fd(), piece, room);
            if (n > 0) {
                bytes.append(piece, static_cast<std::size_t>(n));
            } else if (n == 0) {
                throw ErrorException({Code::Unavailable, "the sandbox ended before it answered"});
            } else if (errno == EAGAIN) {
                co_await stream.wait();
            } else if (errno != EINTR) {
                throw ErrorException(sys::errno_error("read from the sandbox"));
            }
        }
        if (wanted == wire::kHeaderBytes) {
            std::uint32_t length = 0;
            std::memcpy(&length, bytes.data(), sizeof length);
            if (length > wire::kPayloadBytesMax) {
                throw ErrorException({Code::Internal, "broken frame from the sandbox"});
            }
            wanted += length;
            if (length > 0) continue;
        }
        decoder.feed(bytes);
        auto frame = decoder.next();
        if (!frame) throw ErrorException(frame.error());
        kept = std::string((*frame)->payload);
        wire::Frame result = **frame;
        result.payload = kept;
        co_return result;
    }
}

// Descriptors go along with the first bytes. A guest that reads nothing is waited for as long as
// its clock says.
asio::awaitable<void> write_frame(Borrowed& stream, std::string_view bytes,
                                  std::span<const int> descriptors) {
    for (int tries = 1; !bytes.empty();) {
        const ssize_t n = sys::send_with(stream.fd(), bytes, descriptors);
        if (n >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(n));
            if (n > 0) descriptors = {};
            continue;
        }
        const int cause = errno;
        if (cause == EINTR) continue;
        if (cause == EAGAIN) {
            co_await stream.wait(asio::posix::stream_descriptor::wait_write);
        } else if (cause == ETOOMANYREFS && tries < kSendTriesMax) {
            // Others of the same user have too many on their way, for a moment perhaps.
            ++tries;
            co_await stream.pause(kSendPause);
        } else {
            errno = cause;
            throw ErrorException(sys::errno_error("write to the sandbox", Code::Unavailable));
        }
    }
}

std::string request_frame(std::uint32_t channel, const json::object& request) {
    const std::string text = json::serialize(request);
    if (text.size() > wire::kPayloadBytesMax) {
        throw ErrorException({Code::InvalidArgument,
                              "the sandbox's initial configuration is larger than the " +
                                  std::to_string(wire::kPayloadBytesMax) + " bytes of a request"});
    }
    std::string bytes;
    wire::append_frame(bytes, wire::Kind::Request, channel, text);
    return bytes;
}

}  // namespace

asio::awaitable<void> expect_hello(int stream, std::chrono::milliseconds time_max) {
    const auto executor = co_await asio::this_coro::executor;
    Borrowed borrowed(executor, stream, time_max);
    std::string kept;
    const auto frame = co_await read_frame(borrowed, kept);
    auto hello = fields::parse_object(frame.payload).value();
    if (const auto error = fields::text_of(hello, "error"); !error.empty()) {
        throw ErrorException({Code::Unavailable, "build the sandbox: " + error});
    }
}

asio::awaitable<void> tell_guest(int stream, std::uint32_t channel, const json::object& request,
                                 std::span<const int> descriptors,
                                 std::chrono::milliseconds time_max) {
    const std::string bytes = request_frame(channel, request);
    // The stream is fresh and its buffer empty: a request of some kilobytes goes in one piece.
    const ssize_t n = sys::send_with(stream, bytes, descriptors);
    if (n == static_cast<ssize_t>(bytes.size())) co_return;
    const auto executor = co_await asio::this_coro::executor;
    Borrowed borrowed(executor, stream, time_max);
    const auto sent = n > 0 ? static_cast<std::size_t>(n) : 0;
    const std::string_view rest = std::string_view(bytes).substr(sent);
    const std::span<const int> along = n > 0 ? std::span<const int>() : descriptors;
    co_await write_frame(borrowed, rest, along);
}

asio::awaitable<json::object> ask_guest(int stream, std::uint32_t channel,
                                        const json::object& request,
                                        std::span<const int> descriptors,
                                        std::chrono::milliseconds time_max) {
    const auto executor = co_await asio::this_coro::executor;
    Borrowed borrowed(executor, stream, time_max);
    const std::string bytes = request_frame(channel, request);
    co_await write_frame(borrowed, bytes, descriptors);
    for (;;) {
        std::string kept;
        const auto frame = co_await read_frame(borrowed, kept);
        if (frame.channel != channel || frame.kind != wire::Kind::End) continue;
        auto result = fields::parse_object(frame.payload).value();
        const auto* ok = result.if_contains("ok");
        if (ok != nullptr && ok->is_bool() && ok->get_bool()) co_return result;
        throw ErrorException({Code::Unavailable, fields::text_of(result, "message")});
    }
}

}  // namespace atl::native

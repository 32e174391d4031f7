#include "runtimes/native/handshake.hpp"

#include "base/fd.hpp"
#include "base/fields.hpp"
#include "sys/descriptor_passing.hpp"
#include "wire/assembler.hpp"
#include "wire/frame.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace atl::native {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::chrono::milliseconds kLong{20'000};
constexpr std::chrono::milliseconds kShort{50};

// A fresh stream as the runtime has it, with a buffer of the smallest kind at its own end.
struct Stream {
    UniqueFd host, guest;
    Stream() {
        int ends[2];
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        host = UniqueFd(ends[0]);
        guest = UniqueFd(ends[1]);
        const int small = 4096;
        ::setsockopt(host.get(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
        ::fcntl(host.get(), F_SETFL, O_NONBLOCK);
    }
};

// The error that the coroutine ends with, or nothing.
template <class Make>
std::optional<Error> run(Make make) {
    asio::io_context context(1);
    std::optional<Error> failed;
    asio::co_spawn(context, make, [&](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const ErrorException& error) { failed = error.error; }
    });
    context.run();
    return failed;
}

json::object request_of(std::size_t bytes) {
    return {{"op", "claim"}, {"env", {{"A", std::string(bytes, 'x')}}}};
}

}  // namespace

TEST(TellGuest, ARequestThatFitsNoFrameIsItsCallersError) {
    const Stream stream;
    const auto request = request_of(wire::kPayloadBytesMax);
    const auto failed = run([&] { return tell_guest(stream.host.get(), 1, request, {}, kLong); });
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->code, Code::InvalidArgument);
    char byte = 0;
    EXPECT_LT(::recv(stream.guest.get(), &byte, 1, MSG_DONTWAIT), 0) << "nothing was sent";
}

// A buffer of a few kilobytes takes a part of it: the rest follows, and the descriptor comes once.
TEST(TellGuest, AShortWriteGoesOn) {
    const Stream stream;
    const auto request = request_of(wire::kPayloadBytesMax - 1000);
    std::vector<UniqueFd> along;
    std::string received;
    std::thread guest([&] {
        char piece[8192];
        for (;;) {
            const ssize_t n = sys::receive_with(stream.guest.get(), piece, sizeof piece, 0, along);
            if (n <= 0) break;
            received.append(piece, static_cast<std::size_t>(n));
        }
    });
    const int descriptors[] = {stream.host.get()};
    const auto failed =
        run([&] { return tell_guest(stream.host.get(), 1, request, descriptors, kLong); });
    ::shutdown(stream.host.get(), SHUT_WR);
    guest.join();
    EXPECT_FALSE(failed) << failed->message;
    EXPECT_EQ(along.size(), 1u);
    wire::FrameDecoder decoder;
    decoder.feed(received);
    const auto frame = decoder.next();
    ASSERT_TRUE(frame.has_value() && frame->has_value());
    EXPECT_EQ(fields::parse_object((*frame)->payload).value(), request);
}

// A PID 1 that stands still never reads: whoever claims it is not held for longer than its time.
TEST(TellGuest, AGuestThatReadsNothingIsWaitedForNoLongerThanItsTime) {
    const Stream stream;
    const auto request = request_of(wire::kPayloadBytesMax - 1000);
    const auto failed = run([&] { return tell_guest(stream.host.get(), 1, request, {}, kShort); });
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->code, Code::Unavailable);
    EXPECT_EQ(failed->message, "the sandbox did not answer in time");
}

TEST(AskGuest, AGuestThatAnswersNothingIsWaitedForNoLongerThanItsTime) {
    const Stream stream;
    const auto request = request_of(10);
    const auto failed = run([&]() -> asio::awaitable<void> {
        co_await ask_guest(stream.host.get(), 1, request, {}, kShort);
    });
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->message, "the sandbox did not answer in time");
}

// Its own cause, and not another's.
TEST(TellGuest, AStreamThatIsClosedSaysSo) {
    Stream stream;
    stream.guest = UniqueFd();
    const auto request = request_of(10);
    const auto failed = run([&] { return tell_guest(stream.host.get(), 1, request, {}, kLong); });
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->code, Code::Unavailable);
    EXPECT_NE(failed->message.find("Broken pipe"), std::string::npos) << failed->message;
}

}  // namespace atl::native

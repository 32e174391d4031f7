#pragma once
// A guest for unit tests: the other end of a link, which sends what the test tells it to, in real
// frames over a socket pair. And a sandbox that is only a stream, and records its destruction.
//
//     Peer peer;
//     auto answer = peer.start(peer.link->call(question));   // a coroutine under way
//     peer.end(16, R"({"ok": true})");
//     peer.turn();                                           // everybody does what there is to do
//     answer->done, answer->value, answer->error
#include "core/runtime.hpp"
#include "guest_client/guest_link.hpp"

#include <array>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <utility>
#include <vector>

namespace atl::guest_client::testing {

// A coroutine that a test has started, and what became of it.
template <class T>
struct Started {
    bool done = false;
    std::optional<T> value;
    std::string error;  // what() of what it threw
    boost::asio::cancellation_signal cancel;
};

struct Nothing {};

class Peer {
public:
    static constexpr ChannelId kFirst = 16;  // the number of the first channel that is opened

    Peer() {
        std::signal(SIGPIPE, SIG_IGN);  // as the server does
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
        guest_ = UniqueFd(ends[0]);
        link = GuestLink::start(context.get_executor(), UniqueFd(ends[1]));
    }
    ~Peer() {
        link->close();
        turn();
    }
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;

    // Everything that has work to do does it, but nobody waits for time to pass.
    void turn() {
        context.restart();
        while (context.poll() > 0) {}
    }

    // Begins at once. With a test's Scope of its own this would have to be joined; here the loop is
    // polled to its end before anything that a coroutine refers to may go.
    template <class T>
    std::shared_ptr<Started<T>> start(boost::asio::awaitable<T> work) {
        const auto started = std::make_shared<Started<T>>();
        const auto done = [started](std::exception_ptr failed, T value) {
            started->done = true;
            note(*started, failed);
            if (!failed) started->value.emplace(std::move(value));
        };
        boost::asio::co_spawn(context, std::move(work),
                              boost::asio::bind_cancellation_slot(started->cancel.slot(), done));
        turn();
        return started;
    }
    std::shared_ptr<Started<Nothing>> start(boost::asio::awaitable<void> work) {
        const auto started = std::make_shared<Started<Nothing>>();
        const auto done = [started](std::exception_ptr failed) {
            started->done = true;
            note(*started, failed);
        };
        boost::asio::co_spawn(context, std::move(work),
                              boost::asio::bind_cancellation_slot(started->cancel.slot(), done));
        turn();
        return started;
    }
    template <class T>
    void cancel(Started<T>& started) {
        started.cancel.emit(boost::asio::cancellation_type::terminal);
        turn();
    }

    // The guest says a frame; the host hears it.
    void say(wire::Kind kind, ChannelId channel, std::string_view payload, int descriptor = -1,
             std::uint8_t flags = 0) {
        std::string text;
        wire::append_frame(text, kind, channel, payload, flags);
        send(text, descriptor);
    }
    void event(ChannelId channel, std::string_view text) { say(wire::Kind::Event, channel, text); }
    void print(ChannelId channel, std::string_view text) { say(wire::Kind::Stdout, channel, text); }
    // The guest takes so many bytes more.
    void grant(ChannelId channel, std::uint32_t bytes) {
        std::string text;
        wire::append_credit(text, channel, bytes);
        send(text);
    }
    void end(ChannelId channel, std::string_view text = R"({"ok": true})") {
        say(wire::Kind::End, channel, text);
    }
    // Bytes as they are. False when the host has cut the link.
    bool send(std::string_view bytes, int descriptor = -1) {
        alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
        iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
        msghdr message{};
        message.msg_iov = &piece;
        message.msg_iovlen = 1;
        if (descriptor >= 0) {
            message.msg_control = space;
            message.msg_controllen = sizeof space;
            cmsghdr* rights = CMSG_FIRSTHDR(&message);
            rights->cmsg_level = SOL_SOCKET;
            rights->cmsg_type = SCM_RIGHTS;
            rights->cmsg_len = CMSG_LEN(sizeof descriptor);
            std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
        }
        while (piece.iov_len > 0) {
            const ssize_t n = ::sendmsg(guest_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
            turn();
            if (n < 0 && errno == EAGAIN) continue;
            if (n < 0) return false;
            piece.iov_base = static_cast<char*>(piece.iov_base) + n;
            piece.iov_len -= static_cast<std::size_t>(n);
            message.msg_control = nullptr;
            message.msg_controllen = 0;
        }
        return true;
    }
    // The guest is gone.
    void die() {
        guest_.reset();
        turn();
    }
    [[nodiscard]] int descriptor() const noexcept { return guest_.get(); }

    // What the host has said since this was last asked.
    struct Heard {
        wire::Kind kind;
        ChannelId channel;
        std::string payload;
    };
    std::vector<Heard> heard() {
        turn();
        std::vector<Heard> frames;
        std::array<char, 65536> buffer;
        ssize_t n = 0;
        while ((n = ::recv(guest_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT)) > 0) {
            decoder_.feed({buffer.data(), static_cast<std::size_t>(n)});
        }
        for (auto frame = decoder_.next(); frame && *frame; frame = decoder_.next()) {
            frames.push_back({(*frame)->kind, (*frame)->channel, std::string((*frame)->payload)});
        }
        return frames;
    }
    // Credit that came since it was last asked for.
    std::size_t credit() {
        std::size_t granted = 0;
        for (const auto& frame : heard()) {
            if (frame.kind == wire::Kind::Credit) {
                granted += wire::parse_credit(frame.payload).value();
            }
        }
        return granted;
    }
    // Whether the host has said this, on any channel, since it was last asked.
    bool heard_control(std::string_view what) {
        bool found = false;
        for (const auto& frame : heard()) {
            found = found || (frame.kind == wire::Kind::Control &&
                              frame.payload.find(what) != std::string::npos);
        }
        return found;
    }

    boost::asio::io_context context{1};
    std::shared_ptr<GuestLink> link;

private:
    template <class T>
    static void note(Started<T>& started, std::exception_ptr failed) {
        try {
            if (failed) std::rethrow_exception(failed);
        } catch (const std::exception& error) { started.error = error.what(); }
    }

    UniqueFd guest_;
    wire::FrameDecoder decoder_;
};

class NoSandbox final : public core::Sandbox {
public:
    [[nodiscard]] const SandboxId& id() const override { return id_; }
    [[nodiscard]] UniqueFd take_stream() override { return {}; }
    [[nodiscard]] bool has_kernels() const override { return true; }
    Result<void> freeze(bool) override { return {}; }
    [[nodiscard]] core::Usage usage() const override { return use; }
    void destroy() noexcept override { destroyed = true; }

    core::Usage use{.memory_peak_bytes = 1};  // a host that counts memory itself
    bool destroyed = false;

private:
    SandboxId id_{"test"};
};

}  // namespace atl::guest_client::testing

#include "guest/lib/dial.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace atl::guest {

namespace {

class Dial : public Operation {
public:
    using Operation::Operation;

    void start(std::int64_t port) {
        if (port < 1 || port > 65535) return fail("invalid_argument", "port must be 1 to 65535");
        socket_ = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const int status =
            ::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
        if (status != 0 && errno != EINPROGRESS)
            return fail_errno("dial port " + std::to_string(port));
        port_ = port;
        if (status == 0) connected();
    }
    void watch(PollSet& set) override {
        if (ended()) return;
        short events = 0;
        if (!connected_ || !out_.empty()) events |= POLLOUT;
        if (connected_ && may_send() && !their_end_) events |= POLLIN;
        slot_ = set.add(socket_.get(), events);
    }
    void ready(const PollSet& set) override {
        if (ended() || !set.ready(slot_)) return;
        if (!connected_) {
            int cause = 0;
            socklen_t size = sizeof cause;
            ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &cause, &size);
            if (cause != 0) {
                errno = cause;
                return fail_errno("dial port " + std::to_string(port_));
            }
            connected();
        }
        write_out();
        char piece[64 * 1024];
        while (!ended() && !their_end_ && may_send()) {
            const ssize_t n = ::recv(socket_.get(), piece, sizeof piece, 0);
            if (n < 0 && errno == EAGAIN) break;
            if (n > 0) {
                send(wire::Kind::Data, {piece, static_cast<std::size_t>(n)});
                continue;
            }
            their_end_ = true;
            send(wire::Kind::Eof, {});
        }
        finish_if_done();
    }
    void data(std::string_view bytes) override {
        out_.append(bytes);
        if (connected_) write_out();
    }
    void eof() override {
        our_end_ = true;
        if (connected_) write_out();
        finish_if_done();
    }
    void control(const json::object& command) override {
        if (text_of(command, "do") == "cancel") end({{"cancelled", true}});
    }

private:
    void connected() {
        const int on = 1;
        ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        connected_ = true;
        event({{"event", "connected"}});
        write_out();
    }
    void write_out() {
        while (!out_.empty() && !ended()) {
            const ssize_t n = ::send(socket_.get(), out_.data(), out_.size(), MSG_NOSIGNAL);
            if (n < 0 && errno == EAGAIN) return;
            if (n < 0) return end({{"closed", true}});
            consumed(static_cast<std::size_t>(n));
            out_.erase(0, static_cast<std::size_t>(n));
        }
        if (our_end_ && out_.empty()) ::shutdown(socket_.get(), SHUT_WR);
    }
    void finish_if_done() {
        if (their_end_ && our_end_ && out_.empty() && !ended()) end({{"closed", true}});
    }

    UniqueFd socket_;
    std::int64_t port_ = 0;
    bool connected_ = false;
    bool their_end_ = false;
    bool our_end_ = false;
    std::string out_;
    std::size_t slot_ = PollSet::kNoSlot;
};

}  // namespace

std::unique_ptr<Operation> begin_dial(HostLink& link, std::uint32_t channel,
                                      const json::object& request) {
    auto dial = std::make_unique<Dial>(link, channel);
    dial->start(number_of(request, "port"));
    return dial;
}

}  // namespace atl::guest

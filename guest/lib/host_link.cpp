#include "guest/lib/host_link.hpp"

#include "sys/descriptor_passing.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/socket.h>

namespace atl::guest {

namespace {
constexpr std::size_t kReadBytesMax = 128 * 1024;
}  // namespace

bool HostLink::read_frames(const std::function<void(const wire::Frame&)>& take) {
    for (;;) {
        const std::size_t room = read_bytes_;
        char* into = decoder_.writable(room);
        ssize_t n = sys::receive_with(stream_.get(), into, room, MSG_DONTWAIT, descriptors_);
        if (n < 0 && errno == ENOTSOCK) n = ::read(stream_.get(), into, room);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN;
        if (n == 0) return false;
        decoder_.wrote(static_cast<std::size_t>(n));
        for (;;) {
            auto frame = decoder_.next();
            if (!frame) return false;
            if (!frame->has_value()) break;
            take(**frame);
        }
        if (static_cast<std::size_t>(n) < room) return true;
        read_bytes_ = std::min(room * 4, kReadBytesMax);
    }
}

void HostLink::send(wire::Kind kind, std::uint32_t channel, std::string_view payload,
                    std::uint8_t flags) {
    wire::append_frame(out_, kind, channel, payload, flags);
}

void HostLink::grant(std::uint32_t channel, std::uint32_t bytes) {
    if (bytes > 0) wire::append_credit(out_, channel, bytes);
}

void HostLink::send_with(wire::Kind kind, std::uint32_t channel, std::string_view payload,
                         UniqueFd descriptor) {
    passengers_.push_back({out_.size(), std::move(descriptor)});
    send(kind, channel, payload);
}

bool HostLink::can_pass_descriptors() const {
    int domain = 0;
    socklen_t size = sizeof domain;
    return ::getsockopt(stream_.get(), SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
           domain == AF_UNIX;
}

bool HostLink::flush() {
    while (sent_ < out_.size()) {
        std::string_view rest = std::string_view(out_).substr(sent_);
        ssize_t n = 0;
        if (!passengers_.empty() && passengers_.front().at == sent_) {
            const int descriptor = passengers_.front().descriptor.get();
            if (passengers_.size() > 1) rest = rest.substr(0, passengers_[1].at - sent_);
            n = sys::send_with(stream_.get(), rest, {&descriptor, 1});
        } else {
            if (!passengers_.empty()) rest = rest.substr(0, passengers_.front().at - sent_);
            n = ::write(stream_.get(), rest.data(), rest.size());
        }
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN;
        if (!passengers_.empty() && passengers_.front().at == sent_) passengers_.pop_front();
        sent_ += static_cast<std::size_t>(n);
    }
    out_.clear();
    sent_ = 0;
    return true;
}

UniqueFd HostLink::take_descriptor() {
    if (descriptors_.empty()) return UniqueFd();
    UniqueFd first = std::move(descriptors_.front());
    descriptors_.erase(descriptors_.begin());
    return first;
}

}  // namespace atl::guest

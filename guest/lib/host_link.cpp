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

bool HostLink::flush() {
    while (sent_ < out_.size()) {
        const ssize_t n = ::write(stream_.get(), out_.data() + sent_, out_.size() - sent_);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN;
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

#pragma once
// The guest's end of the one stream to the host.
//
// Owns      the stream. Frames are queued and leave at the end of a loop iteration, so that an
//           event and the end that follows it share one write.
// Threads   one, the guest's.
// Trusts    the host. Untrusted code never holds this descriptor: it is close-on-exec, and a kernel
//           closes it before it runs anything.
#include "base/fd.hpp"
#include "wire/frame.hpp"

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace atl::guest {

class HostLink {
public:
    explicit HostLink(UniqueFd stream) : stream_(std::move(stream)) {}

    // Reads what is there and hands each frame on. False once the host is gone.
    [[nodiscard]] bool read_frames(const std::function<void(const wire::Frame&)>& take);

    void send(wire::Kind kind, std::uint32_t channel, std::string_view payload,
              std::uint8_t flags = 0);
    // The descriptor leaves with the frame's first byte, so both arrive in the same order.
    void send_with(wire::Kind kind, std::uint32_t channel, std::string_view payload,
                   UniqueFd descriptor);
    [[nodiscard]] bool can_pass_descriptors() const;
    void grant(std::uint32_t channel, std::uint32_t bytes);
    // False once the host is gone.
    [[nodiscard]] bool flush();

    [[nodiscard]] int fd() const noexcept { return stream_.get(); }
    [[nodiscard]] bool has_unsent() const noexcept { return sent_ < out_.size(); }
    // Sources stop reading while this holds: credit bounds each channel, this bounds their sum.
    [[nodiscard]] bool congested() const noexcept { return out_.size() - sent_ > kUnsentMax; }

    // Mounts that the host sent along with a claim, in order.
    [[nodiscard]] UniqueFd take_descriptor();

private:
    static constexpr std::size_t kUnsentMax = 1 << 20;
    // Small at first: each page of it is a page more for every sandbox that only waits.
    static constexpr std::size_t kReadBytesMin = 4 * 1024;
    UniqueFd stream_;
    std::size_t read_bytes_ = kReadBytesMin;  // grows with what comes
    wire::FrameDecoder decoder_;
    std::string out_;
    std::size_t sent_ = 0;
    struct Passenger {
        std::size_t at;  // in out_
        UniqueFd descriptor;
    };
    std::deque<Passenger> passengers_;
    std::vector<UniqueFd> descriptors_;
};

}  // namespace atl::guest

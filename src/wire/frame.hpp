#pragma once
// Frames: how the byte stream between host and guest is cut into messages (docs/guest-protocol.md).
//
// Pure computation, no I/O, so that the host (Asio), the guest (poll) and the fuzzer share it.
// Trusts    nobody: the host feeds it bytes that a hostile guest wrote. Every length is checked
//           before it is believed, and a decoder that has failed stays failed.
// Not here  what the JSON in a frame means (the rooms on both sides), credit (flow.hpp).
#include "base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace atl::wire {

inline constexpr std::uint32_t kProtocolVersion = 1;
inline constexpr std::size_t kHeaderBytes = 12;

// One frame fits a socket buffer's worth of bytes: large enough that a copy is cheap per byte,
// small enough that one channel cannot hold up the others for long.
inline constexpr std::size_t kPayloadBytesMax = 256 * 1024;

enum class Kind : std::uint8_t {
    Hello = 1,
    Request = 2,
    Event = 3,
    Stdout = 4,
    Stderr = 5,
    Data = 6,
    Eof = 7,
    Credit = 8,
    Control = 9,
    End = 10,
};

inline constexpr std::uint8_t kFlagMore = 1;

struct Frame {
    Kind kind = Kind::Hello;
    std::uint8_t flags = 0;
    std::uint32_t channel = 0;
    std::string_view payload;  // borrowed from the decoder until its next call

    [[nodiscard]] bool more() const noexcept { return (flags & kFlagMore) != 0; }
};

// Whether a frame of this kind is paid for with the channel's credit.
[[nodiscard]] constexpr bool costs_credit(Kind kind) noexcept {
    return kind == Kind::Event || kind == Kind::Stdout || kind == Kind::Stderr ||
           kind == Kind::Data;
}

// Appends the frame to `out`. The payload is at most kPayloadBytesMax: a longer one is a bug here,
// never a matter of input, so it is asserted.
void append_frame(std::string& out, Kind kind, std::uint32_t channel, std::string_view payload,
                  std::uint8_t flags = 0);
// For senders that write the payload separately, without a copy.
void append_frame_header(std::string& out, Kind kind, std::uint32_t channel,
                         std::size_t payload_bytes, std::uint8_t flags = 0);
void append_credit(std::string& out, std::uint32_t channel, std::uint32_t bytes);
[[nodiscard]] Result<std::uint32_t> parse_credit(std::string_view payload);

class FrameDecoder {
public:
    // Room for the next read(2): at least `wanted` bytes, to be filled from the front.
    [[nodiscard]] char* writable(std::size_t wanted);
    void wrote(std::size_t bytes) noexcept;
    void feed(std::string_view bytes);
    // Gives memory back beyond so many bytes, if nothing waits in it.
    void shrink(std::size_t bytes) noexcept;

    // The next whole frame, nothing when more bytes are needed, or an error that is final.
    [[nodiscard]] Result<std::optional<Frame>> next();

private:
    std::string buffer_;
    std::size_t begin_ = 0;  // of what is not yet decoded
    std::size_t end_ = 0;    // of what has been read
    bool failed_ = false;
};

}  // namespace atl::wire

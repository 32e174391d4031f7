#pragma once
// Frames of Connect's streaming calls: a byte of flags, the length of the payload in four bytes,
// the payload.
//
//     FrameDecoder decoder(kMessageBytesMax);
//     decoder.add(bytes);                         // as they come
//     while (auto frame = decoder.next().value()) …
//     decoder.finish().value();                   // at the end of the body
//
// Pure computation.
// Trusts    nobody: a length above the limit, unknown flags and compression are refused as soon as
//           the header is there, a message after the end and a frame that is cut are refused, too.
#include "base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace atl::connect {

inline constexpr std::size_t kHeaderBytes = 5;
inline constexpr std::uint8_t kCompressed = 1;   // a flag
inline constexpr std::uint8_t kEndOfStream = 2;  // a flag: the payload says how the stream ended

struct Frame {
    bool end_of_stream = false;
    std::string payload;
};

class FrameDecoder {
public:
    explicit FrameDecoder(std::size_t payload_bytes_max) : payload_bytes_max_(payload_bytes_max) {}

    // Call next() until it has nothing more before adding again: what waits here is bounded by the
    // caller's piece and one frame.
    void add(std::string_view bytes);
    // The next whole frame; nothing until more bytes come. After a failure: the same failure.
    // InvalidArgument, TooLarge; Unsupported for compression.
    [[nodiscard]] Result<std::optional<Frame>> next();
    // At the end of the body. InvalidArgument if it ends within a frame.
    [[nodiscard]] Result<void> finish() const;

    [[nodiscard]] std::size_t held() const noexcept { return held_.size() - taken_; }

private:
    Error refuse(Code code, std::string why);

    std::size_t payload_bytes_max_;
    std::string held_;
    std::size_t taken_ = 0;  // of held_
    bool ended_ = false;     // a frame said so
    std::optional<Error> refused_;
};

[[nodiscard]] std::string frame_of(std::string_view payload, std::uint8_t flags = 0);

}  // namespace atl::connect

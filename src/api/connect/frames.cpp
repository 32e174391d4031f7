#include "api/connect/frames.hpp"

#include "base/must.hpp"

#include <limits>
#include <utility>

namespace atl::connect {

void FrameDecoder::add(std::string_view bytes) {
    if (refused_) return;
    if (taken_ > 0) {
        held_.erase(0, taken_);
        taken_ = 0;
    }
    held_.append(bytes);
}

Error FrameDecoder::refuse(Code code, std::string why) {
    refused_ = Error{code, std::move(why)};
    held_.clear();
    taken_ = 0;
    return *refused_;
}

Result<std::optional<Frame>> FrameDecoder::next() {
    if (refused_) return *refused_;
    const auto waiting = std::string_view(held_).substr(taken_);
    if (waiting.empty()) return std::optional<Frame>();
    if (ended_) return refuse(Code::InvalidArgument, "the stream has bytes behind its end frame");
    const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(waiting[at]); };
    // By its first byte: what follows may not even be a length.
    const auto flags = byte(0);
    if ((flags & ~(kCompressed | kEndOfStream)) != 0) {
        return refuse(Code::InvalidArgument, "a frame has the unknown flags " +
                                                 std::to_string(static_cast<int>(flags)) +
                                                 "; is this a stream of Connect frames?");
    }
    if ((flags & kCompressed) != 0) {
        return refuse(Code::Unsupported, "compressed messages are not supported; send identity");
    }
    if (waiting.size() < kHeaderBytes) return std::optional<Frame>();
    const std::size_t length = static_cast<std::size_t>(byte(1)) << 24 |
                               static_cast<std::size_t>(byte(2)) << 16 |
                               static_cast<std::size_t>(byte(3)) << 8 | byte(4);
    if (length > payload_bytes_max_) {
        return refuse(Code::TooLarge, "a message has " + std::to_string(length) +
                                          " bytes, and at most " +
                                          std::to_string(payload_bytes_max_) + " are taken");
    }
    if (waiting.size() - kHeaderBytes < length) return std::optional<Frame>();
    Frame frame{(flags & kEndOfStream) != 0, std::string(waiting.substr(kHeaderBytes, length))};
    taken_ += kHeaderBytes + length;
    ended_ = frame.end_of_stream;
    return std::optional<Frame>(std::move(frame));
}

Result<void> FrameDecoder::finish() const {
    if (refused_) return *refused_;
    if (held() == 0) return {};
    return Error{Code::InvalidArgument, "the stream ends within a frame"};
}

std::string frame_of(std::string_view payload, std::uint8_t flags) {
    must(payload.size() <= std::numeric_limits<std::uint32_t>::max(), "a frame has a length");
    const auto length = static_cast<std::uint32_t>(payload.size());
    std::string frame;
    frame.reserve(kHeaderBytes + payload.size());
    frame.push_back(static_cast<char>(flags));
    for (const int shift : {24, 16, 8, 0}) {
        frame.push_back(static_cast<char>(length >> shift & 0xff));
    }
    frame.append(payload);
    return frame;
}

}  // namespace atl::connect

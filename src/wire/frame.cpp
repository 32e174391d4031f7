#include "wire/frame.hpp"

#include "base/must.hpp"

#include <cstring>

namespace atl::wire {

namespace {

void put_u32(char* at, std::uint32_t value) noexcept {
    for (int i = 0; i < 4; ++i) at[i] = static_cast<char>((value >> (8 * i)) & 0xff);
}

std::uint32_t get_u32(const char* at) noexcept {
    std::uint32_t value = 0;
    for (int i = 3; i >= 0; --i) value = (value << 8) | static_cast<unsigned char>(at[i]);
    return value;
}

bool known(std::uint8_t kind) noexcept {
    return kind >= static_cast<std::uint8_t>(Kind::Hello) &&
           kind <= static_cast<std::uint8_t>(Kind::End);
}

// Only events come in parts. Parts are paid for before they are whole, so output or data that is
// called a part would be free.
bool may_have(std::uint8_t kind, std::uint8_t flags) noexcept {
    return flags == 0 || (flags == kFlagMore && kind == static_cast<std::uint8_t>(Kind::Event));
}

Error broken(const std::string& what) {
    return {Code::Internal, "broken frame from the other side: " + what};
}

}  // namespace

void append_frame_header(std::string& out, Kind kind, std::uint32_t channel,
                         std::size_t payload_bytes, std::uint8_t flags) {
    must(payload_bytes <= kPayloadBytesMax, "a payload fits into a frame");
    char header[kHeaderBytes] = {};
    put_u32(header, static_cast<std::uint32_t>(payload_bytes));
    header[4] = static_cast<char>(kind);
    header[5] = static_cast<char>(flags);
    put_u32(header + 8, channel);
    out.append(header, kHeaderBytes);
}

void append_frame(std::string& out, Kind kind, std::uint32_t channel, std::string_view payload,
                  std::uint8_t flags) {
    append_frame_header(out, kind, channel, payload.size(), flags);
    out.append(payload);
}

void append_credit(std::string& out, std::uint32_t channel, std::uint32_t bytes) {
    char payload[4];
    put_u32(payload, bytes);
    append_frame(out, Kind::Credit, channel, {payload, sizeof payload});
}

Result<std::uint32_t> parse_credit(std::string_view payload) {
    if (payload.size() != 4)
        return broken("credit of " + std::to_string(payload.size()) + " bytes");
    return get_u32(payload.data());
}

char* FrameDecoder::writable(std::size_t wanted) {
    if (begin_ == end_) begin_ = end_ = 0;
    if (buffer_.size() - end_ < wanted && begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    if (buffer_.size() - end_ < wanted) buffer_.resize(end_ + wanted);
    return buffer_.data() + end_;
}

void FrameDecoder::wrote(std::size_t bytes) noexcept {
    must(bytes <= buffer_.size() - end_, "no more was written than there was room for");
    end_ += bytes;
}

void FrameDecoder::feed(std::string_view bytes) {
    if (bytes.empty()) return;
    std::memcpy(writable(bytes.size()), bytes.data(), bytes.size());
    wrote(bytes.size());
}

void FrameDecoder::shrink(std::size_t bytes) noexcept {
    if (begin_ != end_ || buffer_.size() <= bytes) return;
    std::string().swap(buffer_);
    begin_ = end_ = 0;
}

Result<std::optional<Frame>> FrameDecoder::next() {
    if (failed_) return broken("read on after an earlier fault");
    if (end_ - begin_ < kHeaderBytes) return std::optional<Frame>();
    const char* header = buffer_.data() + begin_;
    const std::uint32_t length = get_u32(header);
    const auto kind = static_cast<std::uint8_t>(header[4]);
    const auto flags = static_cast<std::uint8_t>(header[5]);
    // Checked before waiting for the payload: a length of 4 GiB must not make us buffer 4 GiB.
    if (length > kPayloadBytesMax || !known(kind) || !may_have(kind, flags) || header[6] != 0 ||
        header[7] != 0) {
        failed_ = true;
        return broken("length " + std::to_string(length) + ", kind " + std::to_string(kind) +
                      ", flags " + std::to_string(flags));
    }
    if (end_ - begin_ < kHeaderBytes + length) return std::optional<Frame>();
    Frame frame;
    frame.kind = static_cast<Kind>(kind);
    frame.flags = flags;
    frame.channel = get_u32(header + 8);
    frame.payload = {header + kHeaderBytes, length};
    begin_ += kHeaderBytes + length;
    return std::optional<Frame>(frame);
}

}  // namespace atl::wire

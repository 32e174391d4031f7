#include "net/chunks.hpp"

#include "base/encoding.hpp"

#include <algorithm>
#include <cstring>

namespace atl::net {

namespace {

constexpr unsigned kDigitsMax = 15;               // what cannot overflow
constexpr std::size_t kExtensionBytesMax = 1024;  // of one chunk
// Of a whole body. Hardly a client sends any; a body of extensions alone is an attack.
constexpr std::size_t kAllExtensionBytesMax = 64 * 1024;
constexpr std::size_t kTrailerBytesMax = 8 * 1024;

bool is_text(char c) noexcept {
    const auto byte = static_cast<unsigned char>(c);
    return c == '\t' || (byte >= 0x20 && byte != 0x7f);
}

}  // namespace

ChunkDecoder::State ChunkDecoder::step(char c) noexcept {
    switch (state_) {
        case State::Size:
            if (const int digit = hex_value(c); digit >= 0) {
                if (++digits_ > kDigitsMax) return State::Broken;
                left_ = left_ * 16 + static_cast<unsigned>(digit);
                return State::Size;
            }
            if (digits_ == 0) return State::Broken;
            if (c == '\r') return State::SizeEnd;
            return c == ';' ? State::Extension : State::Broken;
        case State::Extension:
            if (c == '\r') return State::SizeEnd;
            if (!is_text(c) || ++overhead_ > kExtensionBytesMax ||
                ++extension_bytes_ > kAllExtensionBytesMax) {
                return State::Broken;
            }
            return State::Extension;
        case State::SizeEnd:
            if (c != '\n') return State::Broken;
            digits_ = 0;
            overhead_ = 0;
            return left_ == 0 ? State::TrailerStart : State::Data;
        case State::DataCr: return c == '\r' ? State::DataEnd : State::Broken;
        case State::DataEnd: return c == '\n' ? State::Size : State::Broken;
        case State::TrailerStart:
            if (c == '\r') return State::LastEnd;
            [[fallthrough]];
        case State::Trailer:
            if (c == '\r') return State::TrailerEnd;
            if (!is_text(c) || ++overhead_ > kTrailerBytesMax) return State::Broken;
            return State::Trailer;
        case State::TrailerEnd:
            overhead_ += 2;
            return c == '\n' ? State::TrailerStart : State::Broken;
        case State::LastEnd: return c == '\n' ? State::Done : State::Broken;
        case State::Data:
        case State::Done:
        case State::Broken: break;
    }
    return state_;
}

ChunkDecoder::Taken ChunkDecoder::take(std::string_view input, std::span<char> body) noexcept {
    Taken taken;
    while (taken.used < input.size() && !done() && !broken()) {
        if (state_ != State::Data) {
            state_ = step(input[taken.used++]);
            continue;
        }
        const auto bytes = static_cast<std::size_t>(
            std::min<std::uint64_t>({left_, input.size() - taken.used, body.size() - taken.wrote}));
        if (bytes == 0) break;
        std::memcpy(body.data() + taken.wrote, input.data() + taken.used, bytes);
        taken.used += bytes;
        taken.wrote += bytes;
        left_ -= bytes;
        if (left_ == 0) state_ = State::DataCr;
    }
    return taken;
}

}  // namespace atl::net

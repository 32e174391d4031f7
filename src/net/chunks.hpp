#pragma once
// Inside net: takes a chunked body apart. A state machine that needs no look-ahead, so that bytes
// may come in any pieces.
//
// Not Beast's, whose parser asserts when the last chunk arrives byte by byte. Strict: CRLF only,
// hex digits only, extensions and trailers are bounded, each and all together, and dropped.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace atl::net {

class ChunkDecoder {
public:
    struct Taken {
        std::size_t used = 0;   // of the input
        std::size_t wrote = 0;  // of the body
    };
    // Until the input or the room for the body is used up, or the body ends. Stops for good at the
    // first wrong byte: broken() then.
    [[nodiscard]] Taken take(std::string_view input, std::span<char> body) noexcept;
    [[nodiscard]] bool done() const noexcept { return state_ == State::Done; }
    [[nodiscard]] bool broken() const noexcept { return state_ == State::Broken; }

private:
    enum class State {
        Size,
        Extension,
        SizeEnd,
        Data,
        DataCr,
        DataEnd,
        TrailerStart,
        Trailer,
        TrailerEnd,
        LastEnd,
        Done,
        Broken,
    };
    State step(char c) noexcept;

    State state_ = State::Size;
    std::uint64_t left_ = 0;
    unsigned digits_ = 0;
    std::size_t overhead_ = 0;         // bytes of this chunk's extension, or of all trailers
    std::size_t extension_bytes_ = 0;  // of all chunks
};

}  // namespace atl::net

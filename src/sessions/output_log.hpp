#pragma once
// The latest part of a program's output, with byte positions: a reader that returns continues where
// it was, or is told how much it missed.
//
// Both streams share one count, in the order in which their pieces came. Memory is bounded: once
// there is more than `bytes_max`, the oldest pieces go.
#include "core/outcome.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace atl::sessions {

class OutputLog {
public:
    explicit OutputLog(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    void add(core::Stream stream, std::string_view bytes);
    // How much is kept from now on.
    void limit(std::size_t bytes_max);

    [[nodiscard]] std::uint64_t begin() const noexcept { return begin_; }  // the oldest still there
    [[nodiscard]] std::uint64_t end() const noexcept { return end_; }      // all that ever came

    struct Piece {
        core::Stream stream;
        std::string_view bytes;  // until the next add
    };
    // What stands at an offset, up to the end of its piece. Nothing before begin() and at end().
    [[nodiscard]] std::optional<Piece> at(std::uint64_t offset) const;

private:
    struct Kept {
        core::Stream stream;
        std::uint64_t begin;
        std::string bytes;
    };
    void trim();
    std::size_t bytes_max_;
    std::deque<Kept> kept_;
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 0;
};

}  // namespace atl::sessions

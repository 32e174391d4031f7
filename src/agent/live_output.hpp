#pragma once
// A run's output for clients that follow it: collected in pieces that are sent from time to time,
// so that a thousand prints do not become a thousand events.
//
//     add() ──▶ what has come since ──▶ take()      whole characters, in the order of the streams
//
// Bounded   `bytes_max` of both streams together. The piece that reaches it says so, and nothing
//           follows: the end of the run brings all that is kept of its output.
//           A program that changes between its streams again and again gets one piece of each.
// Trusts    nothing: the bytes are a guest's. What is no UTF-8 is replaced.
#include "base/utf8.hpp"
#include "core/outcome.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace atl::agent {

class LiveOutput {
public:
    struct Piece {
        core::Stream stream = core::Stream::Stdout;
        std::string text;
        bool last = false;  // no more is told of this run before its end
    };

    explicit LiveOutput(std::size_t bytes_max) : left_(bytes_max) {}

    void add(core::Stream stream, std::string_view bytes);
    [[nodiscard]] bool empty() const noexcept { return pieces_.empty(); }
    [[nodiscard]] std::vector<Piece> take();

private:
    Utf8Joiner out_;
    Utf8Joiner err_;
    std::vector<Piece> pieces_;
    std::size_t left_;
    bool full_ = false;
};

}  // namespace atl::agent

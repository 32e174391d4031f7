#pragma once
// The arithmetic of the encoder: the few loops in which its time goes, compiled for speed in every
// build and for the processor that they run on.
#include <cstddef>

namespace atl::minilm {

inline constexpr std::size_t kBlockRows = 4;
[[nodiscard]] constexpr std::size_t padded_rows(std::size_t rows) {
    return (rows + kBlockRows - 1) / kBlockRows * kBlockRows;
}

// to[r][o] = bias[o] + Σ from[r][i] · weight[o][i]. Rows are whole blocks (padded_rows), `inner` is
// a multiple of 8 and `outer` one of 2.
void multiply(const float* from, std::size_t rows, std::size_t inner, const float* weight,
              const float* bias, std::size_t outer, float* to) noexcept;

// Lengths are multiples of 8.
[[nodiscard]] float product(const float* a, const float* b, std::size_t length) noexcept;
void add_scaled(float* to, const float* from, float scale, std::size_t length) noexcept;
// The activation between the two wide layers: x · Φ(x).
void smooth(float* row, std::size_t length) noexcept;

}  // namespace atl::minilm

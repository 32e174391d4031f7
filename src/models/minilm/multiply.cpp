#include "models/minilm/multiply.hpp"

#include <algorithm>
#include <cmath>

// One body for every processor, chosen when the program starts. Where the compiler has no such
// choice the plain one is right, and slower.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ATOLL_FOR_EACH_CPU __attribute__((target_clones("default", "arch=haswell")))
#else
#define ATOLL_FOR_EACH_CPU
#endif

namespace atl::minilm {

namespace {

constexpr std::size_t kNearRows = 16;

// Eight numbers at a time, wherever they lie.
using Eight = float __attribute__((vector_size(32), aligned(4), may_alias));

inline const Eight& eight_at(const float* at) { return *reinterpret_cast<const Eight*>(at); }

inline float sum_of(const Eight& all) {
    return ((all[0] + all[4]) + (all[1] + all[5])) + ((all[2] + all[6]) + (all[3] + all[7]));
}

}  // namespace

ATOLL_FOR_EACH_CPU
void multiply(const float* from, std::size_t rows, std::size_t inner, const float* weight,
              const float* bias, std::size_t outer, float* to) noexcept {
    // Some rows stay near while all weights pass by once.
    for (std::size_t near = 0; near < rows; near += kNearRows) {
        const std::size_t end = std::min(rows, near + kNearRows);
        for (std::size_t o = 0; o < outer; o += 2) {
            const float* first = weight + o * inner;
            const float* second = first + inner;
            for (std::size_t r = near; r < end; r += kBlockRows) {
                const float* x0 = from + r * inner;
                const float* x1 = x0 + inner;
                const float* x2 = x1 + inner;
                const float* x3 = x2 + inner;
                Eight a0{}, a1{}, a2{}, a3{}, b0{}, b1{}, b2{}, b3{};
                for (std::size_t i = 0; i < inner; i += 8) {
                    const Eight w = eight_at(first + i), v = eight_at(second + i);
                    const Eight y0 = eight_at(x0 + i), y1 = eight_at(x1 + i);
                    const Eight y2 = eight_at(x2 + i), y3 = eight_at(x3 + i);
                    a0 += w * y0;
                    a1 += w * y1;
                    a2 += w * y2;
                    a3 += w * y3;
                    b0 += v * y0;
                    b1 += v * y1;
                    b2 += v * y2;
                    b3 += v * y3;
                }
                float* out = to + r * outer + o;
                out[0] = sum_of(a0) + bias[o];
                out[1] = sum_of(b0) + bias[o + 1];
                out[outer] = sum_of(a1) + bias[o];
                out[outer + 1] = sum_of(b1) + bias[o + 1];
                out[2 * outer] = sum_of(a2) + bias[o];
                out[2 * outer + 1] = sum_of(b2) + bias[o + 1];
                out[3 * outer] = sum_of(a3) + bias[o];
                out[3 * outer + 1] = sum_of(b3) + bias[o + 1];
            }
        }
    }
}

float product(const float* a, const float* b, std::size_t length) noexcept {
    Eight sum{};
    for (std::size_t i = 0; i < length; i += 8) sum += eight_at(a + i) * eight_at(b + i);
    return sum_of(sum);
}

void add_scaled(float* to, const float* from, float scale, std::size_t length) noexcept {
    for (std::size_t i = 0; i < length; ++i) to[i] += from[i] * scale;
}

void smooth(float* row, std::size_t length) noexcept {
    constexpr float kRoot = 0.70710678F;
    for (std::size_t i = 0; i < length; ++i) row[i] *= 0.5F * (1 + std::erf(row[i] * kRoot));
}

}  // namespace atl::minilm

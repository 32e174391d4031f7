#include "base/nearest.hpp"

#include <algorithm>
#include <numeric>

namespace atl {

namespace {

constexpr std::size_t kComparedBytesMax = 64;  // the table below is quadratic, and clients choose

// Letters to add, drop, replace or swap with their neighbour to come from one to the other.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before.swap(above);
        above.swap(row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({replaced, row[j - 1] + 1, above[j] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row.back();
}

// `template_name` for `template`: more letters than a slip of the finger, and yet what was meant.
bool extends(std::string_view longer, std::string_view shorter) {
    return shorter.size() >= 3 && longer.starts_with(shorter);
}

}  // namespace

std::string_view nearest(std::string_view wrong, const std::vector<std::string_view>& known) {
    if (wrong.empty() || wrong.size() > kComparedBytesMax) return {};
    std::string_view best;
    std::size_t least = std::max<std::size_t>(1, wrong.size() / 3) + 1;
    for (const auto name : known) {
        auto steps = distance(wrong, name);
        if (extends(wrong, name) || extends(name, wrong)) steps = std::min<std::size_t>(steps, 1);
        if (steps < least) {
            least = steps;
            best = name;
        }
    }
    return best;
}

}  // namespace atl

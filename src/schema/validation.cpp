#include "schema/validation.hpp"

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "schema/json.hpp"

#include <algorithm>
#include <numeric>

namespace atl::schema {

namespace {

Error sentence(const std::vector<Issue>& found) {
    if (found.empty()) return {Code::InvalidArgument, "the request is not valid"};
    const auto& first = found.front();
    return {Code::InvalidArgument,
            first.path.empty() ? first.message : first.path + ": " + first.message};
}

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

ValidationError::ValidationError(std::vector<Issue> found)
    : ErrorException(sentence(found)), issues(std::move(found)) {}

std::string quoted(std::string_view text, std::size_t bytes_max) {
    std::string_view kept = text.substr(0, bytes_max);
    if (kept.size() < text.size()) {
        // Not in the middle of a character.
        while (!kept.empty() && (static_cast<unsigned char>(text[kept.size()]) & 0xC0u) == 0x80u)
            kept.remove_suffix(1);
    }
    std::string out;
    append_json_string(out, kept);
    if (kept.size() < text.size()) out.insert(out.size() - 1, "…");
    return printable(out);  // whoever reads the sentence may do so on a terminal
}

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

}  // namespace atl::schema

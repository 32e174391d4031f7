// "still in transit (在途)", "the battery below 20% (start_soc)": a name in brackets says what the
// words before it mean.
#include "models/offline/reader.hpp"

#include <algorithm>

namespace atl::offline {
namespace {

constexpr std::size_t kReach = 6;  // tokens before a bracket that it may explain

}  // namespace

// All that stands in its brackets; "profit (price minus cost)" holds a formula.
bool Reader::fills_brackets(const Said& s) const {
    for (std::size_t i = s.begin; i < s.end; ++i) {
        if (!tokens_[i].is_bracketed) return false;
    }
    const bool goes_on = s.end < tokens_.size() && tokens_[s.end].is_bracketed;
    return s.begin > 0 && !tokens_[s.begin - 1].is_bracketed && !goes_on;
}

void Reader::settle_brackets() {
    for (std::size_t m = 0; m < said_.size(); ++m) {
        const Said named = said_[m];
        if (!fills_brackets(named)) continue;
        brackets_.push_back(named.begin);
        if (m == 0) continue;
        Said& before = said_[m - 1];
        const bool is_same = before.field == named.field && before.value == named.value;
        const bool is_beside = before.end + 1 >= named.begin && !before.is_value &&
                               before.score < kOwnName && named.score >= kOwnName;
        if (is_same ? named.is_value : !is_beside) continue;
        if (is_beside && !is_same) {  // the name is meant, whatever the words alone would say
            before.field = named.field;
            before.column = named.column;
            before.is_value = named.is_value;
            before.value = named.value;
            before.score = named.score;
        }
        said_.erase(said_.begin() + static_cast<std::ptrdiff_t>(m));
        --m;
    }
}

bool Reader::is_explained_in_brackets(std::size_t i) const {
    return std::any_of(brackets_.begin(), brackets_.end(), [&](std::size_t bracket) {
        if (i >= bracket && i < bracket + kReach) {
            for (std::size_t k = bracket; k <= i; ++k) {
                if (!tokens_[k].is_bracketed) return false;
            }
            return true;
        }
        if (i >= bracket || bracket - i > kReach) return false;
        for (std::size_t k = i; k < bracket; ++k) {
            if (tokens_[k].text == "," || said_at(k) != nullptr) return false;
        }
        return true;
    });
}

}  // namespace atl::offline

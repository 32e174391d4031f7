// "the worst default rate": the highest one, for some figures are the worse the more they are.
#include "models/offline/data.hpp"
#include "models/offline/reader.hpp"

#include <algorithm>
#include <set>

namespace atl::offline {
namespace {

bool is_bad(const Token& token) {
    static const auto& kBad = word_list("is bad bad");
    if (kBad.contains(token.stem) || kBad.contains(token.text)) return true;
    const std::string& word = token.text;  // Defaulted
    return word.ends_with("ed") && kBad.contains(word.substr(0, word.size() - 2));
}

// Chinese tokens are characters: two of them make such a word.
bool holds_bad(const std::vector<Token>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (is_bad(words[i])) return true;
        if (i == 0 || !words[i].is_han()) continue;
        Token pair = words[i];
        pair.text = pair.stem = words[i - 1].text + words[i].text;
        if (is_bad(pair)) return true;
    }
    return false;
}

}  // namespace

// Whether the figure, or the value that a share is of, is something bad.
bool Reader::is_more_worse() const {
    const auto is_bad_value = [](const Filter& f) {
        return std::ranges::any_of(
            f.values, [](const std::string& value) { return holds_bad(tokens_of(value)); });
    };
    if (std::ranges::any_of(q_.part, is_bad_value)) return true;
    const auto is_bad_figure = [&](const Measure& m) {
        return m.field && holds_bad(at(schema_, *m.field).words);
    };
    return std::ranges::any_of(q_.measures, is_bad_figure);
}

void Reader::turn_worst() {
    static const std::set<std::string> kWorst = {"worst", "poorest", "最差", "最糟"};
    static const std::set<std::string> kBest = {"best", "最好", "最佳"};
    const auto says = [&](const std::set<std::string>& words) {
        return std::ranges::any_of(tags_, [&](const Tag& t) {
            std::string text;
            for (std::size_t i = t.begin; i < t.end; ++i) text += tokens_[i].text;
            return words.contains(text);
        });
    };
    if (q_.order == Order::None || says(kWorst) == says(kBest) || !is_more_worse()) return;
    q_.order = says(kWorst) ? Order::Highest : Order::Lowest;
}

}  // namespace atl::offline

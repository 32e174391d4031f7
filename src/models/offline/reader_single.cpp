// "the largest single donation, and which donor made it": one row, told with what is asked of it.
#include "models/offline/data.hpp"
#include "models/offline/reader.hpp"

#include <algorithm>
#include <set>

namespace atl::offline {

// A word for one row stands behind the superlative: "cheapest single job", 最大的一笔.
bool Reader::names_one_row(const Tag& t) const {
    static const std::set<std::string> kSingle = {"single", "individual", "one", "ever", "的"};
    static const std::set<std::string> kPieces = {"笔", "单", "次", "场", "条", "份", "趟", "通"};
    const auto is_figure = [&](std::size_t at) {  // "the highest transaction amount"
        const Said* said = said_at(at);
        return said != nullptr && !said->is_value && said->column->is_number() &&
               !said->column->is_id;
    };
    std::size_t i = t.end;
    while (i < tokens_.size() && kSingle.contains(tokens_[i].text)) ++i;
    if (i >= tokens_.size()) return false;
    if (tokens_[i].is_han()) {
        const bool is_one = tokens_[i].text == "一" || tokens_[i].text == "那";
        if (is_one && i + 1 < tokens_.size()) return kPieces.contains(tokens_[i + 1].text);
        const std::size_t length = row_noun_at(i);
        return tokens_[t.end].text == "的" && length > 0 && !is_figure(i + length) &&
               (said_at(i) == nullptr || said_at(i)->score < kOwnName);
    }
    if (tokens_[i].text != tokens_[i].stem || says_number(t) || is_figure(i + 1)) return false;
    const Said* said = said_at(i);
    return said == nullptr ? is_row_word(i) || names_row(i)
                           : !said->is_value && !is_figure(i) && is_row_noun(*said);
}

// 订单 of 订单状态, where a row is an order: no column was asked for
bool Reader::is_noun_of_row(Field field) const {
    return std::ranges::any_of(said_, [&](const Said& s) {
        return !s.is_value && s.field == field && s.score < kOwnName && row_noun_at(s.begin) > 0 &&
               !follows(s.begin, {Word::Which, Word::Who}, 2);
    });
}

bool Reader::asks_single_row() const {
    if (q_.order == Order::None || q_.groups.empty() || !q_.periods.empty()) return false;
    if ((q_.count && *q_.count > 1) || said_aggregation_) return false;
    const bool asks_more =
        std::ranges::any_of(q_.groups, [&](const Group& g) { return !is_unique(g.field); });
    if (!asks_more) return false;
    const bool is_one = std::ranges::any_of(tags_, [&](const Tag& t) {
        const bool is_superlative = t.word == Word::Highest || t.word == Word::Lowest ||
                                    t.word == Word::Expensive || t.word == Word::Cheap ||
                                    t.word == Word::Oldest || t.word == Word::Newest ||
                                    t.word == Word::Earliest;
        return is_superlative && names_one_row(t);
    });
    if (!is_one) return false;
    return std::ranges::all_of(q_.groups, [&](const Group& g) {
        if (g.grain != Grain::None) return false;
        return is_unique(g.field) || is_noun_of_row(g.field) ||
               std::ranges::any_of(said_, [&](const Said& s) {
                   return !s.is_value && s.field == g.field &&
                          follows(s.begin, {Word::Which, Word::Who}, 2);
               });
    });
}

void Reader::take_single_row() {
    q_.intent = Intent::Rows;
    q_.count = 1;
    std::erase_if(q_.groups,
                  [&](const Group& g) { return !is_unique(g.field) && is_noun_of_row(g.field); });
    std::stable_partition(q_.groups.begin(), q_.groups.end(),
                          [&](const Group& g) { return is_unique(g.field); });
    std::erase_if(q_.measures, [](const Measure& m) { return !m.field; });
}

// "purchase": what one of them is about is money; "donations", also that of many
bool Reader::is_paid(const Token& noun) {
    static const auto& kOne = word_list("is paid one");
    static const auto& kMany = word_list("is paid many");
    return kMany.contains(noun.stem) || (noun.text == noun.stem && kOne.contains(noun.stem));
}

// "the highest average donation", "the largest donation total", 平均捐款: the money of a row, not
// how many there are. "Average donations" are counted.
bool Reader::is_figure_of_row(const Said& s) const {
    const Token& noun = tokens_[s.end - 1];
    const bool is_one = noun.is_han() || noun.text == noun.stem || is_paid(noun);
    if (!is_one || !main_measure(schema_, q_.table)) return false;
    return std::ranges::any_of(tags_, [&](const Tag& t) {
        const bool is_figure = t.word == Word::Mean || t.word == Word::Median ||
                               (t.word == Word::Sum && is_paid(noun));
        return is_figure && (t.end == s.begin || t.begin == s.end);
    });
}

}  // namespace atl::offline

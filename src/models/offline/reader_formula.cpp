// "revenue minus cost", 毛利(营业额减去食材成本): a figure of two columns, told by the question.
#include "models/offline/reader.hpp"

#include <algorithm>
#include <set>

namespace atl::offline {
namespace {

// Names that people give to such a figure; the formula beside it says what is meant.
bool is_name_of_formula(const Token& token) {
    static const std::set<std::string> kNames = {
        "profit", "margin", "gross", "net",     "gain",   "earning", "loss",  "difference",  "gap",
        "saving", "spread", "total", "balance", "result", "surplus", "value", "contribution"};
    return kNames.contains(token.stem);
}

}  // namespace

// The sign between two columns, if nothing else stands there.
std::optional<char> Reader::sign_between(std::size_t from, std::size_t to) const {
    static const std::set<std::string> kMinus = {"minus", "less", "减", "减去",
                                                 "扣除",  "扣掉", "-"};
    static const std::set<std::string> kPlus = {"plus", "加", "加上", "+"};
    static const std::set<std::string> kArticles = {"the", "its", "their"};
    std::string words;
    for (std::size_t i = from; i < to; ++i) {
        if (!kArticles.contains(tokens_[i].text)) words += tokens_[i].text;
    }
    if (kMinus.contains(words)) return '-';
    if (kPlus.contains(words)) return '+';
    return std::nullopt;
}

// Where the name of the formula begins that stands right before it.
std::size_t Reader::name_before(std::size_t formula) const {
    std::size_t begin = formula;
    const auto is_open = [&](std::size_t i) { return said_at(i) == nullptr && !is_in_time(i); };
    while (begin > 0 && (tokens_[begin - 1].text == "=" || tokens_[begin - 1].text == "as" ||
                         tokens_[begin - 1].text == "defined" || tokens_[begin - 1].text == "即")) {
        --begin;
    }
    const std::size_t end = begin;
    while (begin > 0 && begin + 3 > end && is_open(begin - 1) &&
           is_name_of_formula(tokens_[begin - 1])) {
        --begin;
    }
    for (std::size_t length = 2; length <= 4 && length <= end; ++length) {
        const std::size_t from = end - length;
        const bool is_word = concept_length(from) == length ||
                             matches_at(tokens_, from, tokens_of("差额")) ||
                             matches_at(tokens_, from, tokens_of("价差"));
        if (is_word && is_open(from) && is_open(end - 1)) begin = std::min(begin, from);
    }
    return begin;
}

// Both columns become one mention, the name of the figure with it.
void Reader::find_formula() {
    for (std::size_t m = 0; m + 1 < said_.size() && !formula_; ++m) {
        Said& a = said_[m];
        const Said b = said_[m + 1];
        const auto is_figure = [](const Said& s) {
            return !s.is_value && s.column->is_number() && !s.column->is_id;
        };
        // "revenue minus refunds": both are money, and the first is not the second
        const auto main = main_measure(schema_, q_.table);
        if (a.field == b.field && !a.is_value && a.score < kOwnName && main && *main != b.field &&
            sign_between(a.end, b.begin)) {
            a.field = *main;
            a.column = &at(schema_, *main);
        }
        if (!is_figure(a) || !is_figure(b) || a.field == b.field || b.begin < a.end) continue;
        const auto sign = sign_between(a.end, b.begin);
        if (!sign) continue;
        Measure made;
        made.field = a.field;
        (*sign == '-' ? made.minus : made.plus) = b.field;
        const bool adds_up =
            a.column->nature() == Nature::Additive || b.column->nature() == Nature::Additive;
        made.aggregation = adds_up ? Aggregation::Sum : Aggregation::Mean;
        formula_ = made;
        const std::size_t begin = name_before(a.begin);
        a.begin = begin;
        a.end = b.end;
        std::erase_if(tags_, [&](const Tag& t) { return t.begin >= begin && t.end <= b.end; });
        said_.erase(said_.begin() + static_cast<std::ptrdiff_t>(m + 1));
    }
}

// "math minus reading", where one of them is no column: not the other alone
void Reader::refuse_open_formula() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        const bool is_sign =
            tokens_[i].text == "minus" || matches_at(tokens_, i, tokens_of("减去"));
        const bool is_heeded = std::any_of(q_.filters.begin(), q_.filters.end(),
                                           [&](const Filter& f) { return f.begin > i; });
        if (is_sign && !is_heeded && said_at(i) == nullptr) {
            q_.absent.push_back(tokens_[i].kind == Token::Kind::Han ? "减去" : "minus");
        }
    }
}

void Reader::apply_formula() {
    if (!formula_) return refuse_open_formula();
    for (Measure& m : q_.measures) {
        if (m.field != formula_->field || m.times) continue;
        m.minus = formula_->minus;
        m.lag = formula_->lag;
        m.plus = formula_->plus;
        const bool is_open =
            !said_aggregation_ && !per_row_ && !compares_flag_ &&
            (m.aggregation == Aggregation::Sum || m.aggregation == Aggregation::Mean);
        if (is_open) m.aggregation = formula_->aggregation;
    }
    q_.says_formula = true;
    // a condition on such a figure, or its distribution, is not made here
    const bool is_figure = q_.intent == Intent::Aggregate || q_.intent == Intent::Rows ||
                           q_.intent == Intent::Share || q_.intent == Intent::Growth;
    if (!is_figure || q_.having || is_filter_field(*formula_->field)) {
        const Field other = formula_->minus ? *formula_->minus : *formula_->plus;
        q_.absent.push_back(at(schema_, *formula_->field).name + (formula_->minus ? " − " : " + ") +
                            at(schema_, other).name);
    }
}

}  // namespace atl::offline

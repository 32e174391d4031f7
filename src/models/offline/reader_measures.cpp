#include "models/offline/data.hpp"
#include "models/offline/reader.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace atl::offline {

std::vector<Reader::AggregationTag> Reader::aggregations() const {
    std::vector<AggregationTag> found;
    for (const Tag& t : tags_) {
        std::optional<Aggregation> a;
        switch (t.word) {
            case Word::Sum: a = Aggregation::Sum; break;
            case Word::Mean: a = Aggregation::Mean; break;
            case Word::Median: a = Aggregation::Median; break;
            case Word::Minimum: a = Aggregation::Minimum; break;
            case Word::Maximum: a = Aggregation::Maximum; break;
            case Word::Deviation: a = Aggregation::Deviation; break;
            default: break;
        }
        if (a) found.push_back({*a, t.begin, t.end});
    }
    std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.begin < b.begin; });
    return found;
}

void Reader::find_measures() {
    auto aggs = aggregations();
    // "highest and lowest salary", "the highest temperature per sensor": extremes, not order
    const bool names_group =
        std::ranges::any_of(q_.groups, [&](const Group& g) { return group_is_each(g); });
    const bool both = has(Word::Highest) && has(Word::Lowest);
    if (!measures_said_.empty() &&
        !has({Word::Which, Word::Who, Word::Top, Word::Bottom, Word::Mean, Word::Sum,
              Word::Median}) &&
        (both || q_.groups.empty() || names_group) &&
        !has({Word::HowMany, Word::Growth, Word::Drop})) {
        for (const Tag& t : tags_) {
            const bool is_high = t.word == Word::Highest || t.word == Word::Expensive;
            const bool is_low = t.word == Word::Lowest || t.word == Word::Cheap;
            if ((!is_high && !is_low) || (is_of_number(t) && !q_.groups.empty())) continue;
            if (q_.count && *q_.count > 1) continue;
            const bool beside = std::ranges::any_of(measures_said_, [&](const Said& m) {
                return m.begin >= t.end ? m.begin - t.end <= 3 + (both ? 3U : 0U)
                                        : t.begin - std::min(m.end, t.begin) <= 2;
            });
            if (!beside) continue;
            aggs.push_back({is_high ? Aggregation::Maximum : Aggregation::Minimum, t.begin, t.end});
            extremes_ = true;
        }
        std::ranges::stable_sort(aggs,
                                 [](const auto& a, const auto& b) { return a.begin < b.begin; });
        if (extremes_) q_.order = Order::None;
    }
    std::erase_if(aggs, [&](const AggregationTag& a) {
        return std::ranges::any_of(
            measures_said_, [&](const Said& m) { return m.begin <= a.begin && a.end <= m.end; });
    });
    if (!aggs.empty()) said_aggregation_ = true;
    for (std::size_t m = 0; m < measures_said_.size(); ++m) {
        const Said& s = measures_said_[m];
        const std::size_t previous_end = m == 0 ? 0 : measures_said_[m - 1].end;
        const std::size_t next_begin =
            m + 1 < measures_said_.size() ? measures_said_[m + 1].begin : tokens_.size();
        std::vector<Aggregation> mine;
        for (const auto& a : aggs) {
            if (a.begin >= previous_end && a.end <= s.begin) mine.push_back(a.aggregation);
        }
        if (mine.empty()) {
            for (const auto& a : aggs) {
                // behind it: 工资的平均值; but not what belongs to the next measure
                if (a.begin >= s.end && a.begin < next_begin && (m + 1 == measures_said_.size())) {
                    mine.push_back(a.aggregation);
                }
            }
        }
        const bool is_for_all = aggs.size() == 1 && aggs[0].begin >= measures_said_.back().end;
        if (mine.empty() && is_for_all) mine.push_back(aggs[0].aggregation);  // A和B的总额
        if (mine.empty() && !q_.measures.empty() && !aggs.empty()) {
            mine.push_back(q_.measures.back().aggregation);
        }
        if (mine.empty()) {
            const bool most = std::ranges::any_of(tags_, [&](const Tag& t) {
                return t.word == Word::Top ||
                       ((t.word == Word::Highest || t.word == Word::Lowest) && is_of_number(t));
            });
            const bool is_plain = (s.column->meanings.empty() || s.column->means("hours")) &&
                                  !q_.groups.empty() && most;
            const bool adds_up = is_plain || s.column->nature() == Nature::Additive;
            const bool says_mean = per_row_ || text(s.begin, s.end).starts_with("均");
            mine.push_back(adds_up && !says_mean ? Aggregation::Sum : Aggregation::Mean);
            if (!adds_up && !says_mean && !s.is_used && !is_filter_field(s.field)) open_ = s.field;
        }
        for (const Aggregation a : mine) add_measure({a, s.field});
    }
    if (rate_) add_measure({Aggregation::Rate, *rate_});
    find_counts();
    count_people();
    if (q_.measures.empty()) find_product();
    if (q_.measures.empty() && !aggs.empty()) {
        aggregations_said_.clear();
        for (const auto& a : aggs) aggregations_said_.push_back(a.aggregation);
    }
}

// "most" and "fewest" compare totals; "highest" and "lowest" may be of one row
bool Reader::is_of_number(const Tag& t) const {
    static const auto& kWords = word_list("is of number words");
    return kWords.contains(text(t.begin, t.end));
}

// "in each department", "per sensor"
bool Reader::group_is_each(const Group& g) const {
    for (const Said& s : said_) {
        if (!s.is_value && s.field == g.field &&
            follows(s.begin, {Word::Each, Word::By, Word::Per}, 4)) {
            return true;
        }
    }
    return g.grain != Grain::None && !has(Word::Which) && !ranks_grain_;
}
void Reader::add_measure(Measure measure) {
    if (q_.measures.size() < 6 && std::ranges::find(q_.measures, measure) == q_.measures.end()) {
        q_.measures.push_back(measure);
    }
}

void Reader::find_counts() {
    const Tag* many = tag(Word::HowMany);
    if (asks_times()) counted_.reset();
    // 金额是多少: how much, where a measure is named
    bool counts = many != nullptr;
    if (counts && !measures_said_.empty() && !counted_) {
        bool is_han_many = false;
        bool is_plain = false;
        for (const Tag& t : tags_) {
            if (t.word != Word::HowMany) continue;
            const std::string many_text = text(t.begin, t.end);
            // 多少预订 asks how many, whatever else is said
            const bool is_of_rows = row_noun_at(t.end) > 0 && said_at(t.end) == nullptr;
            const bool is_vague = (many_text == "多少" || many_text == "有多少") && !is_of_rows;
            (is_vague ? is_han_many : is_plain) = true;
        }
        if (is_han_many && !is_plain) counts = false;
        // "how many units were sold": the measure itself is counted
        for (const Said& m : measures_said_) {
            if (follows(m.begin, {Word::HowMany}, 2) && !is_filter_field(m.field)) {
                counts = false;
            }
        }
    }
    // "average price per bedroom count": of what is the average?
    if (counts && many != nullptr && has({Word::Mean, Word::Median}) && !q_.measures.empty() &&
        !has(Word::And)) {
        const bool is_group = follows(many->begin, {Word::By, Word::Each, Word::Per}, 2);
        if (is_group) counts = false;  // "by number of passengers"
        if (!is_group) refuse(Word::HowMany);
    }
    const bool is_verb = has(Word::Who) && !measures_said_.empty();  // "who visits most often"
    if ((has(Word::Common) || has(Word::Rare)) && !is_verb) counts = true;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {  // 借阅量, 骑行数
        const std::size_t behind = i + row_noun_at(i);
        const bool is_number = behind > i && behind < tokens_.size() &&
                               (tokens_[behind].text == "量" || tokens_[behind].text == "数");
        if (is_number && measures_said_.empty()) counts = true;
    }
    if (counts_rows_ && measures_said_.empty() && !rate_) counts = true;
    if (counts) {
        if (field_meaning("quantity") && says_sold()) q_.absent.push_back(text(0, 3) + " …");
        const bool keeps = said_aggregation_ && !q_.measures.empty() && has(Word::And);
        if (!keeps) q_.measures.clear();
        // "distinct companies" are counted as said, however few come twice
        if (counted_ && (!is_row_noun(*counted_) || has(Word::Distinct))) {
            q_.measures.push_back({Aggregation::Distinct, counted_->field});
        } else {
            q_.measures.push_back({Aggregation::Count, {}});
        }
    } else if (counted_ && q_.measures.empty()) {
        q_.measures.push_back({Aggregation::Distinct, counted_->field});
    }
}

// "how many products were sold": pieces
bool Reader::says_sold() const {
    static const std::set<std::string> kVerbs = {"sold", "sell", "bought", "buy", "卖", "ordered"};
    const bool is_verb =
        std::ranges::any_of(tokens_, [&](const Token& t) { return kVerbs.contains(t.text); });
    return is_verb && !has(Word::Distinct) &&
           (!counted_ || counted_->column->means("product") || counted_->column->means("category"));
}

bool Reader::is_filter_field(Field field) const {
    return std::ranges::any_of(q_.filters, [&](const Filter& f) { return f.field == field; });
}

// A column whose values tell the rows apart: to count it is to count rows.
bool Reader::is_row_noun(const Said& s) const {
    const std::size_t rows = schema_.tables[s.field.table].rows;
    return s.field.table == q_.table && (s.column->distinct + s.column->missing) * 100 >= rows * 98;
}

// Revenue where there is only a price and a quantity.
bool Reader::asks_money() const {
    static const auto& kMoney = word_list("asks money money");
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        std::string three;
        for (std::size_t k = i; k < tokens_.size() && k < i + 3; ++k) {
            three += tokens_[k].stem;
            if (kMoney.contains(three)) return true;
        }
    }
    return false;
}

// Revenue, where there is only a price and a quantity: a product of two columns is not made here.
void Reader::find_product() {
    const bool is_open = asks_money() && field_meaning("price") && field_meaning("quantity");
    if (is_open && !field_meaning("amount")) {
        const auto price = at(schema_, *field_meaning("price")).name;
        q_.absent.push_back(price + " × " + at(schema_, *field_meaning("quantity")).name);
    }
}

}  // namespace atl::offline

// Conditions on groups: "departments with an average salary above 75,000", 订单超过5次的客户. The
// comparison is of a figure of each group, not of each row.
#include "models/offline/data.hpp"
#include "models/offline/reader.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace atl::offline {
namespace {

std::optional<Aggregation> aggregation_of(Word word) {
    switch (word) {
        case Word::Sum: return Aggregation::Sum;
        case Word::Mean: return Aggregation::Mean;
        case Word::Median: return Aggregation::Median;
        case Word::Minimum: return Aggregation::Minimum;
        case Word::Maximum: return Aggregation::Maximum;
        default: return std::nullopt;
    }
}

}  // namespace

const Said* Reader::said_at(std::size_t i) const {
    for (const Said& s : said_) {
        if (s.begin <= i && i < s.end) return &s;
    }
    return nullptr;
}

// What stands right before a comparison: "average salary", "an average", 工资平均, "number of
// orders".
Reader::Compared Reader::compared_before(std::size_t begin) {
    Compared found;
    found.begin = begin;
    bool is_row = false;
    std::size_t glue = 0;
    for (std::size_t i = begin; i > 0 && glue < 4;) {
        const std::size_t last = i - 1;
        const Said* said = said_at(last);
        const auto figure = std::ranges::find_if(tags_, [&](const Tag& t) {
            return t.end == i && (aggregation_of(t.word) || t.word == Word::HowMany);
        });
        if (said != nullptr && !said->is_value && said->column->is_number() &&
            !said->column->is_id) {
            if (found.said != nullptr || is_row) break;
            found.said = &said_[static_cast<std::size_t>(said - said_.data())];
            i = said->begin;
        } else if (said != nullptr && !said->is_value && said->column->is_text() &&
                   follows(said->begin, {Word::By, Word::Each, Word::Per}, 2)) {
            i = said->begin;  // "average salary by department above 75,000"
        } else if (figure != tags_.end()) {
            const bool counts = figure->word == Word::HowMany || is_row;
            if (counts && figure->word != Word::HowMany && figure->word != Word::Sum) break;
            if (counts && found.said != nullptr) break;
            found.counts = counts;
            if (!counts) found.aggregation = aggregation_of(figure->word);
            found.begin = i = figure->begin;
            if (counts || found.said != nullptr) break;
        } else if (is_row_word(last) || (last > 0 && row_noun_at(last - 1) == 2)) {
            if (is_row || found.said != nullptr || found.aggregation) break;
            is_row = true;
            found.rows = last;
            i = tokens_[last].is_han() && !is_row_word(last) ? last - 1 : last;
        } else if (is_at(last, Word::By) || is_at(last, Word::Each)) {
            if (found.aggregation && found.said == nullptr) {
                const bool is_of = tokens_[last].text == "的";  // 工资的平均值超过
                if (!is_of) break;
            }
            i = last;
            ++glue;
        } else {
            break;
        }
    }
    return found;
}

// A column that tells groups of rows apart.
bool Reader::is_group_noun(const Said& s) const {
    // 患者 is who the rows are about, where there is a 患者性别
    const bool is_whose = s.score < 68 && is_person_noun(s) && !s.column->means("name") &&
                          !s.column->is_id && s.column->distinct <= 12;
    if (is_whose) return false;
    return !s.is_value && !s.column->is_flag() && (s.column->is_text() || s.column->is_id) &&
           !is_unique(s.field) && s.column->distinct > 1;
}

// Whether the question names what the figure before `token` is made for.
bool Reader::names_groups(std::size_t token) const {
    if (!q_.groups.empty()) return true;
    const bool is_han = q_.language == Language::Chinese;
    const auto is_named = [&](const Said& s) {
        return is_group_noun(s) &&
               (s.end <= token || is_han || follows(s.begin, {Word::By, Word::Each, Word::Per}, 2));
    };
    return std::ranges::any_of(said_, is_named) || (has(Word::Who) && person_column().has_value());
}

// The noun that a condition is said of: "customers in the North with more than 5 orders".
bool Reader::is_said_of_groups(std::size_t token, std::size_t end) const {
    for (std::size_t i = token; i > 0; --i) {
        const Said* s = said_at(i - 1);
        const bool is_number = s != nullptr && s->column->is_number() && !s->column->is_id;
        if (s != nullptr && (s->is_value || is_number || s->column->is_date())) {
            i = s->begin + 1;
            continue;
        }
        const bool is_verb = tokens_[i - 1].text.ends_with("ed") || tokens_[i - 1].text == "bought";
        if (is_verb) continue;
        if (s != nullptr) {
            const bool is_each = follows(s->begin, {Word::By, Word::Each, Word::Per}, 2);
            if (!is_each && is_group_noun(*s)) return true;
            if (!is_each && tokens_[i - 1].is_word()) return false;
            i = s->begin + 1;
            continue;
        }
        if (is_row_word(i - 1) && tokens_[i - 1].is_word()) return false;
    }
    if (q_.language != Language::Chinese) {
        return has(Word::Who) && tag(Word::Who)->begin <= 1 && person_column().has_value();
    }
    // 订单超过5次的客户
    for (std::size_t i = end; i < tokens_.size() && i < end + 5; ++i) {
        const Said* s = said_at(i);
        if (s != nullptr && !s->is_value) return is_group_noun(*s);
    }
    return has(Word::Who) && person_column().has_value();
}

// What is counted behind the number: 5 orders, 5 times, 5 different products, 5次.
std::optional<Measure> Reader::counted_behind(std::size_t& end, bool has_rows_before) {
    std::size_t i = end;
    const auto& text = [&](std::size_t at) { return at < tokens_.size() ? tokens_[at].text : ""; };
    if (text(i) == "个" || text(i) == "种" || text(i) == "家") ++i;
    while (i < tokens_.size() && (is_at(i, Word::OrMore) || is_at(i, Word::OrLess))) ++i;
    const bool is_distinct = i < tokens_.size() && is_at(i, Word::Distinct);
    while (i < tokens_.size() && is_at(i, Word::Distinct)) ++i;
    if (i >= tokens_.size()) return std::nullopt;
    const Measure rows{Aggregation::Count, std::nullopt, std::nullopt};
    static const std::set<std::string> kTimes = {"times", "次", "笔", "单", "条"};
    static const std::set<std::string> kPeople = {"人", "名", "位"};
    const Said* said = said_at(i);
    const auto take = [&](std::size_t to) {
        for (Said& s : said_) {
            if (!s.is_value && s.begin >= end && s.begin < to) s.is_used = true;
        }
        end = to;
    };
    if (kTimes.contains(text(i)) || (has_rows_before && kPeople.contains(text(i)))) {
        take(i + 1);
        return rows;
    }
    const bool is_unit = is_at(i, Word::Day) || is_at(i, Word::Hour) || is_at(i, Word::Week) ||
                         is_at(i, Word::Month) || is_at(i, Word::Year);
    if (is_unit || (said != nullptr && (said->is_value || said->column->is_date()))) {
        return std::nullopt;
    }
    if (said != nullptr && said->column->is_number() && !said->column->is_id) {
        if (said->column->nature() != Nature::Additive) return std::nullopt;
        const Measure sum{Aggregation::Sum, said->field, std::nullopt};
        take(said->end);
        return sum;
    }
    static const std::set<std::string> kPieces = {"item", "unit", "piece", "product", "件"};
    const auto quantity = field_meaning("quantity");
    if (kPieces.contains(tokens_[i].stem) && quantity && !is_distinct) {
        take(i + 1);
        return Measure{Aggregation::Sum, *quantity, std::nullopt};
    }
    if (said != nullptr && !is_unique(said->field)) {
        const Measure distinct{Aggregation::Distinct, said->field, std::nullopt};
        take(said->end);
        return distinct;
    }
    const bool is_row = tokens_[i].is_word() ? is_row_word(i) || names_row(i) : is_row_word(i);
    if (!is_row) return std::nullopt;
    take(said != nullptr ? said->end : i + std::max<std::size_t>(row_noun_at(i), 1));
    return rows;
}

// "is the average above 50": the figure itself answers, and no row is left out
bool Reader::asks_whether() const {
    static const auto& kFirst = word_list("asks whether first");
    if (!tokens_.empty() && kFirst.contains(tokens_[0].text)) return true;
    return std::ranges::any_of(tokens_,
                               [](const Token& t) { return t.text == "吗" || t.text == "否"; });
}

// 5 % of a column that holds 0.05
double Reader::percent_unit(Field field, std::size_t end, double value) const {
    const Column& column = at(schema_, field);
    const bool is_percent =
        end < tokens_.size() && (tokens_[end].text == "%" || tokens_[end].stem == "percent");
    const bool is_share = !column.is_flag() && column.high > 0 && column.high <= 2;
    return is_percent && is_share && value > column.high ? 0.01 : 1;
}

// "how many times did a player get 30 points": rows, not players
bool Reader::asks_times() const {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
        const bool is_many = tokens_[i].text == "many" && tokens_[i + 1].text == "times";
        if (is_many || (tokens_[i].text == "how" && tokens_[i + 1].text == "often")) return true;
    }
    return false;
}

bool Reader::take_having(Filter::Kind kind, double low, double high, std::size_t begin,
                         std::size_t end) {
    if (q_.having || asks_times()) return false;
    const std::size_t number = end - 1;
    const std::size_t end_of_number = end;
    Compared before = compared_before(begin);
    const auto behind = std::ranges::find_if(tags_, [&](const Tag& t) {
        const bool is_told = t.word == Word::Sum || t.word == Word::Mean;
        return is_told && t.begin >= end && t.begin <= end + 2 && t.end - t.begin > 1;
    });
    if (!before.aggregation && behind != tags_.end() && !before.counts) {  // "… in total"
        before.aggregation = aggregation_of(behind->word);
        if (before.said == nullptr) before.said = number_near(begin, end);
    }
    const auto first = [&] {
        if (before.aggregation || before.counts) return std::min(before.begin, begin);
        return before.said != nullptr ? std::min(before.said->begin, begin) : begin;
    };
    const auto keep = [&](const Measure& measure) {
        if (before.said != nullptr) before.said->is_used = true;
        const double unit = measure.field ? unit_factor(*measure.field, end_of_number, low) : 1;
        q_.having = Having{measure, kind, low * unit, high * unit};
        condition_numbers_.insert(number);
        return true;
    };
    if (before.counts && names_groups(before.begin)) {
        return keep({Aggregation::Count, std::nullopt, std::nullopt});
    }
    if (before.aggregation && names_groups(before.begin)) {
        if (before.said == nullptr) {
            const Said* next = said_at(end);
            const bool is_number = next != nullptr && !next->is_value &&
                                   next->column->is_number() && !next->column->is_id;
            if (is_number) before.said = &said_[static_cast<std::size_t>(next - said_.data())];
        }
        if (before.said != nullptr) {
            return keep({*before.aggregation, before.said->field, std::nullopt});
        }
        if (const auto counted = counted_behind(end, false)) {
            if (*before.aggregation == Aggregation::Sum) return keep(*counted);
            q_.absent.push_back(tokens_[number].as_written + " " + tokens_[end - 1].as_written);
            return true;  // an average of counts
        }
        const auto main = main_measure(schema_, q_.table);
        if (!main) return false;
        q_.chose_measure = true;
        return keep({*before.aggregation, *main, std::nullopt});
    }
    if (before.aggregation && asks_whether()) {
        condition_numbers_.insert(number);
        return true;
    }
    if (!is_said_of_groups(first(), end)) return false;
    const bool is_times = end < tokens_.size() && tokens_[end].text == "times";  // "sold 5 times"
    if (before.said == nullptr || is_times) {
        const auto counted = counted_behind(end, before.rows.has_value());
        return counted && keep(*counted);
    }
    // "products with sales over 10,000": what adds up is added up
    if (before.said->column->nature() != Nature::Additive) return false;
    return keep({Aggregation::Sum, before.said->field, std::nullopt});
}

void Reader::decide_having() {
    if (q_.groups.empty() && counted_) add_group(*counted_);
    const Measure measure = q_.having->measure;
    const bool asks_other =
        rate_.has_value() || std::ranges::any_of(measures_said_, [&](const Said& m) {
            return !m.is_used && m.field != measure.field;
        });
    q_.intent = Intent::Aggregate;
    q_.order = Order::None;
    q_.count.reset();
    if (asks_other || q_.groups.empty()) {
        // a figure of the groups that are left is not made here
        q_.absent.emplace_back(q_.language == Language::Chinese ? "只对这些分组的统计"
                                                                : "a figure of such groups only");
        q_.having.reset();
        q_.intent = Intent::Unknown;
        return;
    }
    q_.measures = {measure};
}

}  // namespace atl::offline

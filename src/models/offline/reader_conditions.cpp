#include "models/offline/data.hpp"
#include "models/offline/reader.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace atl::offline {

Filter& Reader::add_filter(Filter::Kind kind, Field field, std::size_t begin, double low,
                           double high) {
    Filter filter;
    filter.kind = kind;
    filter.field = field;
    filter.low = low;
    filter.high = high;
    filter.begin = begin;
    q_.filters.push_back(std::move(filter));
    return q_.filters.back();
}

Said* Reader::number_near(std::size_t begin, std::size_t end) {
    Said* best = nullptr;
    std::size_t best_gap = 8;
    for (Said& s : said_) {
        if (s.is_value || !s.column->is_number() || s.column->is_id) continue;
        std::size_t gap = best_gap;
        if (s.end <= begin) {
            gap = begin - s.end;
        } else if (s.begin >= end && s.begin - end < 3) {
            gap = s.begin - end + 2;
            // "at least 4 bedrooms", but not "under 30 earning more than …", nor "over 20,000 where
            // the score is below 600"
            if (precedes(is_at(s.end, Word::Is) ? s.end + 1 : s.end,
                         {Word::More, Word::Less, Word::AtLeast, Word::AtMost}, 2)) {
                continue;
            }
            if (s.begin == end) gap = 0;
        }
        if (gap < best_gap) {
            best_gap = gap;
            best = &s;
        }
    }
    return best;
}

std::optional<Field> Reader::field_meaning(std::string_view name) const {
    const Table& table = schema_.tables[q_.table];
    std::optional<Field> found;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const Column& column = table.columns[c];
        if (!column.is_number() || column.is_id || !column.means(name)) continue;
        // what its name ends with counts more: a unit price is a price, no quantity
        if (column.meanings[0]->name == name) return Field{q_.table, c};
        if (!found) found = Field{q_.table, c};
    }
    return found;
}

std::optional<Field> Reader::condition_field(std::size_t begin, std::size_t end) {
    if (const auto field = field_of_dimension(begin, end)) return field;
    for (std::size_t i = begin; i < end; ++i) {
        const std::string& word = tokens_[i].text;
        static const auto& kAbout = word_pairs("condition about");
        for (const auto& [said, about] : kAbout) {
            if (word != said) continue;
            const auto field = field_meaning(about);
            if (field) return field;
        }
    }
    if (Said* near = number_near(begin, end)) {
        near->is_used = true;
        return near->field;
    }
    const bool is_percent =
        end < tokens_.size() && (tokens_[end].text == "%" || tokens_[end].stem == "percent");
    if (is_percent) {  // of what? Money is no percentage
        q_.absent.push_back(tokens_[end - 1].as_written + " %");
        return std::nullopt;
    }
    if (refuse_unit(end)) return std::nullopt;
    // none is named: money, where its values reach so far and nothing else is counted
    static const auto& kMoney = word_list("is money words");
    const Said* behind = said_at(end);
    const bool is_noun = behind == nullptr || behind->column->is_text() || behind->column->is_id;
    const bool counts_other = end < tokens_.size() && !tokens_[end].is_sign() && !has_tag(end) &&
                              !is_filler(end) && is_noun && !is_in_time(end) &&
                              !kMoney.contains(tokens_[end].stem);
    const auto main = counts_other ? std::nullopt : main_measure(schema_, q_.table);
    std::size_t ignored = 0;
    for (std::size_t i = begin; i < end && main; ++i) {
        const auto value = number_at(i, ignored);
        const Column& column = at(schema_, *main);
        const bool reaches = value && *value >= column.low && *value <= column.high;
        if (reaches && is_money(column)) return main;
    }
    q_.absent.push_back(text(begin, end));
    return std::nullopt;
}

void Reader::find_comparisons() {
    struct Kinds {
        Word word;
        Filter::Kind kind;
    };
    static constexpr std::array kKinds = {Kinds{Word::More, Filter::Kind::Greater},
                                          Kinds{Word::AtLeast, Filter::Kind::GreaterOrEqual},
                                          Kinds{Word::Less, Filter::Kind::Less},
                                          Kinds{Word::AtMost, Filter::Kind::LessOrEqual}};
    std::set<std::size_t> done = condition_numbers_;  // the top 10 %, the 2nd highest
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        if (is_at(i, Word::Between) || is_at(i, Word::From)) try_between(i, done);
    }
    for (const Tag& t : tags_) {
        for (const Kinds& k : kKinds) {
            if (t.word != k.word) continue;
            std::size_t at_number = t.end;
            while (at_number < tokens_.size() && at_number < t.end + 3 && is_filler(at_number) &&
                   !number_word(tokens_[at_number])) {  // the 一 of 一周 is none
                ++at_number;
            }
            std::size_t end = 0;
            const auto value = number_at(at_number, end);
            if (!value || done.contains(at_number)) continue;
            done.insert(at_number);
            add_comparison(k.kind, *value, t.begin, end);
        }
    }
    // "5 or more", "100元以上"
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        std::size_t end = 0;
        const auto value = number_at(i, end);
        if (!value || done.contains(i)) continue;
        const bool is_least = precedes(end, {Word::OrMore}, 2) || is_at(end + 1, Word::OrMore);
        const bool is_most = precedes(end, {Word::OrLess}, 2) || is_at(end + 1, Word::OrLess);
        if (!is_least && !is_most) continue;
        done.insert(i);
        add_comparison(is_least ? Filter::Kind::GreaterOrEqual : Filter::Kind::LessOrEqual, *value,
                       i, end);
    }
    find_equalities(done);
    condition_numbers_.insert(done.begin(), done.end());
    find_signs();
}

void Reader::try_between(std::size_t i, std::set<std::size_t>& done) {
    std::size_t first = i + 1;
    while (first < tokens_.size() && first < i + 3 && is_filler(first) &&
           !tokens_[first].is_number()) {
        ++first;
    }
    std::size_t end = 0;
    const auto low = number_at(first, end);
    if (!low || done.contains(first)) return;
    while (end < tokens_.size() && !is_at(end, Word::To) && end < first + 4) ++end;
    if (end >= tokens_.size() || !is_at(end, Word::To)) return;
    std::size_t last = 0;
    const std::size_t second = end + 1;
    const auto high = number_at(second, last);
    if (!high || *high < *low) return;
    done.insert(first);
    done.insert(second);
    if (is_of_groups(i, last)) return;
    const auto field = condition_field(i, last);
    if (!field || refuse_other_unit(*field, last, *high)) return;
    add_filter(Filter::Kind::Between, *field, i, *low, *high);
}
void Reader::add_comparison(Filter::Kind kind, double value, std::size_t begin, std::size_t end) {
    if (is_of_groups(begin, end)) return;
    const auto field = condition_field(begin, end);
    if (!field || refuse_other_unit(*field, end, value)) return;
    add_filter(kind, *field, begin, value);
    condition_numbers_.insert(end - 1);
    if (has_unit_of(*field, end)) condition_numbers_.insert(end);
}

// "rating of 5", "status 404", "评分为5"
void Reader::find_equalities(std::set<std::size_t>& done) {
    for (Said& s : said_) {
        if (s.is_value || s.is_used || !s.column->is_number()) continue;
        std::size_t i = s.end;
        while (i < tokens_.size() && i < s.end + 3 &&
               (is_at(i, Word::Is) || tokens_[i].text == "of")) {
            ++i;
        }
        std::size_t end = 0;
        if (i >= tokens_.size() || !tokens_[i].is_number()) continue;
        const auto value = number_at(i, end);
        if (!value || done.contains(i) || is_excluded(s.begin)) continue;
        if (i == s.end && !s.column->is_whole) continue;
        done.insert(i);
        condition_numbers_.insert(i);
        s.is_used = true;
        add_filter(Filter::Kind::Equal, s.field, s.begin, *value);
    }
}

// "excluding refunds", "only negative amounts"
void Reader::find_signs() {
    const Tag* negative = tag(Word::Negative);
    if (negative == nullptr) return;
    const auto field = main_measure(schema_, q_.table);
    if (!field || at(schema_, *field).low >= 0) return;
    const bool negated = follows(negative->begin, {Word::Exclude}, 4);
    add_filter(negated ? Filter::Kind::GreaterOrEqual : Filter::Kind::Less, *field,
               negative->begin);
}

bool Reader::is_excluded(std::size_t begin) const {
    // an exclusion reaches over a list: "except North and South"
    for (std::size_t i = begin, steps = 0; i > 0 && steps < 8; --i, ++steps) {
        if (is_at(i - 1, Word::Exclude)) return true;
        const bool in_list = is_filler(i - 1) || is_at(i - 1, Word::And) ||
                             is_at(i - 1, Word::Or) || is_at(i - 1, Word::In) ||
                             std::ranges::any_of(said_, [&](const Said& s) {
                                 return s.begin <= i - 1 && i - 1 < s.end;
                             });
        if (!in_list) return false;
    }
    return false;
}

void Reader::find_value_filters() {
    for (const Said& s : said_) {
        if (!s.is_value) continue;
        const bool excluded = is_excluded(s.begin);
        const auto kind = excluded ? Filter::Kind::NoneOf : Filter::Kind::OneOf;
        const auto same = std::ranges::find_if(
            q_.filters, [&](const Filter& f) { return f.kind == kind && f.field == s.field; });
        if (same != q_.filters.end()) {
            if (std::ranges::find(same->values, s.value) == same->values.end()) {
                same->values.push_back(s.value);
            }
            continue;
        }
        add_filter(kind, s.field, s.begin).values = {s.value};
    }
    // the column's name beside its value says nothing more: "North region"
    for (Said& s : said_) {
        if (s.is_value || !s.column->is_text()) continue;
        for (const Said& v : said_) {
            if (!v.is_value || v.field != s.field) continue;
            const bool is_beside = v.end == s.begin || (s.end <= v.begin && v.begin - s.end <= 2);
            if (is_beside && !follows(s.begin, {Word::By, Word::Each, Word::Which})) {
                s.is_used = true;
            }
        }
    }
}

void Reader::find_presence() {
    const bool counts = asks_to_count() || has({Word::Share, Word::Show, Word::Rate}) ||
                        row_noun_said() || says_rows_;
    for (Said& s : said_) {
        if (s.is_value || s.is_used || s.column->is_flag() || s.column->is_id) continue;
        if (follows(s.begin, {Word::Exclude}, 2)) {
            add_presence(s, false);
            continue;
        }
        if (!counts) continue;
        const bool is_with = follows(s.begin, {Word::With}, 2) &&
                             !follows(s.begin, {Word::Mean, Word::Sum, Word::Highest}, 2);
        const Token& last = tokens_[s.end - 1];
        // "refunded" said of a column "refund", but not the verb of "goals scored"
        const bool is_participle =
            last.is_word() && last.text.ends_with("ed") && s.end - s.begin == 1 &&
            std::ranges::none_of(s.column->words,
                                 [&](const Token& word) { return word.text == last.text; }) &&
            !follows(s.begin, {Word::HowMuch, Word::Sum, Word::Mean}, 4);
        const bool is_rate_of = last.is_han() && s.column->is_number() && s.end < tokens_.size() &&
                                tokens_[s.end].text == "率";
        if (is_rate_of) {  // 不良率, of 不良品数: of what is not said
            q_.absent.push_back(s.column->name + " / ?");
            continue;
        }
        const bool is_han_with = s.begin > 0 && tokens_[s.begin - 1].text == "有" &&
                                 s.end < tokens_.size() && tokens_[s.end].text == "的";
        if (is_with || is_han_with || (is_participle && s.column->is_number() && asks_to_count())) {
            add_presence(s, true);
        }
    }
}

void Reader::add_presence(Said& s, bool is_there) {
    const Column& column = *s.column;
    if (column.missing > 0) {
        add_filter(is_there ? Filter::Kind::Present : Filter::Kind::Missing, s.field, s.begin);
    } else if (column.is_number() && column.low == 0) {
        add_filter(is_there ? Filter::Kind::Greater : Filter::Kind::Equal, s.field, s.begin);
    } else {  // "without insurance", where each row has an amount
        const bool is_sign = is_at(s.begin, Word::Negative);  // "excluding refunds"
        if (!is_there && !is_sign) q_.absent.push_back(text(s.begin, s.end));
        return;
    }
    s.is_used = true;
    says_rows_ = true;
}

}  // namespace atl::offline

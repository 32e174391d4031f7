#include "models/offline/data.hpp"
#include "models/offline/reader.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace atl::offline {

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
            const bool is_delay = field && word == "longer" && at(schema_, *field).means("delay");
            if (field && !is_delay) return field;  // a long flight need not be late
        }
    }
    for (Said& s : said_) {  // "more than 10 years at the company"
        const bool is_calendar = s.column->low >= 1900 && s.column->high <= 2100;
        if (!s.is_value && s.column->is_number() && !is_calendar && s.begin == end &&
            tokens_[end].stem == "year") {
            s.is_used = true;
            return s.field;
        }
    }
    if (const auto field = field_of_noun(end)) return field;
    // "employees under 30" speaks of their age
    std::size_t before = begin;
    while (before > 0 && (is_filler(before - 1) || is_at(before - 1, Word::Is))) --before;
    const bool of_rows = before > 0 && (is_row_word(before - 1) || names_row(before - 1));
    std::optional<double> value;
    std::size_t ignored = 0;
    for (std::size_t i = begin; i < end && !value; ++i) value = number_at(i, ignored);
    const auto age = field_meaning("age");
    if (of_rows && value && age && *value >= 10 && *value <= 100) return age;
    if (end < tokens_.size() && (tokens_[end].text == "岁" || tokens_[end].stem == "year")) {
        if (auto field = field_meaning("age")) {
            for (Said& s : said_) {
                if (s.field == *field && s.begin == end) s.is_used = true;
            }
            return field;
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
    // none is named: one whose values reach so far
    const auto main = main_measure(schema_, q_.table);
    const auto reaches = [&](Field field) {
        const Column& column = at(schema_, field);
        return value && *value >= column.low && *value <= column.high;
    };
    if (!main || reaches(*main)) return main;
    if (age && reaches(*age)) return age;
    return main;
}

// "more than 10 items", 低于3分: the column that counts them
std::optional<Field> Reader::field_of_noun(std::size_t i) {
    if (i >= tokens_.size()) return std::nullopt;
    static const auto& kNouns = word_pairs("counted nouns");
    for (const auto& [noun, about] : kNouns) {
        if (tokens_[i].stem != noun) continue;
        const bool is_minute = i + 1 < tokens_.size() && tokens_[i + 1].text == "钟";
        if (noun == "分" && (is_minute || number_near(i, i) != nullptr)) continue;  // it is named
        const auto field = field_meaning(about);
        if (!field) continue;
        for (Said& s : said_) {
            if (!s.is_value && s.begin == i) s.is_used = true;
        }
        return field;
    }
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
    // "5 or more", "100元以上", and a range without "between": 18-25, "30到40岁"
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        std::size_t end = 0;
        const auto value = number_at(i, end);
        if (!value || done.contains(i)) continue;
        std::size_t behind = end;
        while (behind < tokens_.size() && behind < end + 2 && !is_at(behind, Word::OrMore) &&
               !is_at(behind, Word::OrLess)) {
            ++behind;
        }
        if (behind < tokens_.size() && is_at(behind, Word::OrMore)) {
            done.insert(i);
            add_comparison(Filter::Kind::GreaterOrEqual, *value, i, end);
        } else if (behind < tokens_.size() && is_at(behind, Word::OrLess)) {
            done.insert(i);
            add_comparison(Filter::Kind::LessOrEqual, *value, i, end);
        } else {
            try_range(i, end, *value, done);
        }
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
    if (take_having(Filter::Kind::Between, *low, *high, i, last)) return;
    Filter filter;
    filter.kind = Filter::Kind::Between;
    const auto field = condition_field(i, last);
    if (!field) return;
    filter.field = *field;
    filter.low = *low * unit_factor(*field, last, *high);
    filter.high = *high * unit_factor(*field, last, *high);
    filter.begin = i;
    q_.filters.push_back(filter);
}

void Reader::try_range(std::size_t i, std::size_t end, double low, std::set<std::size_t>& done) {
    if (end >= tokens_.size()) return;
    const std::string& sign = tokens_[end].text;
    if (sign != "-" && sign != "到" && sign != "至" && sign != "to") return;
    std::size_t last = 0;
    const auto high = number_at(end + 1, last);
    if (!high || *high <= low) return;
    Said* near = number_near(i, last);
    const bool is_age = last < tokens_.size() && tokens_[last].text == "岁";
    if (near == nullptr && !is_age) return;
    done.insert(i);
    done.insert(end + 1);
    if (take_having(Filter::Kind::Between, low, *high, i, last)) return;
    Filter filter;
    filter.kind = Filter::Kind::Between;
    const auto field = condition_field(i, last);
    if (!field) return;
    filter.field = *field;
    filter.low = low * unit_factor(*field, last, *high);
    filter.high = *high * unit_factor(*field, last, *high);
    filter.begin = i;
    q_.filters.push_back(filter);
}

void Reader::add_comparison(Filter::Kind kind, double value, std::size_t begin, std::size_t end) {
    if (take_having(kind, value, value, begin, end)) return;
    // "bought more than 5 times": how many rows each has is no column
    const bool is_column = std::ranges::any_of(said_, [&](const Said& s) {
        return !s.is_value && s.column->is_number() && !s.column->is_id && s.begin == end;
    });
    const bool counts_rows =
        end < tokens_.size() && tokens_[end].is_word() && !is_column &&
        number_near(begin, end) == nullptr &&
        (tokens_[end].text == "times" || tokens_[end].stem == "order" ||
         tokens_[end].stem == "purchase" || tokens_[end].stem == "transaction");
    if (counts_rows) {
        q_.absent.push_back(tokens_[end - 1].as_written + " " + tokens_[end].as_written);
        return;
    }
    const auto field = condition_field(begin, end);
    if (!field) return;
    Filter filter;
    filter.kind = kind;
    filter.field = *field;
    filter.low = value * unit_factor(*field, end, value);
    filter.begin = begin;
    q_.filters.push_back(filter);
    condition_numbers_.insert(end - 1);
    if (has_unit_of(*field, end)) condition_numbers_.insert(end);
}

// "5 star ratings", "3 bedroom houses"
bool Reader::take_number_before(Said& s, std::set<std::size_t>& done) {
    std::size_t end = 0;
    if (s.begin == 0 || !tokens_[s.begin - 1].is_number()) return false;
    const std::size_t i = s.begin - 1;
    const auto value = number_at(i, end);
    const bool is_choice = s.column->is_whole && s.column->distinct <= 12;
    if (!value || done.contains(i) || !is_choice || *value < s.column->low ||
        *value > s.column->high ||
        follows(i, {Word::Top, Word::Bottom, Word::Highest, Word::Lowest, Word::First})) {
        return false;
    }
    done.insert(i);
    condition_numbers_.insert(i);
    s.is_used = true;
    Filter filter;
    filter.kind = Filter::Kind::Equal;
    filter.field = s.field;
    filter.low = *value;
    filter.begin = i;
    q_.filters.push_back(filter);
    return true;
}

// "rating of 5", "status 404", "评分为5"
void Reader::find_equalities(std::set<std::size_t>& done) {
    for (Said& s : said_) {
        if (s.is_value || s.is_used || !s.column->is_number()) continue;
        if (take_number_before(s, done)) continue;
        std::size_t i = s.end;
        while (i < tokens_.size() && i < s.end + 3 &&
               (is_at(i, Word::Is) || tokens_[i].text == "of" || tokens_[i].text == "code" ||
                tokens_[i].text == "level")) {
            ++i;
        }
        std::size_t end = 0;
        if (i >= tokens_.size() || !tokens_[i].is_number()) continue;
        const auto value = number_at(i, end);
        if (!value || done.contains(i)) continue;
        if (i == s.end && !s.column->is_whole) continue;
        done.insert(i);
        condition_numbers_.insert(i);
        s.is_used = true;
        Filter filter;
        const bool negated =
            follows(s.begin, {Word::Exclude}) || (i > s.end && is_at(i - 1, Word::Exclude));
        filter.kind = negated ? Filter::Kind::NotEqual : Filter::Kind::Equal;
        filter.field = s.field;
        filter.low = *value;
        filter.begin = s.begin;
        q_.filters.push_back(filter);
    }
}

// "zero stock", 库存为零
void Reader::find_zeros() {
    for (const Tag& t : tags_) {
        if (t.word != Word::Zero) continue;
        for (Said& s : said_) {
            const bool is_beside = s.begin == t.end || (s.end <= t.begin && t.begin - s.end <= 2);
            if (s.is_value || s.is_used || !s.column->is_number() || !is_beside) continue;
            Filter filter;
            filter.kind = Filter::Kind::Equal;
            filter.field = s.field;
            filter.begin = s.begin;
            q_.filters.push_back(filter);
            s.is_used = true;
            says_rows_ = true;
            break;
        }
    }
}

// "excluding refunds", "only negative amounts"
void Reader::find_signs() {
    find_zeros();
    for (std::size_t i = 0; i < tokens_.size(); ++i) {  // "rainy days", "dry days"
        const std::string& word = tokens_[i].text;
        const bool is_wet = word == "rainy" || word == "wet";
        const auto rain = field_meaning("rain");
        if (!rain || (!is_wet && word != "dry") || is_in_value(i)) continue;
        Filter filter;
        filter.kind = is_wet ? Filter::Kind::Greater : Filter::Kind::Equal;
        filter.field = *rain;
        filter.begin = i;
        q_.filters.push_back(filter);
        for (Said& s : said_) {
            if (s.begin == i) s.is_used = true;
        }
    }
    const Tag* negative = tag(Word::Negative);
    if (negative == nullptr) return;
    for (const Said& s : said_) {
        if (s.is_value && s.begin < negative->end && negative->begin < s.end) return;
    }
    auto field = main_measure(schema_, q_.table);
    if (Said* near = number_near(negative->begin, negative->end)) field = near->field;
    if (!field || at(schema_, *field).low >= 0) return;
    Filter filter;
    filter.field = *field;
    filter.kind = follows(negative->begin, {Word::Exclude}, 4) ? Filter::Kind::GreaterOrEqual
                                                               : Filter::Kind::Less;
    filter.begin = negative->begin;
    q_.filters.push_back(filter);
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
        Filter filter;
        filter.kind = kind;
        filter.field = s.field;
        filter.values = {s.value};
        filter.begin = s.begin;
        q_.filters.push_back(filter);
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
        const bool is_verb_of_other = std::ranges::any_of(
            said_, [&](const Said& o) { return &o != &s && !o.is_value && o.field == s.field; });
        const bool is_participle =
            !is_verb_of_other && last.is_word() && last.text.ends_with("ed") &&
            s.end - s.begin == 1 &&
            std::ranges::none_of(s.column->words,
                                 [&](const Token& word) { return word.text == last.text; }) &&
            !follows(s.begin, {Word::HowMuch, Word::Sum, Word::Mean}, 4);
        // 有多少本书逾期了, 逾期率: of a column 逾期天数
        const bool is_han_state = last.is_han() && s.score < kOwnName && s.column->is_number() &&
                                  s.end < tokens_.size() &&
                                  (tokens_[s.end].text == "了" ||
                                   (tokens_[s.end].text == "率" && tokens_.size() - s.end < 6));
        const bool is_number_of =
            s.column->name.ends_with("数") && !s.column->name.ends_with("天数");
        if (is_han_state && is_number_of && tokens_[s.end].text == "率") {
            q_.absent.push_back(s.column->name + " / ?");  // 不良率: of what is not said
            continue;
        }
        if (is_han_state) {
            add_presence(s, true);
            continue;
        }
        const bool is_han_with = s.begin > 0 && tokens_[s.begin - 1].text == "有" &&
                                 s.end < tokens_.size() && tokens_[s.end].text == "的";
        if (is_han_with) {  // 有贷款的客户
            add_presence(s, true);
            continue;
        }
        if (is_with || (is_participle && s.column->is_number() && asks_to_count())) {
            add_presence(s, true);
        }
    }
}

void Reader::add_presence(Said& s, bool is_there) {
    const Column& column = *s.column;
    Filter filter;
    filter.field = s.field;
    filter.begin = s.begin;
    if (column.missing > 0) {
        filter.kind = is_there ? Filter::Kind::Present : Filter::Kind::Missing;
    } else if (column.is_number() && column.low == 0) {
        filter.kind = is_there ? Filter::Kind::Greater : Filter::Kind::Equal;
    } else {
        return;
    }
    q_.filters.push_back(filter);
    s.is_used = true;
    says_rows_ = true;
}

}  // namespace atl::offline

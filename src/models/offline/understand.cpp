#include "models/offline/understand.hpp"
#include "models/offline/data.hpp"

#include "models/offline/reader.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace atl::offline {

Question Reader::read() {
    drop_units();
    choose_table_and_mentions();
    find_chart();
    find_time();
    find_comparisons();
    find_value_filters();
    find_presence();
    find_roles();
    find_person();
    find_order();
    find_measures();
    decide_intent();
    const bool same_table = before_ != nullptr && before_->table == q_.table;
    if (same_table && builds_on_before()) {
        const auto& figures =
            before_->measures;  // 各城市平均气温, then PM10呢: the same of another
        if (!figures.empty() && figures[0].aggregation == Aggregation::Mean) open_.reset();
        q_ = follow_up(*before_, q_, parts());
    }
    complete();
    return q_;
}

bool Reader::is_english_around() const {
    std::size_t english = 0;
    std::size_t chinese = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        const bool is_tagged = has_tag(i);
        if (!is_tagged) continue;
        if (i == 0 && tokens_[i].is_han()) return false;
        english += tokens_[i].is_word() ? 1 : 0;
        chinese += tokens_[i].is_han() ? 1 : 0;
    }
    return english >= 2 && english > chinese;
}

bool Reader::has(Word word) const {
    return std::ranges::any_of(tags_, [&](const Tag& tag) { return tag.word == word; });
}

bool Reader::has(std::initializer_list<Word> words) const {
    return std::ranges::any_of(words, [&](Word word) { return has(word); });
}

const Tag* Reader::tag(Word word) const {
    for (const Tag& t : tags_) {
        if (t.word == word) return &t;
    }
    return nullptr;
}

bool Reader::is_at(std::size_t token, Word word) const {
    return std::ranges::any_of(
        tags_, [&](const Tag& t) { return t.word == word && t.begin <= token && token < t.end; });
}

bool Reader::has_tag(std::size_t token) const {
    return std::ranges::any_of(tags_,
                               [&](const Tag& t) { return t.begin <= token && token < t.end; });
}

bool Reader::groups_by_time() const {
    return std::ranges::any_of(q_.groups, [](const Group& g) { return g.grain != Grain::None; });
}

std::string Reader::text(std::size_t begin, std::size_t end) const {
    std::string out;
    for (std::size_t i = begin; i < std::min(end, tokens_.size()); ++i) out += tokens_[i].text;
    return out;
}

bool Reader::is_filler(std::size_t i) const {
    if (tokens_[i].is_sign()) return true;
    return is_at(i, Word::Noise) || is_at(i, Word::Of) || is_noise(tokens_[i]);
}

// One of the words ends right before `token`, fillers apart.
bool Reader::follows(std::size_t token, std::initializer_list<Word> words,
                     std::size_t reach) const {
    for (std::size_t i = token, steps = 0; i > 0 && steps < reach; --i, ++steps) {
        for (const Word word : words) {
            if (is_at(i - 1, word)) return true;
        }
        if (!is_filler(i - 1)) return false;
    }
    return false;
}

bool Reader::precedes(std::size_t token, std::initializer_list<Word> words,
                      std::size_t reach) const {
    for (std::size_t i = token, steps = 0; i < tokens_.size() && steps < reach; ++i, ++steps) {
        for (const Word word : words) {
            if (is_at(i, word)) return true;
        }
        if (!is_filler(i)) return false;
    }
    return false;
}

bool Reader::is_in_time(std::size_t token) const {
    return std::ranges::any_of(
        times_, [&](const TimeSpan& t) { return t.begin <= token && token < t.end; });
}

// "26-35" may be an age group
bool Reader::is_in_value(std::size_t token) const {
    return std::ranges::any_of(
        said_, [&](const Said& s) { return s.is_value && s.begin <= token && token < s.end; });
}

// The number at a token, with what multiplies it: 5 thousand, 3万, 1.5 million.
std::optional<double> Reader::number_at(std::size_t i, std::size_t& end) const {
    if (i >= tokens_.size() || is_in_time(i) || is_in_value(i)) return std::nullopt;
    const bool is_in_name = std::ranges::any_of(
        said_, [&](const Said& s) { return s.begin <= i && i < s.end && s.end - s.begin > 1; });
    if (is_in_name) return std::nullopt;  // the 5 of PM2.5
    std::optional<double> value;
    if (tokens_[i].is_number()) {
        value = tokens_[i].number;
        end = i + 1;
    } else if (tokens_[i].is_han()) {
        double total = 0;
        double digits = 0;  // read since the last 十, 百 or 千
        double place = 1;   // 一千五 is 1500, 一千零五 is 1005
        for (end = i; end < tokens_.size() && tokens_[end].is_han(); ++end) {
            const auto word = number_word(tokens_[end]);
            if (!word) break;
            if (*word >= 10) {
                total += std::max(digits, 1.0) * *word;
                digits = 0;
                place = *word / 10;
            } else {
                if (*word == 0 || digits > 0) place = 1;
                digits = digits * 10 + *word;
            }
        }
        if (end == i) return std::nullopt;
        value = total + digits * place;
    } else if (const auto word = number_word(tokens_[i])) {
        value = *word;
        end = i + 1;
    }
    if (!value) return std::nullopt;
    static const auto& kTimes = word_pairs("number times");
    for (const auto& [word, times] : kTimes) {
        if (end < tokens_.size() && tokens_[end].text == word) {
            ++end;
            return *value * std::stod(times);
        }
    }
    return *value;
}

std::optional<Field> main_measure(const Schema& schema, std::size_t table) {
    if (table >= schema.tables.size()) return std::nullopt;
    // what people mean by "how much", in this order; *: whatever adds up
    static const auto& kUsual = word_row("main measure usual");
    const auto& columns = schema.tables[table].columns;
    for (std::size_t c = 0; c < columns.size(); ++c) {  // it says so itself
        static const auto& kNames = word_list("main measure names");
        const auto& words = columns[c].words;
        if (!columns[c].is_number() || words.empty() || !columns[c].means("amount")) continue;
        if (columns[c].means("discount") || columns[c].means("refund") || columns[c].means("tax")) {
            continue;
        }
        if (columns[c].name.find("金额") != std::string::npos ||
            columns[c].name.find("销售额") != std::string::npos ||
            std::ranges::any_of(words, [](const Token& w) { return kNames.contains(w.stem); })) {
            return Field{table, c};
        }
    }
    for (const std::string_view about : kUsual) {
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const Column& column = columns[c];
            if (!column.is_number() || column.is_id) continue;
            const bool adds_up = about == "*" && column.nature() == Nature::Additive &&
                                 !column.is_flag() && column.distinct > 2;
            const bool is_side = column.means("discount") || column.means("refund");
            if ((adds_up && !is_side) ||
                (!is_side && !column.meanings.empty() && column.meanings[0]->name == about)) {
                return Field{table, c};
            }
        }
    }
    std::optional<Field> first;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const Column& column = columns[c];
        if (!column.is_number() || column.is_id || column.is_flag()) continue;
        const bool is_year = column.is_year();
        if (is_year) continue;
        if (!first || (!at(schema, *first).is_whole ? false : !column.is_whole)) {
            first = Field{table, c};
        }
    }
    return first;
}

std::optional<Field> main_date(const Schema& schema, std::size_t table) {
    if (table >= schema.tables.size()) return std::nullopt;
    const auto& columns = schema.tables[table].columns;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        if (columns[c].is_date()) return Field{table, c};
    }
    return std::nullopt;
}

Grain natural_grain(const Column& date) {
    const auto from = day_of(date.from);
    const auto to = day_of(date.to);
    if (!from || !to) return Grain::Month;
    const auto length = (*to - *from).count();
    if (length <= 2 && date.has_time) return Grain::Hour;
    if (length <= 62) return Grain::Day;
    if (length <= 366 * 4) return Grain::Month;
    return Grain::Year;
}

Question understand(std::string_view text, const Schema& schema, const Question* before) {
    if (schema.tables.empty()) return {};
    return Reader(text, schema, before).read();
}

}  // namespace atl::offline

#include "models/offline/data.hpp"
#include "models/offline/reader.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace atl::offline {
namespace {

constexpr std::size_t kRowsMax = 50;

bool is_total(const Column& column) {
    return column.is_number() && (column.means("price") || column.means("amount")) &&
           std::ranges::any_of(column.words, [](const Token& word) {
               return word.text == "total" || word.text == "总";
           });
}

// What a superlative is about: "longest", a length of time or way.
const WordPairs& adjectives() {
    static const auto& pairs = word_pairs("adjectives");
    return pairs;
}

}  // namespace

void Reader::complete() {
    if (q_.intent == Intent::Unknown && !q_.filters.empty()) q_.intent = Intent::Rows;
    // "percentage of the total by category": of rows, or of what they add up to?
    if (q_.intent == Intent::Share && q_.measures.empty()) refuse(Word::Sum);
    // "what about women?" after nothing that was understood asks for no list of rows
    const bool goes_on = before_ == nullptr && !tokens_.empty() && !has(Word::Show) &&
                         (is_at(0, Word::FollowUp) || is_at(0, Word::Only) ||
                          tokens_[0].text == "and" || tokens_.back().text == "呢");
    if (q_.intent == Intent::Rows && goes_on) q_.intent = Intent::Unknown;
    const bool of_rows = q_.intent == Intent::Rows || q_.intent == Intent::Shape;
    if (of_rows && q_.periods.size() > 1) {  // rows of which of these times?
        q_.absent.push_back(q_.periods[0].label + " / " + q_.periods[1].label);
    }
    if (q_.intent == Intent::Growth) complete_growth();
    if (q_.intent == Intent::Aggregate || q_.intent == Intent::Share ||
        q_.intent == Intent::Growth) {
        if (q_.measures.empty()) choose_measure();
        for (std::size_t i = 0; i < q_.filters.size(); ++i) group_by_values(i);
    }
    // a part of an average is nothing: "percentage of flights delayed more than 15 minutes"
    const bool is_of_mean = q_.intent == Intent::Share && !q_.part.empty() &&
                            q_.measures.size() == 1 &&
                            q_.measures[0].aggregation != Aggregation::Sum &&
                            q_.measures[0].aggregation != Aggregation::Count &&
                            q_.measures[0].aggregation != Aggregation::Distinct;
    if (is_of_mean) q_.measures = {{Aggregation::Count, {}}};
    if (q_.intent == Intent::Rows && q_.order != Order::None && q_.measures.empty()) {
        find_open_superlative();
        const auto named = superlative_field();
        if (const auto field = named ? named : main_measure(schema_, q_.table)) {
            q_.measures.push_back({Aggregation::Maximum, *field});
        }
    }
    if (q_.intent == Intent::Rows && extremes_ && q_.order == Order::None && !q_.measures.empty()) {
        q_.order =
            q_.measures[0].aggregation == Aggregation::Minimum ? Order::Lowest : Order::Highest;
        if (!q_.count) q_.count = 1;
    }
    const bool is_han = q_.language == Language::Chinese;
    if (q_.intent == Intent::Outliers || q_.intent == Intent::Distribution) {
        if (q_.fields.empty()) q_.absent.emplace_back(is_han ? "数值列" : "a number column");
    }
    // "2024 compared to 2023": from the earlier to the later
    if (q_.intent == Intent::Aggregate && q_.periods.size() == 2) {
        std::ranges::stable_sort(
            q_.periods, [](const TimeSpan& a, const TimeSpan& b) { return a.from < b.from; });
    }
    if (q_.intent == Intent::Aggregate) complete_aggregate();
    if (q_.intent == Intent::Correlation && q_.fields.size() != 2) {
        q_.absent.emplace_back(is_han ? "要比较的两列" : "the two columns to relate");
    }
    find_open_figure();
    find_namesakes();
    if (q_.count) q_.count = std::min(*q_.count, kRowsMax);
    find_limits();
    find_names();
}

// "honey per apiary": the total or the average of weights? Where neither is said, that is asked.
void Reader::find_open_figure() {
    const bool is_figure =
        q_.intent == Intent::Aggregate || q_.intent == Intent::Share || q_.intent == Intent::Growth;
    const bool is_taken = std::ranges::any_of(q_.measures, [&](const Measure& m) {
        return m.field == open_ && m.aggregation == Aggregation::Mean;
    });
    if (!open_ || !is_figure || !is_taken) return;
    static const auto& kAveraged = word_list("plainly averaged");  // nobody adds up temperatures
    const Column& column = at(schema_, *open_);
    const bool is_average = std::ranges::any_of(kAveraged, [&](const std::string& about) {
        return column.means(about) || std::ranges::any_of(column.words, [&](const Token& word) {
                   return word.text == about;
               });
    });
    const bool is_extreme = has({Word::Maximum, Word::Minimum});  // max_temp
    if (is_average && !is_extreme && (q_.order == Order::None || !groups_by_time())) return;
    q_.open = open_;
    q_.intent = Intent::Unknown;
}

void Reader::complete_growth() {
    q_.of_growth = q_.order != Order::None;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        for (const char* phrase : {"同比", "yoy", "year over year", "year on year"}) {
            q_.against_last_year |= matches_at(tokens_, i, tokens_of(phrase));
        }
    }
    // 9月环比8月: from the earlier to the later, however it is said
    std::ranges::stable_sort(q_.periods,
                             [](const TimeSpan& a, const TimeSpan& b) { return a.from < b.from; });
    if (!q_.periods.empty()) {
        // "year over year, 2024 vs 2023": the periods are said
        std::erase_if(q_.groups, [](const Group& g) { return g.grain == Grain::Year; });
        return;
    }
    const auto date = main_date(schema_, q_.table);
    const bool has_grain = groups_by_time();
    if (has_grain || !date) return;
    // growth in 2024: against the year before
    for (std::size_t i = 0; i < q_.filters.size(); ++i) {
        const Filter& f = q_.filters[i];
        if (f.kind != Filter::Kind::Dates || !f.time.from || !f.time.to) continue;
        const auto length = *f.time.to - *f.time.from;
        TimeSpan now = f.time;
        TimeSpan then = f.time;
        using namespace std::chrono;
        if (length.count() > 27) {
            const int step = length.count() > 360 ? 12 : length.count() > 88 ? 3 : 1;
            then.to = now.from;
            then.from = sys_days(year_month_day(*now.from) - months(step));
            if (q_.against_last_year) {
                then.from = sys_days(year_month_day(*now.from) - months(12));
                then.to = sys_days(year_month_day(*now.to) - months(12));
            }
        } else {
            then.to = now.from;
            then.from = *now.from - length;
        }
        now.label = label_of(*now.from, *now.to);
        then.label = label_of(*then.from, *then.to);
        q_.periods = {then, now};
        q_.fields.push_back(f.field);
        q_.filters.erase(q_.filters.begin() + static_cast<std::ptrdiff_t>(i));
        return;
    }
    const Grain grain = q_.against_last_year ? Grain::Year : natural_grain(at(schema_, *date));
    q_.groups.insert(q_.groups.begin(), {*date, grain});
}

// Several values of one column, and no group: one figure for each of them.
void Reader::group_by_values(std::size_t i) {
    const Filter& f = q_.filters[i];
    if (f.kind != Filter::Kind::OneOf || f.values.size() < 2 || q_.groups.size() > 1) return;
    const bool is_by_time =
        std::ranges::all_of(q_.groups, [](const Group& g) { return g.grain != Grain::None; });
    if (is_by_time) q_.groups.push_back({f.field, Grain::None});
}

std::optional<Field> Reader::superlative_field() const {
    if (has({Word::Expensive, Word::Cheap})) {
        // of a whole booking its total, not the price of a night
        const auto& columns = schema_.tables[q_.table].columns;
        for (std::size_t c = 0; c < columns.size(); ++c) {
            if (columns[c].is_number() && is_total(columns[c])) return Field{q_.table, c};
        }
        for (const char* about : {"price", "rent", "cost", "amount"}) {
            if (auto field = field_meaning(about)) return field;
        }
    }
    if (has({Word::Oldest, Word::Youngest})) return field_meaning("age");
    for (const auto& [word, about] : adjectives()) {
        const bool said =
            std::ranges::any_of(tokens_, [&](const Token& t) { return t.text == word; });
        if (!said) continue;
        const auto field = field_meaning(about);
        if (field && !at(schema_, *field).means("delay")) return field;  // a delay is no length
    }
    if (has({Word::Newest, Word::Earliest})) return main_date(schema_, q_.table);
    return std::nullopt;
}

// The longest of what, where nothing in the table is long? But "largest" may be of any figure.
void Reader::find_open_superlative() {
    static const auto& kAny = word_list("find open superlative any");
    for (const Token& token : tokens_) {
        if (kAny.contains(token.text)) continue;
        bool is_adjective = false;
        bool has_field = false;
        for (const auto& [word, about] : adjectives()) {
            if (word != token.text) continue;
            is_adjective = true;
            const auto field = field_meaning(about);
            has_field = has_field || (field && !at(schema_, *field).means("delay"));
        }
        if (is_adjective && !has_field) q_.absent.push_back(token.as_written);
    }
    if (!field_meaning("age")) {
        refuse(Word::Oldest);
        refuse(Word::Youngest);
    }
    // of a row its price, its total, or the price of a piece in it?
    std::size_t prices = 0;
    for (const Column& c : schema_.tables[q_.table].columns) {
        prices += is_money(c) && !c.means("discount") && !c.means("tax") ? 1 : 0;
        if (is_total(c)) prices = 0;
        if (is_total(c)) break;
    }
    if (prices > 1) {
        refuse(Word::Expensive);
        refuse(Word::Cheap);
    }
}

void Reader::choose_measure() {
    find_open_superlative();
    // "deliveries per month" of a column last_delivery
    const bool counts_dates = !dates_said_.empty() && !q_.groups.empty() && !asks_money() &&
                              q_.groups[0].grain != Grain::None && aggregations_said_.empty();
    // "pie chart of contract types": how many of each
    const bool charts_names = q_.chart != ChartKind::None && !q_.groups.empty() &&
                              q_.order == Order::None && aggregations_said_.empty() &&
                              !asks_money() && !has({Word::By, Word::Each, Word::Per}) &&
                              std::ranges::all_of(q_.groups, [&](const Group& g) {
                                  return g.grain == Grain::None && at(schema_, g.field).is_text();
                              });
    const bool counts_rows = (q_.intent == Intent::Share && !asks_money()) || counts_dates ||
                             charts_names || has({Word::Common, Word::Rare}) || row_noun_counts();
    auto field = says_how_long() ? only_duration() : superlative_field();
    const auto main = main_measure(schema_, q_.table);
    if (!field && main && asks_money() && is_money(at(schema_, *main))) field = main;
    // "top three authors", 借得最多: how often, where nothing in the table adds up
    const bool is_plain_top =
        !field && aggregations_said_.empty() && !q_.groups.empty() &&
        !(main && is_usual_measure(at(schema_, *main))) &&
        (has({Word::Top, Word::Bottom}) || std::ranges::any_of(tags_, [&](const Tag& t) {
             return (t.word == Word::Highest || t.word == Word::Lowest) && says_number(t);
         }));
    if (counts_rows || is_plain_top || !main || (field && at(schema_, *field).is_date())) {
        q_.measures.push_back({Aggregation::Count, {}});
        return;
    }
    if (!field) {  // which of the numbers is not guessed
        const bool is_han = q_.language == Language::Chinese;
        q_.absent.emplace_back(is_han ? "要计算的数值列" : "a number column to compute");
        return;
    }
    q_.chose_measure = true;
    if (aggregations_said_.empty()) {
        const bool adds_up = at(schema_, *field).nature() == Nature::Additive;
        if (!adds_up) open_ = field;
        q_.measures.push_back({adds_up ? Aggregation::Sum : Aggregation::Mean, *field});
    }
    for (const Aggregation a : aggregations_said_) { q_.measures.push_back({a, *field}); }
}

// What people mean by "most" without saying of what.
bool Reader::is_usual_measure(const Column& column) {
    static const std::set<std::string_view> kUsual = {"amount", "profit", "quantity",  "cost",
                                                      "visits", "energy", "passengers"};
    return column.nature() == Nature::Additive &&
           std::ranges::any_of(column.meanings,
                               [](const Concept* about) { return kUsual.contains(about->name); });
}

// "which region has the most orders": rows, not money
bool Reader::row_noun_counts() const {
    if (!aggregations_said_.empty()) return false;
    if (says_rows_) return true;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        if (is_row_word(i)) return true;
    }
    const auto main = main_measure(schema_, q_.table);
    return main && at(schema_, *main).nature() != Nature::Additive &&
           (has(Word::Share) || q_.intent == Intent::Share);
}

bool Reader::is_row_word(std::size_t i) const {
    // a customer is no row where customers come back
    for (const Said& s : said_) {
        if (s.begin <= i && i < s.end && (s.is_value || !is_row_noun(s))) return false;
    }
    static const auto& kNouns = word_list("is row word nouns");
    static const std::array<const char*, 8> kHan = {"订单", "交易", "记录", "员工",
                                                    "请求", "人员", "人数", "笔"};
    if (kNouns.contains(tokens_[i].stem)) return true;
    for (const Token& word : schema_.tables[q_.table].words) {
        if (word.stem == tokens_[i].stem && word.is_word() && word.text.size() > 2) return true;
    }
    return is_row_name(i) ||
           std::ranges::any_of(
               kHan, [&](const char* noun) { return matches_at(tokens_, i, tokens_of(noun)); }) ||
           row_noun_at(i) > 0;
}

// 借阅 where the file or the rows' number is named after it: how many tokens it is.
std::size_t Reader::row_noun_at(std::size_t i) const {
    for (const auto& noun : schema_.tables[q_.table].row_nouns) {
        if (matches_at(tokens_, i, noun)) return noun.size();
        if (noun.size() < 4) continue;  // 外卖订单: also 外卖, 订单
        const std::vector<Token> head(noun.begin(), noun.begin() + 2);
        const std::vector<Token> tail(noun.end() - 2, noun.end());
        if (matches_at(tokens_, i, head) || matches_at(tokens_, i, tail)) return 2;
    }
    for (const auto& noun : schema_.tables[q_.table].row_names) {
        if (noun[0].is_han() && matches_at(tokens_, i, noun)) return noun.size();
    }
    return 0;
}

bool Reader::is_row_name(std::size_t i) const {
    const auto& names = schema_.tables[q_.table].row_names;
    return std::ranges::any_of(names,
                               [&](const auto& noun) { return matches_at(tokens_, i, noun); });
}

// "most", 最多: a comparison of numbers, not of quality
bool Reader::says_number(const Tag& t) const {
    static const std::set<std::string> kWords = {"most", "least", "fewest", "最多", "最少"};
    return kWords.contains(text(t.begin, t.end));
}

void Reader::complete_aggregate() {
    // "which has the highest and which the lowest": both stand in the answer to all of them
    const bool both = has(Word::Highest) && has(Word::Lowest) && !has(Word::Rank);
    if (both && !q_.groups.empty() && !q_.count) q_.order = Order::None;
    // "average daily sales": of the rows, or of the days' totals?
    const bool is_mean =
        has(Word::Mean) && q_.groups.size() == 1 && q_.groups[0].grain != Grain::None;
    if (is_mean && q_.chart == ChartKind::None && q_.measures.size() == 1 && says_rate_of_time()) {
        refuse(Word::Mean);
    }
    const bool asks_one = has({Word::Which, Word::Who, Word::When, Word::What, Word::HowMuch}) ||
                          (q_.order != Order::None && !q_.groups.empty());
    // "the best product in each region": the first of each group is not picked out here
    const bool is_extreme = q_.measures.size() == 1 && q_.measures[0].field &&
                            (q_.measures[0].aggregation == Aggregation::Maximum ||
                             q_.measures[0].aggregation == Aggregation::Minimum);
    if (q_.groups.size() > 1 && !groups_by_time() && (q_.order != Order::None || is_extreme) &&
        !has(Word::Rank)) {
        for (const Word word : {Word::Highest, Word::Lowest, Word::Top, Word::Bottom}) {
            refuse(word);
        }
    }
    // "the largest donation, and which donor made it": one row, and no group
    for (const Tag& t : tags_) {
        const bool is_one = q_.order != Order::None && !q_.groups.empty() && !groups_by_time() &&
                            q_.count.value_or(1) == 1 && !said_aggregation_ && names_one_row(t);
        if (is_one) refuse(t.word);
    }
    if (q_.order != Order::None && !q_.count && !q_.groups.empty()) {
        if (!has(Word::Rank)) q_.wants_one = asks_one;
    }
    // a superlative about one figure: the extreme itself
    if (q_.order != Order::None && q_.groups.empty() && q_.measures.size() == 1 &&
        q_.measures[0].field && !said_aggregation_) {
        q_.measures[0].aggregation =
            q_.order == Order::Highest ? Aggregation::Maximum : Aggregation::Minimum;
        if (q_.count && *q_.count > 1) q_.intent = Intent::Rows;
    }
}

// "daily", "per day", 日均; not "by day"
bool Reader::says_rate_of_time() const {
    static const auto& kBy = word_list("by time");
    const Measure& m = q_.measures[0];
    const bool counts = !m.field;
    const bool adds_up = counts || at(schema_, *m.field).nature() == Nature::Additive;
    return std::ranges::any_of(tags_, [&](const Tag& t) {
        const bool is_grain = t.word == Word::Daily || t.word == Word::Weekly ||
                              t.word == Word::Monthly || t.word == Word::Quarterly ||
                              t.word == Word::Yearly || t.word == Word::Hourly;
        // "monthly average" is one for each month, "average monthly" one in all
        const bool is_adjective = tokens_[t.begin].is_word() && t.end - t.begin == 1;
        return is_grain && !kBy.contains(tokens_[t.begin].text) && (adds_up || is_adjective) &&
               (counts || tag(Word::Mean)->begin <= t.begin);
    });
}

bool Reader::is_known(std::size_t i) const {
    return has_tag(i) || (said_at(i) != nullptr) || is_in_time(i) || is_noise(tokens_[i]) ||
           is_table_word(i) || is_row_word(i);
}

bool Reader::is_table_word(std::size_t i) const {
    return std::ranges::any_of(schema_.tables, [&](const Table& table) {
        return std::ranges::any_of(table.words,
                                   [&](const Token& word) { return word.stem == tokens_[i].stem; });
    });
}

// Unknown words that are written like names: a capital, a digit, quotes.
void Reader::find_names() {
    for (std::size_t i = 0; i < tokens_.size() && q_.names.size() < 3;) {
        std::size_t end = i;
        std::string name;
        bool looks_so = false;
        while (end < tokens_.size() && tokens_[end].is_quoted && !is_in_value(i) &&
               said_at(i) == nullptr) {
            name += (name.empty() ? "" : " ") + tokens_[end].as_written;
            looks_so = true;
            ++end;
        }
        while (end < tokens_.size() && tokens_[end].is_word() && !is_known(end)) {
            const Token& token = tokens_[end];
            const bool has_capital = token.as_written != token.text;
            const bool has_digit = token.text.find_first_of("0123456789") != std::string::npos;
            looks_so = looks_so || token.is_quoted || has_digit || (has_capital && end > 0);
            name += (name.empty() ? "" : " ") + token.as_written;
            ++end;
        }
        if (looks_so && name.size() >= 2 && name.size() <= 60) q_.names.push_back(name);
        i = std::max(end, i + 1);
    }
}

}  // namespace atl::offline

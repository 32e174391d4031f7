// What a row is: "flights" where a flight number comes back every day, people who stand in several
// rows, and one row of which something is asked ("the largest donation, and which donor made it").
#include "models/offline/data.hpp"
#include "models/offline/reader.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace atl::offline {

bool Reader::is_rows_of_number(const Mention& m, const Candidate& chosen) const {
    constexpr std::size_t kOften = 10;  // an order of some lines is still one order
    const Column& column = at(schema_, chosen.field);
    const Table& table = schema_.tables[chosen.field.table];
    const bool is_number = !m.is_value && column.is_id && chosen.field.table == q_.table &&
                           column.distinct * kOften <= table.rows;
    if (!is_number || has(Word::Distinct)) return false;
    const bool is_han = row_noun_at(m.begin) == m.end - m.begin;
    const bool is_named_after =
        is_han || (m.end - m.begin == 1 && is_row_name(m.begin) && is_table_word(m.begin));
    const bool is_one_each =
        std::ranges::any_of(table.columns, [&](const Column& c) {  // another one tells rows apart
            return c.is_id && c.distinct * 100 >= table.rows * 98;
        });
    // "passengers per flight": of a row, where "flights per flight number" are of the number
    const bool is_per_row = m.begin > 1 && tokens_[m.begin - 1].text == "per" && !said_.empty() &&
                            said_.back().end + 1 == m.begin && !said_.back().is_value &&
                            said_.back().column->is_number();
    return is_named_after && !is_one_each &&
           (is_per_row ||
            !follows(m.begin, {Word::By, Word::Each, Word::Per, Word::Which, Word::Top}, 2));
}

// What tells persons apart and comes back: the only id of that kind, or their names.
std::optional<Field> Reader::person_id() const {
    static const auto& kPeople = word_list("person id people");
    const Table& table = schema_.tables[q_.table];
    std::optional<Field> found;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const Column& column = table.columns[c];
        if (column.is_date() || column.distinct < 2 || column.distinct * 10 > table.rows * 8) {
            continue;
        }
        const bool is_number_of_person = column.name.find("工号") != std::string::npos ||
                                         column.name.find("学号") != std::string::npos;
        const bool is_person =
            is_number_of_person || (column.is_id && std::ranges::any_of(kPeople, [&](auto about) {
                                        return column.means(about);
                                    }));
        if (!is_person) continue;
        if (found) return std::nullopt;  // whose?
        found = Field{q_.table, c};
    }
    return found;
}

bool Reader::counts_people(std::size_t i) const {
    static const auto& kPeople = word_list("counts people people");
    if (kPeople.contains(tokens_[i].text)) return true;
    for (const char* word : {"员工", "职工", "个人", "同事"}) {
        if (matches_at(tokens_, i, tokens_of(word))) return true;
    }
    return false;
}

void Reader::count_people() {
    const bool counts_rows =
        q_.measures.size() == 1 && q_.measures[0].aggregation == Aggregation::Count && !counted_;
    const auto person = person_id();
    // "how many people waited more than an hour": each time counts
    const bool is_of_times = std::ranges::any_of(q_.filters, [](const Filter& f) {
        return f.kind != Filter::Kind::OneOf && f.kind != Filter::Kind::NoneOf &&
               f.kind != Filter::Kind::Dates;
    });
    if (!counts_rows || !person || is_of_times) return;
    const bool is_said = std::ranges::any_of(tags_, [&](const Tag& t) {
        if (t.word != Word::HowMany) return false;
        const std::string& last = tokens_[t.end - 1].text;
        const bool is_unit = last == "人" || last == "名" || last == "位";
        return is_unit || (t.end < tokens_.size() && counts_people(t.end)) ||
               (t.end + 1 < tokens_.size() && is_filler(t.end) && counts_people(t.end + 1));
    });
    if (!is_said) return;
    q_.measures = {{Aggregation::Distinct, *person}};
    std::erase_if(q_.groups, [&](const Group& g) { return g.field == *person; });
}

// "the 5 employees with the most overtime", 加班最多的5个人: of all rows of a person
bool Reader::ranks_people() const {
    if (!person_id() || !has({Word::Top, Word::Bottom, Word::Highest, Word::Lowest})) return false;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        const bool is_counted = follows(i, {Word::HowMany}, 1);
        if (!is_counted && counts_people(i) && said_at(i) == nullptr) return true;
    }
    return false;
}

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

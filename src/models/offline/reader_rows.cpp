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
    return is_named_after &&
           !follows(m.begin, {Word::By, Word::Each, Word::Per, Word::Which, Word::Top}, 2);
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
    if (t.word != Word::Highest && t.word != Word::Lowest && t.word != Word::Expensive &&
        t.word != Word::Cheap) {
        return false;
    }
    std::size_t i = t.end;
    while (i < tokens_.size() && kSingle.contains(tokens_[i].text)) ++i;
    if (i >= tokens_.size()) return false;
    return tokens_[i].text == "一" || (i > t.end && said_at(i) == nullptr && is_row_word(i));
}

}  // namespace atl::offline

// "how many people", 多少名员工, of a table where a person stands in several rows: each is counted
// once.
#include "models/offline/data.hpp"
#include "models/offline/reader.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace atl::offline {

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
    q_.measures = {{Aggregation::Distinct, *person, std::nullopt}};
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

// "average overtime pay per person", 人均加班费: of each person's total
void Reader::average_people() {
    const auto person = person_id();
    const bool is_mean = q_.measures.size() == 1 && q_.measures[0].field && q_.groups.empty() &&
                         q_.measures[0].aggregation == Aggregation::Mean;
    if (!person || !is_mean || q_.averaged) return;
    const Column& column = at(schema_, *q_.measures[0].field);
    if (column.nature() != Nature::Additive && !column.means("hours")) return;
    bool is_said = false;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        const bool is_of_person = counts_people(i) && follows(i, {Word::Per, Word::Each}, 2);
        is_said = is_said || is_of_person || matches_at(tokens_, i, tokens_of("人均")) ||
                  matches_at(tokens_, i, tokens_of("每人"));
    }
    if (!is_said) return;
    q_.averaged = Group{*person, Grain::None, 0};
    q_.measures[0].aggregation = Aggregation::Sum;
}

}  // namespace atl::offline

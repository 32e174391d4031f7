// "goals", where the columns are home_goals and away_goals: both together, or said to be open.
#include "models/offline/reader.hpp"

#include <algorithm>
#include <set>

namespace atl::offline {
namespace {

// Parts of one thing add up; these are not parts: gross and net, planned and actual.
bool is_no_part(const Token& word) {
    static const std::set<std::string> kWords = {
        "gross",   "net",     "list",    "unit",   "new",      "active",  "churned", "expected",
        "planned", "actual",  "budget",  "target", "previous", "last",    "first",   "start",
        "end",     "low",     "high",    "min",    "max",      "open",    "close",   "opening",
        "closing", "average", "used",    "free",   "loan",     "deposit", "monthly", "yearly",
        "annual",  "daily",   "weekly",  "贷",     "存",       "预",      "实",      "目",
        "计",      "refund",  "returned"};
    return kWords.contains(word.stem) || kWords.contains(word.text);
}

}  // namespace

// The number columns whose names end in what is said, where no name is said in full.
std::vector<Field> Reader::namesakes(const Said& s) const {
    const std::size_t length = s.end - s.begin;
    const bool is_short = tokens_[s.begin].kind == Token::Kind::Han && length < 2;
    if (s.is_value || s.field.table != q_.table || !s.column->is_number() || is_short) return {};
    const auto& columns = schema_.tables[q_.table].columns;
    std::vector<Field> found;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const auto& words = columns[c].strong;
        if (!columns[c].is_number() || columns[c].is_id || words.size() <= length) continue;
        const std::size_t front = words.size() - length;
        bool is_tail = true;
        for (std::size_t i = 0; i < length; ++i) {
            is_tail = is_tail && words[front + i].stem == tokens_[s.begin + i].stem;
        }
        if (!is_tail) continue;
        for (std::size_t i = 0; i < tokens_.size(); ++i) {  // "goals at home"
            const bool is_named = (i < s.begin || i >= s.end) &&
                                  std::any_of(words.begin(), words.end(), [&](const Token& word) {
                                      return word.stem == tokens_[i].stem;
                                  });
            if (is_named) return {};
        }
        found.push_back({q_.table, c});
    }
    const bool is_one = std::find(found.begin(), found.end(), s.field) != found.end();
    return is_one && found.size() > 1 ? found : std::vector<Field>();
}

bool Reader::adds_up(const std::vector<Field>& fields) const {
    return fields.size() == 2 && std::all_of(fields.begin(), fields.end(), [&](Field field) {
               const Column& column = at(schema_, field);
               return column.nature() == Nature::Additive && !is_no_part(column.strong[0]);
           });
}

void Reader::add_namesakes() {
    for (const Said& s : said_) {
        const auto fields = namesakes(s);
        if (fields.empty()) continue;
        if (!adds_up(fields)) {
            for (const Field field : fields) {
                if (field != s.field) q_.also.push_back(field);
            }
            return;
        }
        const Field other = fields[0] == s.field ? fields[1] : fields[0];
        const bool makes_figure = q_.intent == Intent::Aggregate || q_.intent == Intent::Rows ||
                                  q_.intent == Intent::Share || q_.intent == Intent::Growth;
        if (!makes_figure) {
            q_.also.push_back(other);
            return;
        }
        const auto is_own = [&](const Measure& m) {
            return m.field == s.field && !m.times && !m.minus && !m.plus &&
                   m.aggregation != Aggregation::Distinct && m.aggregation != Aggregation::Rate;
        };
        for (Measure& m : q_.measures) {
            if (is_own(m)) m.plus = other;
        }
        if (q_.having && is_own(q_.having->measure)) q_.having->measure.plus = other;
        check_namesakes(s.field, other);
        return;
    }
}

// A sum of both is made as a figure only, and not for what belongs to one of them.
void Reader::check_namesakes(Field field, Field other) {
    const std::string both = at(schema_, field).name + " / " + at(schema_, other).name;
    if (is_filter_field(field)) q_.absent.push_back(both);
    for (const Group& g : q_.groups) {  // home_team is no team of away_goals
        const auto& words = at(schema_, g.field).words;
        for (const Field side : {field, other}) {
            const Token& front = at(schema_, side).strong[0];
            const bool is_of_side = std::any_of(words.begin(), words.end(), [&](const Token& word) {
                return word.stem == front.stem;
            });
            if (is_of_side) q_.absent.push_back(both + ", " + at(schema_, g.field).name);
        }
    }
}

}  // namespace atl::offline

// "goals", where the columns are home_goals and away_goals: both together, or said to be open.
#include "models/offline/reader.hpp"

#include <algorithm>

namespace atl::offline {

// The number columns whose names end in what is said, where no name is said in full.
std::vector<Field> Reader::namesakes(const Said& s) const {
    const std::size_t length = s.end - s.begin;
    const bool is_short = tokens_[s.begin].is_han() && length < 2;
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
            const bool is_named =
                (i < s.begin || i >= s.end) && std::ranges::any_of(words, [&](const Token& word) {
                    return word.stem == tokens_[i].stem;
                });
            if (is_named) return {};
        }
        found.push_back({q_.table, c});
    }
    const bool is_one = std::ranges::find(found, s.field) != found.end();
    return is_one && found.size() > 1 ? found : std::vector<Field>();
}

// Parts of one thing, or of several: the question must say which of them it means.
void Reader::find_namesakes() {
    for (const Said& s : said_) {
        const auto fields = namesakes(s);
        const bool may_add_up = fields.size() == 2 && s.column->nature() == Nature::Additive;
        if (may_add_up) {
            q_.absent.push_back(at(schema_, fields[0]).name + " / " + at(schema_, fields[1]).name);
            return;
        }
        for (const Field field : fields) {
            if (field != s.field) q_.also.push_back(field);
        }
        if (!fields.empty()) return;
    }
}

}  // namespace atl::offline

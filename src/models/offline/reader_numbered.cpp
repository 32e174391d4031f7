// "flights" of a table with a flight number: each row is one, though the number comes back every
// day.
#include "models/offline/reader.hpp"

#include <algorithm>

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

}  // namespace atl::offline

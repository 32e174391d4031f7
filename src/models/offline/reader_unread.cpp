// Parts of a question that are in no part of the figure: refused rather than dropped.
#include "models/offline/data.hpp"
#include "models/offline/plain_words.hpp"
#include "models/offline/reader.hpp"

#include <algorithm>
#include <set>

namespace atl::offline {
namespace {

bool is_of_dates(const Filter& f) {
    return f.kind == Filter::Kind::Dates || f.kind == Filter::Kind::Months ||
           f.kind == Filter::Kind::Weekdays;
}

bool is_of_time(const Group& g) { return g.grain != Grain::None; }

bool holds(const std::vector<Measure>& measures, Aggregation aggregation) {
    return std::ranges::find(measures, aggregation, &Measure::aggregation) != measures.end();
}

bool share_a_value(const Filter& a, const Filter& b) {
    return std::ranges::find_first_of(a.values, b.values) != a.values.end();
}

}  // namespace

void Reader::find_unread() {
    find_open_date();
    find_contradiction();
    if (before_ != nullptr) return;  // what is not said now was said before
    find_groups_of_ids();
    find_brackets();
    find_counted_attribute();
    find_unread_words();
    find_unread_periods();
}

// "fees in May", where there are a day of booking and one of the visit: which of them?
void Reader::find_open_date() {
    std::vector<Field> used;
    for (const Filter& f : q_.filters) {
        if (is_of_dates(f)) used.push_back(f.field);
    }
    for (const Group& g : q_.groups) {
        if (is_of_time(g)) used.push_back(g.field);
    }
    if (!q_.periods.empty()) used.insert(used.end(), q_.fields.begin(), q_.fields.end());
    const bool was_said =
        before_ != nullptr &&
        (!before_->periods.empty() || std::ranges::any_of(before_->filters, is_of_dates) ||
         std::ranges::any_of(before_->groups, is_of_time));
    if (used.empty() || !at(schema_, used[0]).is_date() || date_said() || was_said) return;
    static const auto& kLater = word_list("later dates");
    const Table& table = schema_.tables[q_.table];
    const bool has_value = std::ranges::any_of(
        q_.filters, [](const Filter& f) { return f.kind == Filter::Kind::OneOf; });
    for (const Column& c : table.columns) {
        const bool is_side =
            c.missing * 2 > table.rows || std::ranges::any_of(c.words, [](const Token& word) {
                return kLater.contains(word.text);
            });
        const bool is_open = c.is_date() && !c.means("birth") && (has_value || !is_side) &&
                             &c != &at(schema_, used[0]);
        const bool is_other_year = c.is_year() && c.is_number() && !times_.empty();
        if (!is_open && !is_other_year) continue;
        q_.absent.push_back(at(schema_, used[0]).name + " / " + c.name + " ?");
        return;
    }
}

// "members and non-members": no row is both.
void Reader::find_contradiction() {
    for (const Filter& a : q_.filters) {
        for (const Filter& b : q_.filters) {
            const bool are_values = a.kind == Filter::Kind::OneOf && b.kind == a.kind;
            if (&a >= &b || !are_values || a.field != b.field || share_a_value(a, b)) continue;
            q_.absent.push_back(a.values[0] + " + " + b.values[0]);
        }
    }
}

// "paid by the patient, per visit type": Patient No, of which only a part is said, is no group.
void Reader::find_groups_of_ids() {
    if (q_.groups.size() < 2 || groups_by_time()) return;
    const std::size_t rows = schema_.tables[q_.table].rows;
    for (const Group& g : q_.groups) {
        const Column& column = at(schema_, g.field);
        const bool is_id = column.is_id || (column.distinct + column.missing) * 10 >= rows * 9;
        for (const Said& s : said_) {
            const bool is_part = s.field == g.field && s.end - s.begin < column.words.size();
            if (is_id && is_part && !s.is_value) q_.absent.push_back(text(s.begin, s.end));
        }
    }
}

// "(3 excluded)", 以下(不含3分): what stands in brackets must be in the figure.
void Reader::find_brackets() {
    std::string inside;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        if (!tokens_[i].is_bracketed) continue;
        const bool is_read =
            said_at(i) != nullptr || is_in_time(i) ||
            std::ranges::any_of(q_.filters, [&](const Filter& f) { return f.begin == i; });
        if (is_read) return;
        inside += tokens_[i].text;
    }
    if (!inside.empty()) q_.absent.push_back(inside);
    for (const Tag& t : tags_) {
        std::size_t end = 0;
        const bool is_limit = t.word == Word::Exclude && tokens_[t.begin].text != "no";
        if (is_limit && q_.filters.size() < 2 && number_at(t.end, end)) {
            q_.absent.push_back(text(t.begin, end));
        }
    }
}

// "how many different members", where there is a member_type: not its values are counted.
void Reader::find_counted_attribute() {
    if (!counted_ || !holds(q_.measures, Aggregation::Distinct)) return;
    static const auto& kAttributes = word_list("attributes");
    const auto& words = counted_->column->words;
    if (words.empty() || !kAttributes.contains(words.back().text)) return;
    for (std::size_t i = counted_->begin; i < counted_->end; ++i) {
        if (tokens_[i].stem == words.back().stem) return;
    }
    q_.absent.push_back(text(counted_->begin, counted_->end));
}

void Reader::find_unread_words() {
    const auto is_said = [&](std::initializer_list<Word> words) {
        return std::ranges::any_of(words, [&](Word word) { return is_said_beside_names(word); });
    };
    const bool is_figure = q_.intent == Intent::Aggregate;
    // "the lowest and the highest price": one of them is half an answer
    const bool has_both =
        holds(q_.measures, Aggregation::Minimum) && holds(q_.measures, Aggregation::Maximum);
    if (is_said({Word::Lowest, Word::Minimum, Word::Cheap}) && !has_both && q_.groups.empty() &&
        is_said({Word::Highest, Word::Maximum, Word::Expensive})) {
        refuse(has(Word::Lowest) ? Word::Lowest : Word::Highest);
    }
    const bool has_mean =
        holds(q_.measures, Aggregation::Mean) || holds(q_.measures, Aggregation::Rate);
    if (is_figure && is_said({Word::Mean}) && !has_mean) refuse(Word::Mean);
    const bool is_of_one = q_.intent == Intent::Ratio || q_.intent == Intent::Shape;
    for (const Word word : {Word::Highest, Word::Lowest, Word::Common}) {
        if (is_of_one && is_said({word})) refuse(word);
    }
    static const std::set<std::string> kYesOrNo = {"do", "does", "did"};
    if (q_.intent == Intent::Rows && kYesOrNo.contains(tokens_[0].text)) {
        q_.absent.push_back(tokens_[0].as_written);
    }
    for (const Said& s : said_) {  // "per signup year"
        const auto is_of = [&](const auto& part) { return part.field == s.field; };
        const bool is_used = s.is_value || !s.column->is_date() || groups_by_time() ||
                             std::ranges::any_of(q_.filters, is_of) || !q_.periods.empty();
        if (is_figure && !is_used && follows(s.begin, {Word::By, Word::Each, Word::Per}, 2)) {
            q_.absent.push_back(text(s.begin, s.end));
        }
    }
    if (q_.measures.size() != 1 || q_.measures[0].aggregation != Aggregation::Count) return;
    // 多少度电, "how many kWh": no rows
    static const auto& kPieces = word_list("pieces");
    for (std::size_t i = 1; i < tokens_.size(); ++i) {
        const Token& token = tokens_[i];
        const bool is_read = has_tag(i) || said_at(i) != nullptr || is_in_time(i) ||
                             is_noise(token) || is_row_word(i) || kPieces.contains(token.text);
        const bool is_unit = token.is_han() && is_at(i - 1, Word::HowMany);
        const bool is_word = token.is_word() && token.text.size() >= 3 && q_.groups.empty() &&
                             !condition_numbers_.contains(i) && !names_row(i) &&
                             !is_table_word(i) && !number_word(token) && !is_plain_word(token);
        if (!is_read && (is_unit || is_word)) q_.absent.push_back(token.as_written);
    }
}

// "grew by how many percent" is no share; half a year is not set beside a quarter.
void Reader::find_unread_periods() {
    static const auto& kChange = word_list("change");
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        const bool is_change =
            kChange.contains(tokens_[i].text) || is_at(i, Word::Growth) || is_at(i, Word::Drop);
        if (q_.intent == Intent::Share && is_change && said_at(i) == nullptr) {
            q_.absent.push_back(tokens_[i].as_written);
        }
    }
    if (q_.intent == Intent::Growth && q_.groups.size() > 1) refuse(Word::Growth);
    if (q_.periods.empty()) return;
    const TimeSpan& first = q_.periods[0];
    const TimeSpan& last = q_.periods.back();
    if (!first.from || !first.to || !last.from || !last.to) return;
    const auto a = *first.to - *first.from;
    const auto b = *last.to - *last.from;
    if (a * 5 > b * 7 || b * 5 > a * 7) q_.absent.push_back(first.label + " / " + last.label);
}

}  // namespace atl::offline

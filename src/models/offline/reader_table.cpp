#include "models/offline/data.hpp"
#include "models/offline/reader.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

namespace atl::offline {

void Reader::choose_table_and_mentions() {
    q_.table = default_table();
    if (before_ != nullptr && before_->table < schema_.tables.size()) q_.table = before_->table;
    times_ = spans_of(tokens_, data_period(q_.table));
    auto mentions = mentions_of(tokens_, tags_, times_, schema_);
    std::vector<int> worth(schema_.tables.size());
    for (std::size_t t = 0; t < worth.size(); ++t) {
        if (schema_.tables[t].columns.empty()) {
            worth[t] = -1;
            continue;
        }
        for (const Mention& m : mentions) {
            int best = 0;
            for (const Candidate& c : m.candidates) {
                if (c.field.table == t) best = std::max(best, c.score);
            }
            worth[t] += best;
        }
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            for (const Token& word : schema_.tables[t].words) {
                if (word.stem == tokens_[i].stem && word.is_word() && word.text.size() > 2 &&
                    !is_at(i, Word::Noise)) {
                    worth[t] += follows(i, {Word::HowMany, Word::Rows}, 2) ? 150 : 40;
                }
            }
        }
    }
    for (std::size_t t = 0; t < worth.size(); ++t) {
        if (worth[t] > worth[q_.table] + (before_ != nullptr ? 10 : 0) ||
            (worth[t] == worth[q_.table] && before_ == nullptr && worth[t] > 0 &&
             schema_.tables[t].path != schema_.tables[q_.table].path &&  // the first sheet
             schema_.tables[t].rows > schema_.tables[q_.table].rows)) {
            q_.table = t;
        }
    }
    if (sheet_) {
        q_.table = *sheet_;
    } else if (const auto named = named_file()) {
        q_.table = *named;
    }
    times_ = spans_of(tokens_, data_period(q_.table));
    std::erase_if(
        times_, [&](const TimeSpan& span) { return is_column_name(span) || is_value_name(span); });
    // "first quarter of 2024" is a time, and neither an order nor a grain
    std::erase_if(tags_, [&](const Tag& t) { return is_in_time(t.begin); });
    mentions = mentions_of(tokens_, tags_, times_, schema_);
    for (const Mention& m : mentions) settle(m);
    // "total qty" is a sum of qty also where a column is called total
    std::erase_if(said_, [&](const Said& s) {
        const bool is_function = !s.is_value && s.end - s.begin == 1 &&
                                 (is_at(s.begin, Word::Sum) || is_at(s.begin, Word::Mean) ||
                                  is_at(s.begin, Word::Maximum) || is_at(s.begin, Word::Minimum));
        const Said* next = is_function ? said_at(s.end) : nullptr;
        return next != nullptr && !next->is_value && next->column->is_number();
    });
    // "changed the most water", of a column water_changed: nothing grows
    std::erase_if(tags_, [&](const Tag& t) {
        if (t.word != Word::Growth && t.word != Word::Drop) return false;
        return std::ranges::any_of(said_, [&](const Said& s) {
            return !s.is_value && std::ranges::any_of(s.column->strong, [&](const Token& word) {
                return word.stem == tokens_[t.begin].stem;
            });
        });
    });
    // the 图 of 图书 draws nothing
    std::erase_if(tags_, [&](const Tag& t) {  // nor does "drop" in drop-off zone fall
        const bool is_figure = t.word == Word::Sum || t.word == Word::Mean ||
                               t.word == Word::Median || t.word == Word::Minimum ||
                               t.word == Word::Maximum || t.word == Word::Deviation ||
                               t.word == Word::Noise || t.word == Word::Of;
        return !is_figure && std::ranges::any_of(said_, [&](const Said& s) {
            return !s.is_value && s.score >= kOwnName && s.begin <= t.begin && t.end <= s.end &&
                   s.end - s.begin > t.end - t.begin;
        });
    });
    std::erase_if(tags_, [&](const Tag& t) {
        const bool may_be_inside = t.word == Word::Chart || t.word == Word::By ||
                                   t.word == Word::Top || t.word == Word::First ||
                                   t.word == Word::Last || t.word == Word::In ||
                                   t.word == Word::Is || t.word == Word::Exclude;
        return may_be_inside && tokens_[t.begin].is_han() &&
               std::ranges::any_of(said_, [&](const Said& s) {
                   return s.begin <= t.begin && t.end <= s.end && s.end - s.begin > t.end - t.begin;
               });
    });
}

// "rows in b.csv", "the file returns": said as a file's name, and only one is called so.
std::optional<std::size_t> Reader::named_file() const {
    static const auto& kEndings = word_list("named file endings");
    static const std::set<std::string> kFiles = {"file", "table", "sheet", "件", "表"};
    const auto is_named = [&](const std::vector<Token>& name, std::size_t at) {
        if (name.empty() || at + name.size() > tokens_.size()) return false;
        for (std::size_t i = 0; i < name.size(); ++i) {
            if (name[i].text != tokens_[at + i].text) return false;
        }
        std::size_t behind = at + name.size();
        if (behind < tokens_.size() && tokens_[behind].text == ".") ++behind;
        const bool has_ending = behind < tokens_.size() && kEndings.contains(tokens_[behind].text);
        return has_ending || (at > 0 && kFiles.contains(tokens_[at - 1].text));
    };
    std::optional<std::size_t> found;
    for (std::size_t t = 0; t < schema_.tables.size(); ++t) {
        for (std::size_t at = 0; at < tokens_.size(); ++at) {
            if (!is_named(schema_.tables[t].words, at) || schema_.tables[t].columns.empty()) {
                continue;
            }
            if (found && *found != t) return std::nullopt;
            found = t;
        }
    }
    return found;
}

// A survey's column q3 is no quarter.
bool Reader::is_column_name(const TimeSpan& span) const {
    std::string said;
    for (std::size_t i = span.begin; i < span.end; ++i) said += tokens_[i].text;
    for (const Column& column : schema_.tables[q_.table].columns) {
        std::string name;
        for (const Token& word : column.words) name += word.text;
        if (name == said) return true;
    }
    return false;
}

// The season 2022/23 is no year.
bool Reader::is_value_name(const TimeSpan& span) const {
    for (const Column& column : schema_.tables[q_.table].columns) {
        if (!column.is_text()) continue;
        for (const auto& words : column.value_words) {
            if (words.size() > span.end - span.begin && matches_at(tokens_, span.begin, words)) {
                return true;
            }
        }
    }
    return false;
}

bool Reader::is_first_sheet(std::size_t table) const {
    for (std::size_t t = 0; t < table; ++t) {
        if (schema_.tables[t].path == schema_.tables[table].path &&
            !schema_.tables[t].columns.empty()) {
            return false;
        }
    }
    return true;
}

std::size_t Reader::default_table() const {
    std::size_t best = 0;
    for (std::size_t t = 0; t < schema_.tables.size(); ++t) {
        const Table& table = schema_.tables[t];
        if (table.columns.empty()) continue;
        const Table& so_far = schema_.tables[best];
        if (so_far.columns.empty()) best = t;
        // of a workbook the first sheet, of several files the largest
        if (table.path != so_far.path && table.rows > so_far.rows && is_first_sheet(t)) best = t;
    }
    return best;
}

DataPeriod Reader::data_period(std::size_t table) const {
    using namespace std::chrono;
    DataPeriod period{sys_days(year(2000) / 1 / 1), sys_days(year(2099) / 12 / 31)};
    auto date = main_date(schema_, table);
    for (std::size_t t = 0; !date && t < schema_.tables.size(); ++t) {
        date = main_date(schema_, t);
    }
    if (!date) return period;
    if (const auto first = day_of(at(schema_, *date).from)) period.first = *first;
    if (const auto last = day_of(at(schema_, *date).to)) period.last = *last;
    return period;
}

void Reader::settle(const Mention& m) {
    std::vector<Candidate> here;
    for (const Candidate& c : m.candidates) {
        if (c.field.table == q_.table) here.push_back(c);
    }
    if (here.empty()) {  // two tables are not joined here
        const bool is_own = m.candidates[0].score >= 60;
        if (is_own) q_.absent.push_back(at(schema_, m.candidates[0].field).name);
        return;
    }
    // 贷款金额: two words for one column
    if (!m.is_value && !said_.empty() && said_.back().end == m.begin && !said_.back().is_value &&
        said_.back().column->is_number() && std::ranges::any_of(here, [&](const Candidate& c) {
            return c.field == said_.back().field;
        })) {
        said_.back().end = m.end;
        return;
    }
    if (!m.is_value) prefer_said(m, here);
    Candidate chosen = here[0];
    if (!m.is_value) {
        // "payment" may be a method or an amount: the place in the question decides
        const bool wants_name = follows(
            m.begin, {Word::By, Word::Each, Word::Which, Word::Distinct, Word::HowMany, Word::Top});
        const bool wants_number =
            follows(m.begin, {Word::Sum, Word::Mean, Word::Median, Word::Minimum, Word::Maximum,
                              Word::Deviation, Word::HowMuch});
        // "which page" asks for pages, not for the time on a page
        const bool is_any_name = std::ranges::any_of(here, [&](const Candidate& c) {
            const Column& column = at(schema_, c.field);
            return !column.is_number() || column.is_id || column.distinct <= 40;
        });
        const bool is_behind =
            m.begin > 1 && is_at(m.begin - 2, Word::Which) &&
            std::ranges::none_of(
                tags_,
                [&](const Tag& t) { return t.begin <= m.begin - 1 && m.begin - 1 < t.end; }) &&
            (said_.empty() || said_.back().end < m.begin);  // "which landing page"
        const bool after_which = (is_behind || follows(m.begin, {Word::Which, Word::Each}, 1)) &&
                                 tokens_[m.begin].is_word();
        const bool is_name_of_part = m.end - m.begin == 1 && here[0].score < 78;
        // "cost per km" divides
        const bool divides = m.begin > 0 && tokens_[m.begin - 1].text == "per" && !said_.empty() &&
                             !said_.back().is_value && said_.back().column->is_number();
        if (after_which && !is_any_name && is_name_of_part && !has({Word::Top, Word::Rank}) &&
            !divides) {
            return;
        }
        for (const Candidate& c : here) {
            if (c.score + 25 < here[0].score) break;
            const Column& column = at(schema_, c.field);
            const bool is_number = column.is_number() && !column.is_id;
            if ((wants_name && !is_number) || (wants_number && is_number)) {
                chosen = c;
                break;
            }
        }
        // of a customer's id and name, people want to read the name, but count ids
        const Column& column = at(schema_, chosen.field);
        if (column.is_id && !has(Word::HowMany) && !has(Word::Distinct) && chosen.score < 100) {
            for (const Candidate& c : here) {
                const Column& other = at(schema_, c.field);
                if (c.score + 25 >= chosen.score && other.is_text() && !other.is_id &&
                    other.distinct > 1) {
                    chosen = c;
                    break;
                }
            }
        }
    }
    // "cars" of used_cars.csv are the rows, though models are cars too
    const bool is_table_noun =
        !m.is_value && m.end - m.begin == 1 && (is_table_word(m.begin) || is_row_name(m.begin)) &&
        (chosen.score < 70) && chosen.field.table == q_.table &&
        at(schema_, chosen.field).is_text() &&
        !follows(m.begin, {Word::By, Word::Each, Word::Per}, 2) && schema_.tables.size() == 1;
    // "stays" of bookings, though nights are a stay too
    const Column& column = at(schema_, chosen.field);
    const bool is_row_of_number = !m.is_value && m.end - m.begin == 1 && is_row_name(m.begin) &&
                                  tokens_[m.begin].text != tokens_[m.begin].stem &&
                                  column.is_number() && chosen.score < 68;
    if (is_table_noun || is_row_of_number || is_rows_of_number(m, chosen)) {
        says_rows_ = true;
        return;
    }
    Said said;
    said.field = chosen.field;
    said.column = &at(schema_, chosen.field);
    said.score = chosen.score;
    said.begin = m.begin;
    said.end = m.end;
    said.is_value = m.is_value;
    said.value = chosen.value;
    said_.push_back(std::move(said));
}

void Reader::find_chart() {
    const bool asked = has(Word::Chart);
    const auto is_said = [&](Word word) {
        const Tag* t = tag(word);
        if (t == nullptr) return false;
        return asked || t->end - t->begin > 1 || tokens_[t->begin].text.size() > 4;
    };
    const Tag* pie = tag(Word::Pie);
    const bool as_pie =
        pie != nullptr && pie->begin > 0 &&
        (tokens_[pie->begin - 1].text == "a" || tokens_[pie->begin - 1].text == "as");
    if (is_said(Word::Pie) || as_pie) {
        q_.chart = ChartKind::Pie;
    } else if (is_said(Word::Histogram)) {
        q_.chart = ChartKind::Histogram;
    } else if (is_said(Word::Scatter)) {
        q_.chart = ChartKind::Scatter;
    } else if (is_said(Word::Line)) {
        q_.chart = ChartKind::Line;
    } else if (is_said(Word::Bar)) {
        q_.chart = ChartKind::Bar;
    } else if (asked) {
        q_.chart = ChartKind::Any;
    }
}

// Of names that fit alike the one with more of its words in the question, then the main figure.
void Reader::prefer_said(const Mention& m, std::vector<Candidate>& here) const {
    if (here.size() < 2 || here[1].score < here[0].score) return;
    const auto worth = [&](const Candidate& c) {
        int points = 0;
        for (const Token& word : at(schema_, c.field).strong) {
            for (std::size_t i = 0; i < tokens_.size(); ++i) {
                const bool is_own = i >= m.begin && i < m.end;
                if (!is_own && !is_noise(tokens_[i]) && tokens_[i].stem == word.stem) ++points;
            }
        }
        return points;
    };
    const auto main = main_measure(schema_, q_.table);
    std::ranges::stable_sort(here, [&](const Candidate& a, const Candidate& b) {
        return std::tuple(a.score, worth(a), main == a.field) >
               std::tuple(b.score, worth(b), main == b.field);
    });
}

}  // namespace atl::offline

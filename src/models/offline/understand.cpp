#include "models/offline/understand.hpp"

#include "models/offline/follow_up.hpp"
#include "models/offline/mentions.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace atl::offline {
namespace {

constexpr std::size_t kTokensMax = 300;
constexpr std::size_t kListMax = 10;  // "top merchants" without a number
constexpr std::size_t kRowsMax = 50;

// A mention with its role still open.
struct Said {
    Field field;
    const Column* column = nullptr;
    int score = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
    bool is_value = false;
    std::string value;
    bool is_used = false;  // by a filter
};

class Reader {
public:
    Reader(std::string_view text, const Schema& schema, const Question* before)
        : schema_(schema), before_(before), tokens_(tokens_of(text)) {
        if (tokens_.size() > kTokensMax) tokens_.resize(kTokensMax);
        q_.language = has_han(text) ? Language::Chinese : Language::English;
        tags_ = tags_of(tokens_);
    }

    Question read() {
        choose_table_and_mentions();
        find_chart();
        find_time();
        find_comparisons();
        find_value_filters();
        find_roles();
        find_order();
        find_measures();
        decide_intent();
        const bool same_table = before_ != nullptr && before_->table == q_.table;
        if (same_table && builds_on_before()) q_ = follow_up(*before_, q_, parts());
        complete();
        return q_;
    }

private:
    // ---- looking at words -------------------------------------------------------------------
    [[nodiscard]] bool has(Word word) const {
        return std::any_of(tags_.begin(), tags_.end(),
                           [&](const Tag& tag) { return tag.word == word; });
    }
    [[nodiscard]] bool has(std::initializer_list<Word> words) const {
        return std::any_of(words.begin(), words.end(), [&](Word word) { return has(word); });
    }
    [[nodiscard]] const Tag* tag(Word word) const {
        for (const Tag& t : tags_) {
            if (t.word == word) return &t;
        }
        return nullptr;
    }
    [[nodiscard]] bool is_at(std::size_t token, Word word) const {
        return std::any_of(tags_.begin(), tags_.end(), [&](const Tag& t) {
            return t.word == word && t.begin <= token && token < t.end;
        });
    }
    [[nodiscard]] bool is_filler(std::size_t i) const {
        if (tokens_[i].kind == Token::Kind::Sign) return true;
        return is_at(i, Word::Noise) || is_at(i, Word::Of) || is_noise(tokens_[i]);
    }
    // One of the words ends right before `token`, fillers apart.
    [[nodiscard]] bool follows(std::size_t token, std::initializer_list<Word> words,
                               std::size_t reach = 3) const {
        for (std::size_t i = token, steps = 0; i > 0 && steps < reach; --i, ++steps) {
            for (const Word word : words) {
                if (is_at(i - 1, word)) return true;
            }
            if (!is_filler(i - 1)) return false;
        }
        return false;
    }
    [[nodiscard]] bool precedes(std::size_t token, std::initializer_list<Word> words,
                                std::size_t reach = 3) const {
        for (std::size_t i = token, steps = 0; i < tokens_.size() && steps < reach; ++i, ++steps) {
            for (const Word word : words) {
                if (is_at(i, word)) return true;
            }
            if (!is_filler(i)) return false;
        }
        return false;
    }
    [[nodiscard]] bool is_in_time(std::size_t token) const {
        return std::any_of(times_.begin(), times_.end(),
                           [&](const TimeSpan& t) { return t.begin <= token && token < t.end; });
    }
    // "26-35" may be an age group
    [[nodiscard]] bool is_in_value(std::size_t token) const {
        return std::any_of(said_.begin(), said_.end(), [&](const Said& s) {
            return s.is_value && s.begin <= token && token < s.end;
        });
    }
    // The number at a token, with what multiplies it: 5 thousand, 3万, 1.5 million.
    [[nodiscard]] std::optional<double> number_at(std::size_t i, std::size_t& end) const {
        if (i >= tokens_.size() || is_in_time(i) || is_in_value(i)) return std::nullopt;
        std::optional<double> value;
        if (tokens_[i].kind == Token::Kind::Number) {
            value = tokens_[i].number;
            end = i + 1;
        } else if (tokens_[i].kind == Token::Kind::Han) {
            double total = 0;
            bool any = false;
            end = i;
            while (end < tokens_.size() && tokens_[end].kind == Token::Kind::Han) {
                const auto digit = number_word(tokens_[end]);
                if (!digit) break;
                if (*digit >= 10) {
                    total = (total == 0 ? 1 : total) * *digit;
                } else {
                    total += *digit;
                }
                any = true;
                ++end;
            }
            if (!any) return std::nullopt;
            value = total;
        } else if (const auto word = number_word(tokens_[i])) {
            value = *word;
            end = i + 1;
        }
        if (!value) return std::nullopt;
        static constexpr std::array<std::pair<std::string_view, double>, 8> kTimes = {
            {{"thousand", 1e3},
             {"million", 1e6},
             {"billion", 1e9},
             {"hundred", 1e2},
             {"千", 1e3},
             {"万", 1e4},
             {"亿", 1e8},
             {"百", 1e2}}};
        for (const auto& [word, times] : kTimes) {
            if (end < tokens_.size() && tokens_[end].text == word) {
                ++end;
                return *value * times;
            }
        }
        return *value;
    }

    // ---- the table --------------------------------------------------------------------------
    void choose_table_and_mentions() {
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
                const bool is_number = best > 0 && has_number_candidate(m, t);
                worth[t] += best + (is_number ? 30 : 0);
            }
            if (asks_money() && has_price_and_quantity(schema_.tables[t])) worth[t] += 130;
            for (std::size_t i = 0; i < tokens_.size(); ++i) {
                for (const Token& word : schema_.tables[t].words) {
                    if (word.stem == tokens_[i].stem && word.text.size() > 2 &&
                        !is_at(i, Word::Noise)) {
                        worth[t] += follows(i, {Word::HowMany, Word::Rows}, 2) ? 150 : 40;
                    }
                }
            }
        }
        for (std::size_t t = 0; t < worth.size(); ++t) {
            if (worth[t] > worth[q_.table] + (before_ != nullptr ? 10 : 0) ||
                (worth[t] == worth[q_.table] && before_ == nullptr && worth[t] > 0 &&
                 schema_.tables[t].rows > schema_.tables[q_.table].rows)) {
                q_.table = t;
            }
        }
        move_to_measures(mentions);
        times_ = spans_of(tokens_, data_period(q_.table));
        std::erase_if(times_, [&](const TimeSpan& span) { return is_column_name(span); });
        // "first quarter of 2024" is a time, and neither an order nor a grain
        std::erase_if(tags_, [&](const Tag& t) { return is_in_time(t.begin); });
        mentions = mentions_of(tokens_, tags_, times_, schema_);
        for (const Mention& m : mentions) settle(m);
    }
    [[nodiscard]] static bool has_price_and_quantity(const Table& table) {
        const auto any = [&](std::string_view name) {
            return std::any_of(table.columns.begin(), table.columns.end(), [&](const Column& c) {
                return c.is_number() && !c.meanings.empty() && c.meanings[0]->name == name;
            });
        };
        return any("price") && any("quantity") && !any("amount");
    }
    [[nodiscard]] bool has_number_candidate(const Mention& m, std::size_t table) const {
        return !m.is_value &&
               std::any_of(m.candidates.begin(), m.candidates.end(), [&](const Candidate& c) {
                   return c.field.table == table && at(schema_, c.field).is_number() &&
                          !at(schema_, c.field).is_id;
               });
    }
    // A survey's column q3 is no quarter.
    [[nodiscard]] bool is_column_name(const TimeSpan& span) const {
        std::string said;
        for (std::size_t i = span.begin; i < span.end; ++i) said += tokens_[i].text;
        for (const Column& column : schema_.tables[q_.table].columns) {
            std::string name;
            for (const Token& word : column.words) name += word.text;
            if (name == said) return true;
        }
        return false;
    }
    [[nodiscard]] std::size_t default_table() const {
        std::size_t best = 0;
        for (std::size_t t = 0; t < schema_.tables.size(); ++t) {
            const bool has_columns = !schema_.tables[t].columns.empty();
            if (!has_columns) continue;
            if (schema_.tables[best].columns.empty() ||
                (schema_.tables[t].rows > schema_.tables[best].rows)) {
                best = t;
            }
        }
        return best;
    }
    [[nodiscard]] DataPeriod data_period(std::size_t table) const {
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

    // Which of its candidates a mention is: the question's table first, then what can be joined.
    // A measure that only another table has: that one is the table, and this one is joined to it.
    void move_to_measures(const std::vector<Mention>& mentions) {
        for (const Mention& m : mentions) {
            if (m.is_value || has_number_candidate(m, q_.table)) continue;
            const bool is_here =
                std::any_of(m.candidates.begin(), m.candidates.end(),
                            [&](const Candidate& c) { return c.field.table == q_.table; });
            for (const Candidate& c : m.candidates) {
                if (is_here || c.field.table == q_.table) break;
                const Column& column = at(schema_, c.field);
                if (!column.is_number() || column.is_id) continue;
                const std::size_t here = q_.table;
                q_.table = c.field.table;
                if (join_with(here)) return;
                q_.table = here;
            }
        }
    }
    void settle(const Mention& m) {
        std::vector<Candidate> here;
        for (const Candidate& c : m.candidates) {
            if (c.field.table == q_.table) here.push_back(c);
        }
        if (here.empty()) {
            for (const Candidate& c : m.candidates) {
                if (can_join(c.field.table)) {
                    here.push_back(c);
                    break;
                }
            }
        }
        if (here.empty()) return;
        Candidate chosen = here[0];
        if (!m.is_value) {
            // "payment" may be a method or an amount: the place in the question decides
            const bool wants_name = follows(m.begin, {Word::By, Word::Each, Word::Which,
                                                      Word::Distinct, Word::HowMany, Word::Top});
            const bool wants_number =
                follows(m.begin, {Word::Sum, Word::Mean, Word::Median, Word::Minimum, Word::Maximum,
                                  Word::Deviation, Word::HowMuch});
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
        Said said;
        said.field = chosen.field;
        said.column = &at(schema_, chosen.field);
        said.score = chosen.score;
        said.begin = m.begin;
        said.end = m.end;
        said.is_value = m.is_value;
        said.value = chosen.value;
        if (chosen.field.table != q_.table && !q_.join) q_.join = join_with(chosen.field.table);
        said_.push_back(std::move(said));
    }
    [[nodiscard]] bool can_join(std::size_t table) const {
        if (q_.join) return q_.join->right.table == table;
        return join_with(table).has_value();
    }
    [[nodiscard]] std::optional<Join> join_with(std::size_t table) const {
        const Table& left = schema_.tables[q_.table];
        const Table& right = schema_.tables[table];
        std::optional<Join> best;
        int best_worth = 0;
        for (std::size_t l = 0; l < left.columns.size(); ++l) {
            for (std::size_t r = 0; r < right.columns.size(); ++r) {
                const Column& a = left.columns[l];
                const Column& b = right.columns[r];
                if (a.kind != b.kind || a.is_date()) continue;
                std::string left_name;
                std::string right_name;
                for (const Token& w : a.words) left_name += w.stem;
                for (const Token& w : b.words) right_name += w.stem;
                std::string prefixed;  // customers.id and customer_id
                for (const Token& w : right.words) prefixed += w.stem;
                prefixed += right_name;
                int worth = left_name == right_name ? 2 : left_name == prefixed ? 2 : 0;
                if (worth == 0) continue;
                if (a.is_id || b.is_id) worth += 2;
                if (b.distinct * 100 >= right.rows * 95) {
                    worth += 2;  // tells the other's rows apart
                } else {
                    continue;  // would give a row several partners
                }
                if (worth > best_worth && (a.is_text() || a.is_whole)) {
                    best_worth = worth;
                    best = Join{{q_.table, l}, {table, r}};
                }
            }
        }
        return best;
    }

    // ---- charts -----------------------------------------------------------------------------
    void find_chart() {
        const bool asked = has(Word::Chart);
        const auto is_said = [&](Word word) {
            const Tag* t = tag(word);
            if (t == nullptr) return false;
            return asked || t->end - t->begin > 1 || tokens_[t->begin].text.size() > 4;
        };
        if (is_said(Word::Pie)) {
            q_.chart = ChartKind::Pie;
        } else if (is_said(Word::Histogram)) {
            q_.chart = ChartKind::Histogram;
        } else if (is_said(Word::Scatter)) {
            q_.chart = ChartKind::Scatter;
        } else if (is_said(Word::Box)) {
            q_.chart = ChartKind::Box;
        } else if (is_said(Word::Line)) {
            q_.chart = ChartKind::Line;
        } else if (is_said(Word::Bar)) {
            q_.chart = ChartKind::Bar;
        } else if (asked) {
            q_.chart = ChartKind::Any;
        }
    }

    // ---- time -------------------------------------------------------------------------------
    void find_time() {
        auto date = main_date(schema_, q_.table);
        for (const Said& s : said_) {
            if (!s.is_value && s.column->is_date()) date = s.field;
        }
        find_grain(date);
        if (!date) {
            find_year_column();
            return;
        }
        std::vector<TimeSpan> dates;
        std::vector<TimeSpan> months;
        std::vector<int> weekdays;
        TimeSpan weekday_span;
        for (const TimeSpan& span : times_) {
            if (span.kind == TimeSpan::Kind::Weekdays) {
                weekdays.insert(weekdays.end(), span.parts.begin(), span.parts.end());
                weekday_span = span;
            } else if (span.kind == TimeSpan::Kind::Months) {
                months.push_back(span);
            } else {
                dates.push_back(span);
            }
        }
        if (!weekdays.empty()) {
            weekday_span.parts = weekdays;
            q_.filters.push_back(time_filter(Filter::Kind::Weekdays, *date, weekday_span));
            if (weekdays.size() > 1 && has(Word::Compare) && q_.groups.empty()) {
                q_.groups.push_back({*date, Grain::Weekday, 0});
            }
        }
        if (!months.empty()) {
            TimeSpan all = months[0];
            for (std::size_t i = 1; i < months.size(); ++i) {
                all.parts.insert(all.parts.end(), months[i].parts.begin(), months[i].parts.end());
            }
            q_.filters.push_back(time_filter(Filter::Kind::Months, *date, all));
            if (months.size() > 1 && q_.groups.empty()) {
                q_.groups.push_back({*date, Grain::MonthOfYear, 0});
            }
        }
        set_dates(*date, dates);
    }
    void set_dates(Field date, const std::vector<TimeSpan>& dates) {
        const bool grows = has({Word::Growth, Word::Drop});
        if (dates.size() == 1 && grows && dates[0].head_to) {  // "grow from January to June"
            TimeSpan a = dates[0];
            TimeSpan b = dates[0];
            a.to = a.head_to;
            b.from = b.tail_from;
            a.label = label(a);
            b.label = label(b);
            q_.periods = {a, b};
            q_.fields.push_back(date);
            return;
        }
        if (dates.size() == 2 && dates[0].is_open && dates[1].is_open) {  // after A and before B
            TimeSpan both = dates[0];
            if (dates[1].from) both.from = dates[1].from;
            if (dates[1].to) both.to = dates[1].to;
            q_.filters.push_back(time_filter(Filter::Kind::Dates, date, both));
            return;
        }
        if (dates.size() >= 2) {
            q_.periods = dates;
            if (q_.periods.size() > 6) q_.periods.resize(6);
            q_.fields.push_back(date);
            return;
        }
        if (dates.size() == 1) {
            q_.filters.push_back(time_filter(Filter::Kind::Dates, date, dates[0]));
        }
    }
    static std::string label(const TimeSpan& span) {
        const std::string from = iso_of(*span.from);
        const std::string last = iso_of(*span.to - std::chrono::days(1));
        if (from.substr(0, 7) == last.substr(0, 7) && from.ends_with("-01") &&
            iso_of(*span.to).ends_with("-01")) {
            return from.substr(0, 7);
        }
        if (from.ends_with("-01-01") && last == from.substr(0, 4) + "-12-31") {
            return from.substr(0, 4);
        }
        return from == last ? from : from + " – " + last;
    }
    static Filter time_filter(Filter::Kind kind, Field field, const TimeSpan& span) {
        Filter filter;
        filter.kind = kind;
        filter.field = field;
        filter.time = span;
        filter.begin = span.begin;
        return filter;
    }
    // A table without dates may still have a column "year".
    void find_year_column() {
        const Table& table = schema_.tables[q_.table];
        std::optional<Field> year;
        for (std::size_t c = 0; c < table.columns.size() && !year; ++c) {
            const Column& column = table.columns[c];
            const bool is_year = column.is_number() && column.is_whole && column.low >= 1900 &&
                                 column.high <= 2100 && column.distinct > 0;
            if (is_year) year = Field{q_.table, c};
        }
        if (!year) return;
        const bool by_year = has({Word::Yearly, Word::Trend}) ||
                             std::any_of(tags_.begin(), tags_.end(), [&](const Tag& t) {
                                 return t.word == Word::Year && !is_in_time(t.begin) &&
                                        follows(t.begin, {Word::By, Word::Each, Word::Which}, 3);
                             });
        if (by_year) q_.groups.push_back({*year, Grain::None, 0});
        std::vector<double> years;
        for (const TimeSpan& span : times_) {
            if (span.kind != TimeSpan::Kind::Dates) continue;
            const auto year_number = [](std::chrono::sys_days d) {
                return std::stod(iso_of(d).substr(0, 4));
            };
            Filter filter;
            filter.field = *year;
            filter.begin = span.begin;
            if (span.from && span.to && !span.is_open) {
                filter.low = year_number(*span.from);
                filter.high = year_number(*span.to - std::chrono::days(1));
                if (filter.low == filter.high) {
                    years.push_back(filter.low);
                    continue;
                }
                filter.kind = Filter::Kind::Between;
            } else if (span.from) {
                filter.kind = Filter::Kind::GreaterOrEqual;
                filter.low = year_number(*span.from);
            } else {
                filter.kind = Filter::Kind::Less;
                filter.low = year_number(*span.to);
            }
            q_.filters.push_back(filter);
        }
        if (years.empty()) return;
        Filter filter;
        filter.field = *year;
        filter.kind = years.size() == 1 ? Filter::Kind::Equal : Filter::Kind::Between;
        filter.low = *std::min_element(years.begin(), years.end());
        filter.high = *std::max_element(years.begin(), years.end());
        q_.filters.push_back(filter);
        if (years.size() > 1 && !by_year) q_.groups.push_back({*year, Grain::None, 0});
    }

    [[nodiscard]] bool is_column_said(Word word) const {
        const Tag* t = tag(word);
        return t != nullptr && std::any_of(said_.begin(), said_.end(), [&](const Said& s) {
                   return !s.is_value && s.begin < t->end && t->begin < s.end;
               });
    }

    void find_grain(std::optional<Field> date) {
        if (!date) return;
        const Column& column = at(schema_, *date);
        Grain grain = Grain::None;
        struct Adjective {
            Word word;
            Word unit;
            Grain grain;
        };
        static constexpr std::array kGrains = {
            Adjective{Word::Hourly, Word::Hour, Grain::HourOfDay},
            Adjective{Word::Daily, Word::Day, Grain::Day},
            Adjective{Word::Weekly, Word::Week, Grain::Week},
            Adjective{Word::Monthly, Word::Month, Grain::Month},
            Adjective{Word::Quarterly, Word::Quarter, Grain::Quarter},
            Adjective{Word::Yearly, Word::Year, Grain::Year}};
        const bool both_kinds = has(Word::Weekend) && has({Word::Workday, Word::Weekday});
        if (both_kinds) {
            set_grain(*date, Grain::WorkdayOrWeekend);
            return;
        }
        if (has(Word::Weekend)) {
            TimeSpan span;
            span.kind = TimeSpan::Kind::Weekdays;
            span.parts = {5, 6};
            span.label = "weekend";
            times_.push_back(span);
            if (has(Word::Share)) span.label = "weekend";
        } else if (has(Word::Weekday) || has(Word::Workday)) {
            const Tag* t = has(Word::Weekday) ? tag(Word::Weekday) : tag(Word::Workday);
            const bool is_phrase = t->end - t->begin > 1 && !has(Word::Workday);
            const bool grouped =
                follows(t->begin, {Word::By, Word::Each, Word::Which, Word::Per}) || is_phrase ||
                has(Word::Highest) || has(Word::Lowest);
            if (grouped) {
                set_grain(*date, Grain::Weekday);
                return;
            }
            TimeSpan span;
            span.kind = TimeSpan::Kind::Weekdays;
            span.parts = {0, 1, 2, 3, 4};
            span.label = "weekdays";
            times_.push_back(span);
        }
        for (const Adjective& a : kGrains) {
            if (has(a.word) && !is_column_said(a.word)) grain = a.grain;
        }
        if (has(Word::MonthOfYear)) grain = Grain::MonthOfYear;
        if (grain == Grain::None) {
            for (const Adjective& a : kGrains) {
                for (const Tag& t : tags_) {
                    if (t.word != a.unit || is_in_time(t.begin) || is_column_said(a.unit)) continue;
                    const bool asked =
                        follows(t.begin,
                                {Word::By, Word::Each, Word::Which, Word::Highest, Word::Lowest,
                                 Word::Top, Word::Bottom, Word::Common, Word::And},
                                4) ||
                        precedes(t.end, {Word::Highest, Word::Lowest, Word::Trend}, 3) ||
                        top_number_before(t.begin);
                    if (asked && !(a.unit == Word::Hour && !column.has_time)) grain = a.grain;
                }
            }
        }
        if (grain == Grain::None && has({Word::Trend}) && !has(Word::Correlation)) {
            grain = natural_grain(column);
        }
        if (grain == Grain::None && has(Word::When) &&
            has({Word::Highest, Word::Lowest, Word::Common})) {
            grain = natural_grain(column);
        }
        if (grain != Grain::None) set_grain(*date, grain);
    }
    // "top 3 months", "前三个月份"
    [[nodiscard]] bool top_number_before(std::size_t token) const {
        for (std::size_t back = 1; back <= 3 && back <= token; ++back) {
            const std::size_t i = token - back;
            std::size_t end = 0;
            if (number_at(i, end) &&
                follows(i, {Word::Top, Word::Bottom, Word::Highest, Word::Lowest})) {
                return true;
            }
        }
        return false;
    }
    void set_grain(Field date, Grain grain) {
        grain_ = grain;
        q_.groups.push_back({date, grain, 0});
    }

    // ---- conditions on numbers --------------------------------------------------------------
    [[nodiscard]] Said* number_near(std::size_t begin, std::size_t end) {
        Said* best = nullptr;
        std::size_t best_gap = 8;
        for (Said& s : said_) {
            if (s.is_value || !s.column->is_number() || s.column->is_id) continue;
            std::size_t gap = best_gap;
            if (s.end <= begin) {
                gap = begin - s.end;
                if (crosses_condition(s.end, begin)) continue;
            } else if (s.begin >= end && s.begin - end < 3) {
                gap = s.begin - end + 2;
                // "at least 4 bedrooms", but not "under 30 earning more than …"
                const bool has_own =
                    precedes(s.end, {Word::More, Word::Less, Word::AtLeast, Word::AtMost}, 2);
                if (s.begin == end && !has_own) gap = 0;
            }
            if (gap < best_gap) {
                best_gap = gap;
                best = &s;
            }
        }
        return best;
    }
    [[nodiscard]] bool crosses_condition(std::size_t from, std::size_t to) const {
        for (std::size_t i = from; i < to; ++i) {
            if (tokens_[i].kind == Token::Kind::Number && !is_in_time(i)) return true;
        }
        return false;
    }
    [[nodiscard]] std::optional<Field> field_meaning(std::string_view name) const {
        const Table& table = schema_.tables[q_.table];
        std::optional<Field> found;
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            const Column& column = table.columns[c];
            if (!column.is_number() || column.is_id || !column.means(name)) continue;
            // what its name ends with counts more: a unit price is a price, no quantity
            if (column.meanings[0]->name == name) return Field{q_.table, c};
            if (!found) found = Field{q_.table, c};
        }
        return found;
    }
    [[nodiscard]] std::optional<Field> condition_field(std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::string& word = tokens_[i].text;
            static constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kAbout =
                {{{"older", "age"},
                  {"younger", "age"},
                  {"cheaper", "price"},
                  {"pricier", "price"},
                  {"longer", "latency"},
                  {"shorter", "latency"},
                  {"slower", "latency"},
                  {"faster", "latency"},
                  {"hotter", "temperature"},
                  {"colder", "temperature"},
                  {"warmer", "temperature"},
                  {"cooler", "temperature"},
                  {"heavier", "weight"},
                  {"lighter", "weight"},
                  {"taller", "height"},
                  {"aged", "age"}}};
            for (const auto& [said, about] : kAbout) {
                if (word != said) continue;
                if (auto field = field_meaning(about)) return field;
            }
        }
        for (Said& s : said_) {  // "more than 10 years at the company"
            if (!s.is_value && s.column->is_number() && s.begin == end &&
                tokens_[end].stem == "year") {
                s.is_used = true;
                return s.field;
            }
        }
        // "employees under 30" speaks of their age
        if (begin > 0 && is_row_word(begin - 1)) {
            std::size_t ignored = 0;
            for (std::size_t i = begin; i < end; ++i) {
                const auto value = number_at(i, ignored);
                const auto age = field_meaning("age");
                if (value && age && *value >= 10 && *value <= 100) return age;
            }
        }
        if (end < tokens_.size() && (tokens_[end].text == "岁" || tokens_[end].stem == "year")) {
            if (auto field = field_meaning("age")) {
                for (Said& s : said_) {
                    if (s.field == *field && s.begin == end) s.is_used = true;
                }
                return field;
            }
        }
        if (const auto field = field_of_unit(end)) return field;
        if (Said* near = number_near(begin, end)) {
            near->is_used = true;
            return near->field;
        }
        return main_measure(schema_, q_.table);
    }

    // "longer than 10 days": the column that is counted in days
    [[nodiscard]] std::optional<Field> field_of_unit(std::size_t i) const {
        static const std::set<std::string> kUnits = {
            "day", "hour", "minute", "min", "second", "week", "month", "year", "km", "mile", "kg",
            "gram", "meter", "metre", "mm",  "cm",    "ms",   "kwh",   "天",   "小", "分", "公"};
        if (i >= tokens_.size() || !kUnits.contains(tokens_[i].stem)) return std::nullopt;
        const Table& table = schema_.tables[q_.table];
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            const Column& column = table.columns[c];
            if (!column.is_number() || column.is_id) continue;
            const bool has_unit =
                std::any_of(column.words.begin(), column.words.end(), [&](const Token& word) {
                    return word.stem == tokens_[i].stem ||
                           (word.stem.size() >= 2 && tokens_[i].kind == Token::Kind::Word &&
                            tokens_[i].stem.starts_with(word.stem));
                });
            if (has_unit) return Field{q_.table, c};
        }
        return std::nullopt;
    }
    void find_comparisons() {
        struct Kinds {
            Word word;
            Filter::Kind kind;
        };
        static constexpr std::array kKinds = {Kinds{Word::More, Filter::Kind::Greater},
                                              Kinds{Word::AtLeast, Filter::Kind::GreaterOrEqual},
                                              Kinds{Word::Less, Filter::Kind::Less},
                                              Kinds{Word::AtMost, Filter::Kind::LessOrEqual}};
        std::set<std::size_t> done;
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (is_at(i, Word::Between) || is_at(i, Word::From)) try_between(i, done);
        }
        for (const Tag& t : tags_) {
            for (const Kinds& k : kKinds) {
                if (t.word != k.word) continue;
                std::size_t at_number = t.end;
                while (at_number < tokens_.size() && at_number < t.end + 3 &&
                       is_filler(at_number) && tokens_[at_number].kind != Token::Kind::Number) {
                    ++at_number;
                }
                std::size_t end = 0;
                const auto value = number_at(at_number, end);
                if (!value || done.contains(at_number)) continue;
                done.insert(at_number);
                add_comparison(k.kind, *value, t.begin, end);
            }
        }
        // "5 or more", "100元以上", and a range without "between": 18-25, "30到40岁"
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            std::size_t end = 0;
            const auto value = number_at(i, end);
            if (!value || done.contains(i)) continue;
            std::size_t behind = end;
            while (behind < tokens_.size() && behind < end + 2 && !is_at(behind, Word::OrMore) &&
                   !is_at(behind, Word::OrLess)) {
                ++behind;
            }
            if (behind < tokens_.size() && is_at(behind, Word::OrMore)) {
                done.insert(i);
                add_comparison(Filter::Kind::GreaterOrEqual, *value, i, end);
            } else if (behind < tokens_.size() && is_at(behind, Word::OrLess)) {
                done.insert(i);
                add_comparison(Filter::Kind::LessOrEqual, *value, i, end);
            } else {
                try_range(i, end, *value, done);
            }
        }
        find_equalities(done);
        find_codes(done);
        find_signs();
    }
    void try_between(std::size_t i, std::set<std::size_t>& done) {
        std::size_t first = i + 1;
        while (first < tokens_.size() && first < i + 3 && is_filler(first) &&
               tokens_[first].kind != Token::Kind::Number) {
            ++first;
        }
        std::size_t end = 0;
        const auto low = number_at(first, end);
        if (!low || done.contains(first)) return;
        while (end < tokens_.size() && !is_at(end, Word::To) && end < first + 4) ++end;
        if (end >= tokens_.size() || !is_at(end, Word::To)) return;
        std::size_t last = 0;
        const std::size_t second = end + 1;
        const auto high = number_at(second, last);
        if (!high || *high < *low) return;
        done.insert(first);
        done.insert(second);
        Filter filter;
        filter.kind = Filter::Kind::Between;
        const auto field = condition_field(i, last);
        if (!field) return;
        filter.field = *field;
        filter.low = *low;
        filter.high = *high;
        filter.begin = i;
        q_.filters.push_back(filter);
    }
    void try_range(std::size_t i, std::size_t end, double low, std::set<std::size_t>& done) {
        if (end >= tokens_.size()) return;
        const std::string& sign = tokens_[end].text;
        if (sign != "-" && sign != "到" && sign != "至" && sign != "to") return;
        std::size_t last = 0;
        const auto high = number_at(end + 1, last);
        if (!high || *high <= low) return;
        Said* near = number_near(i, last);
        const bool is_age = last < tokens_.size() && tokens_[last].text == "岁";
        if (near == nullptr && !is_age) return;
        done.insert(i);
        done.insert(end + 1);
        Filter filter;
        filter.kind = Filter::Kind::Between;
        const auto field = condition_field(i, last);
        if (!field) return;
        filter.field = *field;
        filter.low = low;
        filter.high = *high;
        filter.begin = i;
        q_.filters.push_back(filter);
    }
    void add_comparison(Filter::Kind kind, double value, std::size_t begin, std::size_t end) {
        const auto field = condition_field(begin, end);
        if (!field) return;
        Filter filter;
        filter.kind = kind;
        filter.field = *field;
        filter.low = value;
        filter.begin = begin;
        q_.filters.push_back(filter);
        condition_numbers_.insert(end - 1);
    }
    // "5 star ratings", "3 bedroom houses"
    bool take_number_before(Said& s, std::set<std::size_t>& done) {
        std::size_t end = 0;
        if (s.begin == 0 || tokens_[s.begin - 1].kind != Token::Kind::Number) return false;
        const std::size_t i = s.begin - 1;
        const auto value = number_at(i, end);
        const bool is_choice = s.column->is_whole && s.column->distinct <= 12;
        if (!value || done.contains(i) || !is_choice || *value < s.column->low ||
            *value > s.column->high ||
            follows(i, {Word::Top, Word::Bottom, Word::Highest, Word::Lowest, Word::First})) {
            return false;
        }
        done.insert(i);
        condition_numbers_.insert(i);
        s.is_used = true;
        Filter filter;
        filter.kind = Filter::Kind::Equal;
        filter.field = s.field;
        filter.low = *value;
        filter.begin = i;
        q_.filters.push_back(filter);
        return true;
    }
    // "rating of 5", "status 404", "评分为5"
    void find_equalities(std::set<std::size_t>& done) {
        for (Said& s : said_) {
            if (s.is_value || s.is_used || !s.column->is_number()) continue;
            if (take_number_before(s, done)) continue;
            std::size_t i = s.end;
            while (i < tokens_.size() && i < s.end + 3 &&
                   (is_at(i, Word::Is) || tokens_[i].text == "of" || tokens_[i].text == "code" ||
                    tokens_[i].text == "level")) {
                ++i;
            }
            std::size_t end = 0;
            if (i >= tokens_.size() || tokens_[i].kind != Token::Kind::Number) continue;
            const auto value = number_at(i, end);
            if (!value || done.contains(i)) continue;
            if (i == s.end && !s.column->is_whole) continue;
            done.insert(i);
            condition_numbers_.insert(i);
            s.is_used = true;
            Filter filter;
            const bool negated =
                follows(s.begin, {Word::Exclude}) || (i > s.end && is_at(i - 1, Word::Exclude));
            filter.kind = negated ? Filter::Kind::NotEqual : Filter::Kind::Equal;
            filter.field = s.field;
            filter.low = *value;
            filter.begin = s.begin;
            q_.filters.push_back(filter);
        }
    }
    // "requests that returned 404": a number by itself that a column of codes holds
    void find_codes(const std::set<std::size_t>& done) {
        const Table& table = schema_.tables[q_.table];
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            std::size_t end = 0;
            if (tokens_[i].kind != Token::Kind::Number || done.contains(i)) continue;
            const auto value = number_at(i, end);
            if (!value || *value < 100 || follows(i, {Word::Top, Word::Bottom, Word::First}))
                continue;
            for (std::size_t c = 0; c < table.columns.size(); ++c) {
                const Column& column = table.columns[c];
                if (!column.is_number() || !column.is_whole || column.distinct > 60) continue;
                if (*value < column.low || *value > column.high) continue;
                if (!column.means("status") && !column.is_id) continue;
                Filter filter;
                filter.kind = is_excluded(i) ? Filter::Kind::NotEqual : Filter::Kind::Equal;
                filter.field = {q_.table, c};
                filter.low = *value;
                filter.begin = i;
                q_.filters.push_back(filter);
                condition_numbers_.insert(i);
                break;
            }
        }
    }
    // "excluding refunds", "only negative amounts"
    void find_signs() {
        const Tag* negative = tag(Word::Negative);
        if (negative == nullptr) return;
        for (const Said& s : said_) {
            if (s.is_value && s.begin < negative->end && negative->begin < s.end) return;
        }
        auto field = main_measure(schema_, q_.table);
        if (Said* near = number_near(negative->begin, negative->end)) field = near->field;
        if (!field || at(schema_, *field).low >= 0) return;
        Filter filter;
        filter.field = *field;
        filter.kind = follows(negative->begin, {Word::Exclude}, 4) ? Filter::Kind::GreaterOrEqual
                                                                   : Filter::Kind::Less;
        filter.begin = negative->begin;
        q_.filters.push_back(filter);
    }

    // ---- conditions on values ---------------------------------------------------------------
    [[nodiscard]] bool is_excluded(std::size_t begin) const {
        // an exclusion reaches over a list: "except North and South"
        for (std::size_t i = begin, steps = 0; i > 0 && steps < 8; --i, ++steps) {
            if (is_at(i - 1, Word::Exclude)) return true;
            const bool in_list = is_filler(i - 1) || is_at(i - 1, Word::And) ||
                                 is_at(i - 1, Word::Or) || is_at(i - 1, Word::In) ||
                                 std::any_of(said_.begin(), said_.end(), [&](const Said& s) {
                                     return s.begin <= i - 1 && i - 1 < s.end;
                                 });
            if (!in_list) return false;
        }
        return false;
    }
    void find_value_filters() {
        for (const Said& s : said_) {
            if (!s.is_value) continue;
            const bool excluded = is_excluded(s.begin);
            const auto kind = excluded ? Filter::Kind::NoneOf : Filter::Kind::OneOf;
            const auto same =
                std::find_if(q_.filters.begin(), q_.filters.end(),
                             [&](const Filter& f) { return f.kind == kind && f.field == s.field; });
            if (same != q_.filters.end()) {
                if (std::find(same->values.begin(), same->values.end(), s.value) ==
                    same->values.end()) {
                    same->values.push_back(s.value);
                }
                continue;
            }
            Filter filter;
            filter.kind = kind;
            filter.field = s.field;
            filter.values = {s.value};
            filter.begin = s.begin;
            q_.filters.push_back(filter);
        }
        // the column's name beside its value says nothing more: "North region"
        for (Said& s : said_) {
            if (s.is_value || !s.column->is_text()) continue;
            for (const Said& v : said_) {
                if (!v.is_value || v.field != s.field) continue;
                const bool is_beside =
                    v.end == s.begin || (s.end <= v.begin && v.begin - s.end <= 2);
                if (is_beside && !follows(s.begin, {Word::By, Word::Each, Word::Which})) {
                    s.is_used = true;
                }
            }
        }
    }

    // ---- roles of columns -------------------------------------------------------------------
    [[nodiscard]] bool asks_to_count() const { return has(Word::HowMany) || has(Word::Common); }

    void find_roles() {
        const bool asks_rate = has({Word::Rate, Word::Share});
        std::size_t last_group_end = 0;
        for (Said& s : said_) {
            if (s.is_value || s.is_used) continue;
            const Column& column = *s.column;
            const bool after_by = follows(s.begin, {Word::By, Word::Each, Word::Per}, 4);
            const bool in_list = last_group_end > 0 && s.begin <= last_group_end + 2 &&
                                 s.begin > last_group_end && is_at(last_group_end, Word::And);
            const bool after_which = follows(s.begin, {Word::Which}, 2);
            if (column.is_date()) {
                dates_said_.push_back(s.field);
                if (after_by && q_.groups.empty()) {
                    q_.groups.push_back({s.field, natural_grain(column), 0});
                }
                continue;
            }
            if (column.is_flag() && !after_by && (!after_which || asks_rate)) {
                flags_said_.push_back(&s);
                continue;
            }
            if (column.is_text() || column.is_id) {
                if (is_counted(s)) {
                    counted_ = s;
                    continue;
                }
                // "percentage of employees": the rows, told apart by their id
                const bool ranked = has({Word::Top, Word::Bottom, Word::Highest, Word::Lowest,
                                         Word::Oldest, Word::Youngest, Word::Common});
                if (is_row_noun(s) && !after_by && !after_which &&
                    (!ranked || !q_.groups.empty() || follows_most(s.begin))) {
                    says_rows_ = true;
                    counts_rows_ = counts_rows_ || ranked;
                    continue;
                }
                add_group(s);
                last_group_end = s.end;
                continue;
            }
            const bool is_year = column.is_whole && column.low >= 1900 && column.high <= 2100;
            if (is_year && !has({Word::Mean, Word::Maximum, Word::Minimum, Word::Median,
                                 Word::Correlation, Word::Distribution})) {
                if (after_by || after_which) add_group(s);
                continue;
            }
            const bool ranks = has({Word::Top, Word::Bottom, Word::Rank}) || tokens_said_sort();
            const bool has_other_measure =
                std::any_of(said_.begin(), said_.end(), [&](const Said& o) {
                    return &o != &s && !o.is_value && !o.is_used && o.column->is_number() &&
                           !o.column->is_id && o.begin < s.begin;
                });
            if ((after_by || in_list || after_which) &&
                (column.distinct <= 40 ? !ranks : has_other_measure && !ranks) &&
                (has_other_measure || asks_to_count() || column.distinct <= 12) &&
                !has(Word::Correlation)) {
                Group group{s.field, Grain::None, column.distinct > 40 ? 8 : 0};
                q_.groups.push_back(group);
                last_group_end = s.end;
                continue;
            }
            measures_said_.push_back(s);
        }
        for (Said* s : flags_said_) flag(*s, asks_rate);
        drop_modifiers();
        // "how many units were sold": what is counted is the measure, the verb only goes with it
        for (const Said& m : measures_said_) {
            if (!follows(m.begin, {Word::HowMany}, 1)) continue;
            measures_said_ = {Said(m)};
            break;
        }
    }
    // 每个类别的商品数量: the noun before a measure is part of its name, where a group is named
    void drop_modifiers() {
        if (q_.groups.size() < 2) return;
        for (const Said& s : said_) {
            if (s.is_value || s.is_used || !s.column->is_text()) continue;
            if (follows(s.begin, {Word::By, Word::Each, Word::Per, Word::Which, Word::And}, 2)) {
                continue;
            }
            const bool is_modifier = std::any_of(measures_said_.begin(), measures_said_.end(),
                                                 [&](const Said& m) { return m.begin == s.end; });
            if (!is_modifier || q_.groups.size() < 2) continue;
            std::erase_if(q_.groups, [&](const Group& g) { return g.field == s.field; });
        }
    }
    // "the most orders": how many
    [[nodiscard]] bool follows_most(std::size_t token) const {
        return std::any_of(tags_.begin(), tags_.end(), [&](const Tag& t) {
            return (t.word == Word::Highest || t.word == Word::Lowest) && t.end == token &&
                   is_of_number(t);
        });
    }
    [[nodiscard]] bool tokens_said_sort() const {
        return has(Word::Which) && has({Word::Highest, Word::Lowest});
    }
    void flag(Said& s, bool asks_rate) {
        if (has(Word::Compare) && !asks_rate) {
            add_group(s);
            return;
        }
        if (asks_rate || (has(Word::Mean) && measures_said_.empty())) {
            rate_ = s.field;
            return;
        }
        if (has(Word::HowMany) || !measures_said_.empty() || has(Word::Show)) {
            const Column& column = *s.column;
            const bool negated = is_excluded(s.begin) && !column.negative.empty();
            Filter filter;
            filter.field = s.field;
            filter.begin = s.begin;
            if (column.is_number()) {
                filter.kind = Filter::Kind::Equal;
                filter.low = negated ? 0 : 1;
            } else {
                filter.kind = Filter::Kind::OneOf;
                filter.values = {negated ? column.negative : column.positive};
            }
            q_.filters.push_back(filter);
            s.is_used = true;
            return;
        }
        if (s.column->is_number() && !has({Word::Compare, Word::Which})) {
            measures_said_.push_back(s);
            return;
        }
        add_group(s);
    }
    // "how many customers": the noun that is counted, not a group
    [[nodiscard]] bool is_counted(const Said& s) const {
        if (follows(s.begin, {Word::Each, Word::By, Word::Per}, 2) &&
            !follows(s.begin, {Word::HowMany}, 2)) {
            return false;
        }
        if (follows(s.begin, {Word::HowMany, Word::Distinct}, 3)) return true;
        // 客户有多少个, 商品数
        if (precedes(s.end, {Word::HowMany}, 3) && q_.language == Language::Chinese &&
            !follows(s.begin, {Word::Each, Word::By}, 2)) {
            return !has_group_sign();
        }
        return false;
    }
    [[nodiscard]] bool has_group_sign() const { return false; }
    void add_group(const Said& s) {
        const bool known = std::any_of(q_.groups.begin(), q_.groups.end(),
                                       [&](const Group& g) { return g.field == s.field; });
        if (!known && q_.groups.size() < 3) q_.groups.push_back({s.field, Grain::None, 0});
    }

    // ---- order and number -------------------------------------------------------------------
    void find_order() {
        const bool high = has(
            {Word::Highest, Word::Top, Word::Common, Word::Expensive, Word::Oldest, Word::Newest});
        const bool low = has(
            {Word::Lowest, Word::Bottom, Word::Rare, Word::Cheap, Word::Youngest, Word::Earliest});
        if (high) q_.order = Order::Highest;
        if (low) q_.order = Order::Lowest;
        if (has(Word::Rank) && q_.order == Order::None) q_.order = Order::Highest;
        for (const Tag& t : tags_) {
            const bool is_order =
                t.word == Word::Top || t.word == Word::Bottom || t.word == Word::Highest ||
                t.word == Word::Lowest || t.word == Word::Expensive || t.word == Word::Cheap ||
                t.word == Word::First || t.word == Word::Last || t.word == Word::Common ||
                t.word == Word::Preview || t.word == Word::Oldest || t.word == Word::Youngest ||
                t.word == Word::Rare;
            if (!is_order) continue;
            for (std::size_t i = t.end; i < tokens_.size() && i < t.end + 3; ++i) {
                if (take_count(i)) return;
                if (!is_filler(i)) break;
            }
            for (std::size_t i = t.begin; i > 0 && i + 2 > t.begin; --i) {
                if (take_count(i - 1)) return;
            }
        }
        // 卖得最好的商品前三; "show 5 rows"
        for (const Tag& t : tags_) {
            if (t.word != Word::Rows && t.word != Word::Show) continue;
            const std::size_t i = t.word == Word::Rows ? (t.begin > 0 ? t.begin - 1 : 0) : t.end;
            if (has({Word::Show, Word::Preview, Word::First}) && take_count(i)) return;
        }
    }
    bool take_count(std::size_t i) {
        std::size_t end = 0;
        const auto value = number_at(i, end);
        if (!value || *value < 1 || *value > 1000 || condition_numbers_.contains(i)) return false;
        for (const Filter& f : q_.filters) {
            if (f.begin == i) return false;
        }
        // 最高的一个 is one
        q_.count = static_cast<std::size_t>(*value);
        return true;
    }

    // ---- measures ---------------------------------------------------------------------------
    struct AggregationTag {
        Aggregation aggregation;
        std::size_t begin;
        std::size_t end;
    };
    [[nodiscard]] std::vector<AggregationTag> aggregations() const {
        std::vector<AggregationTag> found;
        for (const Tag& t : tags_) {
            std::optional<Aggregation> a;
            switch (t.word) {
                case Word::Sum: a = Aggregation::Sum; break;
                case Word::Mean: a = Aggregation::Mean; break;
                case Word::Median: a = Aggregation::Median; break;
                case Word::Minimum: a = Aggregation::Minimum; break;
                case Word::Maximum: a = Aggregation::Maximum; break;
                case Word::Deviation: a = Aggregation::Deviation; break;
                default: break;
            }
            if (a) found.push_back({*a, t.begin, t.end});
        }
        std::stable_sort(found.begin(), found.end(),
                         [](const auto& a, const auto& b) { return a.begin < b.begin; });
        return found;
    }

    void find_measures() {
        auto aggs = aggregations();
        // "highest and lowest salary", "the highest temperature per sensor": extremes, not order
        const bool names_group = std::any_of(q_.groups.begin(), q_.groups.end(),
                                             [&](const Group& g) { return group_is_each(g); });
        const bool both = has(Word::Highest) && has(Word::Lowest);
        if (!measures_said_.empty() &&
            !has({Word::Which, Word::Who, Word::Top, Word::Bottom, Word::Mean, Word::Sum,
                  Word::Median}) &&
            (both || q_.groups.empty() || names_group) && !has(Word::HowMany)) {
            for (const Tag& t : tags_) {
                const bool is_high = t.word == Word::Highest || t.word == Word::Expensive;
                const bool is_low = t.word == Word::Lowest || t.word == Word::Cheap;
                if ((!is_high && !is_low) || (is_of_number(t) && !q_.groups.empty())) continue;
                if (q_.count && *q_.count > 1) continue;
                const bool beside =
                    std::any_of(measures_said_.begin(), measures_said_.end(), [&](const Said& m) {
                        return m.begin >= t.end ? m.begin - t.end <= 3 + (both ? 3U : 0U)
                                                : t.begin - std::min(m.end, t.begin) <= 2;
                    });
                if (!beside) continue;
                aggs.push_back(
                    {is_high ? Aggregation::Maximum : Aggregation::Minimum, t.begin, t.end});
                extremes_ = true;
            }
            std::stable_sort(aggs.begin(), aggs.end(),
                             [](const auto& a, const auto& b) { return a.begin < b.begin; });
            if (extremes_) q_.order = Order::None;
        }
        std::erase_if(aggs, [&](const AggregationTag& a) {
            return std::any_of(measures_said_.begin(), measures_said_.end(), [&](const Said& m) {
                return m.begin <= a.begin && a.end <= m.end;
            });
        });
        aggregations_are_none_ = aggs.empty();
        if (!aggs.empty()) said_aggregation_ = true;
        for (std::size_t m = 0; m < measures_said_.size(); ++m) {
            const Said& s = measures_said_[m];
            if (s.is_used && !follows(s.begin, {Word::Sum, Word::Mean, Word::Median}, 2) &&
                measures_said_.size() > 1) {
                continue;
            }
            const std::size_t previous_end = m == 0 ? 0 : measures_said_[m - 1].end;
            const std::size_t next_begin =
                m + 1 < measures_said_.size() ? measures_said_[m + 1].begin : tokens_.size();
            std::vector<Aggregation> mine;
            for (const auto& a : aggs) {
                if (a.begin >= previous_end && a.end <= s.begin) mine.push_back(a.aggregation);
            }
            if (mine.empty()) {
                for (const auto& a : aggs) {
                    // behind it: 工资的平均值; but not what belongs to the next measure
                    if (a.begin >= s.end && a.begin < next_begin &&
                        (m + 1 == measures_said_.size())) {
                        mine.push_back(a.aggregation);
                    }
                }
            }
            if (mine.empty() && !q_.measures.empty() && !aggs.empty()) {
                mine.push_back(q_.measures.back().aggregation);
            }
            if (mine.empty()) {  // in its name: "max temp" of a column max_temp
                for (const Tag& t : tags_) {
                    if (t.begin < s.begin || t.end > s.end || !aggregations_are_none_) continue;
                    if (t.word == Word::Maximum) mine.push_back(Aggregation::Maximum);
                    if (t.word == Word::Minimum) mine.push_back(Aggregation::Minimum);
                }
            }
            if (mine.empty()) {
                const bool most = std::any_of(tags_.begin(), tags_.end(), [&](const Tag& t) {
                    return (t.word == Word::Highest || t.word == Word::Lowest) && is_of_number(t);
                });
                const bool is_plain = s.column->meanings.empty() && !q_.groups.empty() && most;
                mine.push_back(is_plain ? Aggregation::Sum : natural(*s.column));
            }
            for (const Aggregation a : mine) add_measure({a, s.field, std::nullopt});
        }
        if (rate_) add_measure({Aggregation::Rate, *rate_, std::nullopt});
        find_counts();
        if (q_.measures.empty()) find_product();
        if (q_.measures.empty() && !aggs.empty()) {
            aggregations_said_.clear();
            for (const auto& a : aggs) aggregations_said_.push_back(a.aggregation);
        }
    }
    // "most" and "fewest" compare totals; "highest" and "lowest" may be of one row
    [[nodiscard]] bool is_of_number(const Tag& t) const {
        static const std::set<std::string> kWords = {"most", "best", "least", "fewest", "worst",
                                                     "最多", "最少", "最好",  "最差",   "最佳"};
        std::string text;
        for (std::size_t i = t.begin; i < t.end; ++i) text += tokens_[i].text;
        return kWords.contains(text);
    }
    // "in each department", "per sensor"
    [[nodiscard]] bool group_is_each(const Group& g) const {
        for (const Said& s : said_) {
            if (!s.is_value && s.field == g.field &&
                follows(s.begin, {Word::Each, Word::By, Word::Per}, 4)) {
                return true;
            }
        }
        return g.grain != Grain::None && !has(Word::Which);
    }
    static Aggregation natural(const Column& column) {
        return column.nature() == Nature::Additive ? Aggregation::Sum : Aggregation::Mean;
    }
    void add_measure(Measure measure) {
        if (q_.measures.size() < 6 &&
            std::find(q_.measures.begin(), q_.measures.end(), measure) == q_.measures.end()) {
            q_.measures.push_back(measure);
        }
    }
    void find_counts() {
        const Tag* many = tag(Word::HowMany);
        // 金额是多少: how much, where a measure is named
        bool counts = many != nullptr;
        if (counts && !measures_said_.empty() && !counted_) {
            bool is_han_many = false;
            bool is_plain = false;
            for (const Tag& t : tags_) {
                if (t.word != Word::HowMany) continue;
                std::string text;
                for (std::size_t i = t.begin; i < t.end; ++i) text += tokens_[i].text;
                const bool is_vague = text == "多少" || text == "有多少";
                (is_vague ? is_han_many : is_plain) = true;
            }
            if (is_han_many && !is_plain) counts = false;
            if (is_han_many && counts_pieces()) {  // 卖了多少台
                q_.measures = {{Aggregation::Sum, field_meaning("quantity"), std::nullopt}};
                return;
            }
            // "how many units were sold": the measure itself is counted
            for (const Said& m : measures_said_) {
                if (follows(m.begin, {Word::HowMany}, 2) && !is_filter_field(m.field)) {
                    counts = false;
                }
            }
        }
        // "average price per bedroom count"
        for (const Tag& t : tags_) {
            const bool is_figure = t.word == Word::Mean || t.word == Word::Median ||
                                   t.word == Word::Maximum || t.word == Word::Minimum;
            if (is_figure && counts && many != nullptr && t.begin < many->begin &&
                !q_.measures.empty() && !has(Word::And)) {
                counts = false;
            }
        }
        if (has({Word::Growth, Word::Drop}) && is_vague_count() && !counted_ && !says_rows_) {
            counts = false;  // 增长了多少
        }
        if (has(Word::Common) || has(Word::Rare)) counts = true;
        if (counts_rows_ && measures_said_.empty() && !rate_) counts = true;
        if (counts) {
            if (const auto quantity = field_meaning("quantity"); quantity && says_sold()) {
                q_.measures = {{Aggregation::Sum, *quantity, std::nullopt}};
                return;
            }
            const bool keeps = said_aggregation_ && !q_.measures.empty() && has(Word::And);
            if (!keeps) q_.measures.clear();
            if (counted_ && !is_row_noun(*counted_)) {
                q_.measures.push_back({Aggregation::Distinct, counted_->field, std::nullopt});
            } else {
                q_.measures.push_back({Aggregation::Count, std::nullopt, std::nullopt});
            }
        } else if (counted_ && q_.measures.empty()) {
            q_.measures.push_back({Aggregation::Distinct, counted_->field, std::nullopt});
        }
    }
    // 多少 and a word for pieces of a thing, none for money
    [[nodiscard]] bool counts_pieces() const {
        if (!says_sold() || !field_meaning("quantity")) return false;
        static const std::set<std::string> kPieces = {"台", "件", "个", "只", "瓶", "本",
                                                      "箱", "杯", "双", "套", "部", "份",
                                                      "包", "盒", "张", "辆"};
        return std::any_of(tags_.begin(), tags_.end(), [&](const Tag& t) {
            return t.word == Word::HowMany && t.end < tokens_.size() &&
                   kPieces.contains(tokens_[t.end].text);
        });
    }
    // "how many products were sold": pieces
    [[nodiscard]] bool says_sold() const {
        static const std::set<std::string> kVerbs = {"sold", "bought", "卖", "ordered"};
        const bool is_verb = std::any_of(tokens_.begin(), tokens_.end(),
                                         [&](const Token& t) { return kVerbs.contains(t.text); });
        return is_verb && !has(Word::Distinct) &&
               (!counted_ || counted_->column->means("product") ||
                counted_->column->means("category"));
    }
    [[nodiscard]] bool is_filter_field(Field field) const {
        return std::any_of(q_.filters.begin(), q_.filters.end(),
                           [&](const Filter& f) { return f.field == field; });
    }
    // A column whose values tell the rows apart: to count it is to count rows.
    [[nodiscard]] bool is_row_noun(const Said& s) const {
        const std::size_t rows = schema_.tables[s.field.table].rows;
        return s.field.table == q_.table &&
               (s.column->distinct + s.column->missing) * 100 >= rows * 98;
    }
    // Revenue where there is only a price and a quantity.
    [[nodiscard]] bool asks_money() const {
        static const std::set<std::string> kMoney = {
            "revenue", "sale", "turnover", "销售额", "营收", "营业额", "金额", "收入", "amount"};
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            std::string three;
            for (std::size_t k = i; k < tokens_.size() && k < i + 3; ++k) {
                three += tokens_[k].stem;
                if (kMoney.contains(three)) return true;
            }
        }
        return false;
    }
    void find_product() {
        const bool asks = asks_money();
        const auto price = field_meaning("price");
        const auto quantity = field_meaning("quantity");
        if (asks && price && quantity && !field_meaning("amount") && *price != *quantity) {
            const auto aggs = aggregations();
            add_measure({aggs.empty() ? Aggregation::Sum : aggs[0].aggregation, *price, *quantity});
        }
    }

    // ---- what is asked ----------------------------------------------------------------------
    void decide_intent() {
        q_.intent = Intent::Unknown;
        const bool has_columns_word = has(Word::Columns);
        const bool has_named = !q_.groups.empty() || !q_.measures.empty() || !q_.filters.empty() ||
                               !q_.periods.empty();
        for (const Said& s : said_) {
            if (!s.is_value) columns_said_.push_back(s.field);
        }
        if (!has_named && tokens_.size() <= 8 && has({Word::Greeting, Word::Thanks, Word::Help}) &&
            columns_said_.empty()) {
            q_.intent = has(Word::Help)     ? Intent::Help
                        : has(Word::Thanks) ? Intent::Thanks
                                            : Intent::Greeting;
            return;
        }
        if (has(Word::Duplicate)) {
            q_.intent = Intent::Duplicates;
            return;
        }
        if (has(Word::Missing)) {
            q_.intent = Intent::Missing;
            q_.fields = columns_said_;
            return;
        }
        if (has(Word::Outlier)) {
            q_.intent = Intent::Outliers;
            q_.fields.clear();
            for (const Said& s : measures_said_) q_.fields.push_back(s.field);
            return;
        }
        if (has(Word::Correlation) || q_.chart == ChartKind::Scatter) {
            decide_correlation();
            if (q_.intent != Intent::Unknown) return;
        }
        if (has_columns_word && q_.measures.empty()) {
            q_.intent = has(Word::HowMany) && !has(Word::Which) ? Intent::Shape : Intent::Columns;
            return;
        }
        if (has_columns_word && has(Word::HowMany)) {
            q_.intent = Intent::Shape;
            return;
        }
        if ((has({Word::Distribution}) || q_.chart == ChartKind::Histogram ||
             q_.chart == ChartKind::Box) &&
            !(q_.groups.size() == 1 && measures_said_.empty())) {
            if (!measures_said_.empty() || q_.groups.empty()) {
                q_.intent = Intent::Distribution;
                q_.fields.clear();
                for (const Said& s : measures_said_) q_.fields.push_back(s.field);
                return;
            }
        }
        if (has(Word::Distribution) && q_.groups.size() == 1 && q_.measures.empty()) {
            add_measure({Aggregation::Count, std::nullopt, std::nullopt});
            q_.intent = Intent::Aggregate;
            return;
        }
        if (has(Word::Period) && q_.measures.empty()) {
            q_.intent = Intent::Period;
            q_.fields = dates_said_;
            return;
        }
        if (!dates_said_.empty() && q_.measures.empty() && q_.groups.empty() &&
            has({Word::Earliest, Word::Newest, Word::First, Word::Last, Word::Minimum,
                 Word::Maximum})) {
            q_.intent = Intent::Period;
            q_.fields = dates_said_;
            return;
        }
        // "return rate by product": of rows with that value
        const bool rate_of_value =
            has(Word::Rate) && !rate_ && measures_said_.empty() &&
            std::any_of(q_.filters.begin(), q_.filters.end(),
                        [](const Filter& f) { return f.kind == Filter::Kind::OneOf; });
        if (rate_of_value) {
            q_.measures = {{Aggregation::Count, std::nullopt, std::nullopt}};
            q_.intent = Intent::Share;
            split_share();
            return;
        }
        if (has(Word::Share) &&
            (!q_.groups.empty() || !q_.filters.empty() || !q_.periods.empty())) {
            q_.intent = Intent::Share;
            if (!rate_) {
                split_share();
                return;
            }
        }
        if (has({Word::Growth, Word::Drop}) &&
            (main_date(schema_, q_.table) || !q_.periods.empty())) {
            q_.intent = Intent::Growth;
            return;
        }
        const bool has_agg = said_aggregation_ || !aggregations_said_.empty();
        if (has(Word::Describe) && !has_agg && q_.groups.empty()) {
            q_.intent = Intent::Describe;
            q_.fields = columns_said_;
            return;
        }
        if (wants_rows()) {
            q_.intent = Intent::Rows;
            return;
        }
        if (has({Word::Rows}) && q_.measures.empty() && q_.groups.empty() && q_.filters.empty()) {
            q_.intent = has({Word::Preview, Word::Show, Word::First, Word::Last}) ? Intent::Rows
                                                                                  : Intent::Shape;
            return;
        }
        if (has(Word::HowMany) && q_.groups.empty() && q_.filters.empty() && q_.periods.empty() &&
            q_.measures.size() == 1 && q_.measures[0].aggregation == Aggregation::Count) {
            q_.intent = knows_noun() ? Intent::Shape : Intent::Unknown;
            if (q_.intent == Intent::Shape) return;
        }
        if (has(Word::Preview) && q_.measures.empty()) {
            q_.intent = Intent::Rows;
            return;
        }
        if (lists_values()) {
            q_.intent = Intent::Values;
            q_.fields.clear();
            for (const Group& g : q_.groups) q_.fields.push_back(g.field);
            q_.groups.clear();
            return;
        }
        if (!q_.measures.empty() ||
            (!aggregations_said_.empty() && main_measure(schema_, q_.table)) ||
            (!q_.groups.empty()) || (!q_.periods.empty()) ||
            (has({Word::Trend, Word::Compare}) && !q_.filters.empty()) || compares_values()) {
            q_.intent = Intent::Aggregate;
            return;
        }
        if (has(Word::Describe)) {
            q_.intent = Intent::Describe;
            q_.fields = columns_said_;
        }
    }
    // "how many transactions are there": a noun that the table is about, or none at all
    [[nodiscard]] bool knows_noun() const { return true; }
    void decide_correlation() {
        std::vector<Field> numbers;
        for (const Said& s : measures_said_) numbers.push_back(s.field);
        for (const Filter& f : q_.filters) {
            if (f.kind == Filter::Kind::Equal && at(schema_, f.field).is_flag()) {
                numbers.push_back(f.field);
            }
        }
        if (!numbers.empty() && !q_.groups.empty() && numbers.size() == 1 &&
            q_.groups[0].grain == Grain::None) {
            q_.intent = Intent::Aggregate;  // "does gender affect salary": a mean each
            for (Measure& m : q_.measures) {
                if (m.aggregation == Aggregation::Sum) m.aggregation = Aggregation::Mean;
            }
            return;
        }
        q_.fields = numbers;
        q_.intent = Intent::Correlation;
        q_.groups.clear();
    }
    // What is related to what: conditions on numbers, else the last value named, else the time.
    void split_share() {
        // "what fraction of transactions were paid by card": rows, whatever the verb
        if (const Tag* share = tag(Word::Share)) {
            for (std::size_t i = share->end; i < tokens_.size() && i < share->end + 4; ++i) {
                if (is_row_word(i) && !is_measure_token(i)) {
                    q_.measures = {{Aggregation::Count, std::nullopt, std::nullopt}};
                    measures_said_.clear();
                    break;
                }
                if (!is_filler(i) && !is_at(i, Word::Each) && !is_at(i, Word::In)) break;
            }
        }
        if (q_.filters.empty()) return;
        const auto is_number = [](const Filter& f) {
            return f.kind == Filter::Kind::Less || f.kind == Filter::Kind::LessOrEqual ||
                   f.kind == Filter::Kind::Greater || f.kind == Filter::Kind::GreaterOrEqual ||
                   f.kind == Filter::Kind::Between || f.kind == Filter::Kind::Equal;
        };
        const auto is_value = [](const Filter& f) { return f.kind == Filter::Kind::OneOf; };
        if (!q_.groups.empty()) {
            // "percentage of women in each department" against "share of sales by category in 2023"
            const bool counts =
                q_.measures.empty() ? asks_people() || says_rows_ : !q_.measures[0].field;
            const bool measured_only =
                measures_said_.empty() || std::all_of(measures_said_.begin(), measures_said_.end(),
                                                      [](const Said& m) { return m.is_used; });
            if (!counts && !measured_only) return;
            std::vector<Filter> kept;
            for (const Filter& f : q_.filters) {
                (is_number(f) || is_value(f) ? q_.part : kept).push_back(f);
            }
            q_.filters = kept;
            if (!q_.part.empty() && measured_only) {
                q_.measures = {{Aggregation::Count, std::nullopt, std::nullopt}};
            }
            return;
        }
        if (std::all_of(measures_said_.begin(), measures_said_.end(),
                        [](const Said& m) { return m.is_used; }) &&
            !measures_said_.empty()) {
            q_.measures = {{Aggregation::Count, std::nullopt, std::nullopt}};
        }
        std::vector<Filter> part;
        std::vector<Filter> whole;
        const bool any_number = std::any_of(q_.filters.begin(), q_.filters.end(), is_number);
        const Filter* last_value = nullptr;
        for (const Filter& f : q_.filters) {
            if (is_value(f) && (last_value == nullptr || f.begin > last_value->begin)) {
                last_value = &f;
            }
        }
        // Chinese puts the part first or right before 占比: "咖啡占北区销售额的比例"
        if (q_.language == Language::Chinese && last_value != nullptr) {
            const Tag* share = tag(Word::Share);
            for (const Filter& f : q_.filters) {
                if (is_value(f) && share != nullptr && f.begin < share->begin &&
                    share->begin - f.begin <= 6) {
                    last_value = &f;
                    break;
                }
            }
        }
        const bool any_time =
            std::any_of(q_.filters.begin(), q_.filters.end(),
                        [&](const Filter& f) { return !is_number(f) && !is_value(f); });
        for (const Filter& f : q_.filters) {
            const bool is_part = any_number ? is_number(f)
                                 : last_value != nullptr
                                     ? &f == last_value
                                     : any_time && f.kind != Filter::Kind::NoneOf;
            (is_part ? part : whole).push_back(f);
        }
        q_.part = part;
        q_.filters = whole;
    }
    [[nodiscard]] bool compares_values() const {
        return has({Word::Which, Word::Compare}) && !has(Word::Show) &&
               std::any_of(q_.filters.begin(), q_.filters.end(), [](const Filter& f) {
                   return f.kind == Filter::Kind::OneOf && f.values.size() > 1;
               });
    }
    [[nodiscard]] bool wants_rows() const {
        if ((said_aggregation_ && !extremes_) || compares_values()) return false;
        if (has(Word::HowMany) || has(Word::HowMuch)) {
            if (!has_row_noun_ranked()) return false;
        }
        const bool text_group_is_row = q_.groups.size() == 1 && q_.groups[0].grain == Grain::None &&
                                       is_unique(q_.groups[0].field);
        const bool no_group = q_.groups.empty();
        if (!no_group && !text_group_is_row) return false;
        const bool asks = has({Word::Show, Word::Which, Word::Who, Word::Preview});
        if (has(Word::Who) && (q_.order != Order::None || extremes_ || !q_.filters.empty()))
            return true;
        if (text_group_is_row && (q_.order != Order::None || extremes_ || !q_.filters.empty())) {
            return true;
        }
        if (row_noun_said() && (q_.order != Order::None || extremes_) && asks_extreme_row()) {
            return true;
        }
        if (asks && !q_.filters.empty() && q_.measures.empty() && q_.periods.empty()) return true;
        if (asks && row_noun_said() && !q_.filters.empty() && q_.periods.empty() &&
            filters_use_all_measures()) {
            return true;
        }
        // "requests slower than 300 ms"
        const bool only_condition = !q_.filters.empty() && filters_use_all_measures() &&
                                    !q_.measures.empty() && q_.periods.empty() &&
                                    (row_noun_said() || says_rows_);
        if (only_condition && !has({Word::Share, Word::Compare})) return true;
        return has(Word::Show) && row_noun_said() && (q_.count || q_.order != Order::None);
    }
    [[nodiscard]] bool has_row_noun_ranked() const {
        return has(Word::HowMuch) && !has(Word::HowMany) && row_noun_said() &&
               (q_.order != Order::None || extremes_);
    }
    [[nodiscard]] bool filters_use_all_measures() const {
        return std::all_of(q_.measures.begin(), q_.measures.end(),
                           [&](const Measure& m) { return m.field && is_filter_field(*m.field); });
    }
    [[nodiscard]] bool asks_extreme_row() const { return true; }
    [[nodiscard]] bool is_unique(Field field) const {
        const Column& column = at(schema_, field);
        const std::size_t rows = schema_.tables[field.table].rows;
        return field.table == q_.table && rows > 5 &&
               (column.distinct + column.missing) * 10 >= rows * 9;
    }
    // A word for one row: row, record, the file's name, what a unique id is of.
    [[nodiscard]] bool row_noun_said() const {
        if (has(Word::Rows)) return true;
        const Table& table = schema_.tables[q_.table];
        static const std::set<std::string> kNouns = {
            "transaction", "order",      "purchase", "payment",  "request", "reading",
            "measurement", "sale",       "record",   "employee", "person",  "people",
            "response",    "respondent", "visit",    "trip"};
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (kNouns.contains(tokens_[i].stem) && !is_measure_token(i)) return true;
            for (const Token& word : table.words) {
                if (word.stem == tokens_[i].stem && word.text.size() > 2 &&
                    word.kind == Token::Kind::Word && !is_measure_token(i)) {
                    return true;
                }
            }
        }
        for (const char* noun : {"订单", "交易", "记录", "员工", "笔", "条", "请求", "消费"}) {
            const auto phrase = tokens_of(noun);
            for (std::size_t i = 0; i < tokens_.size(); ++i) {
                if (matches_at(tokens_, i, phrase) && !is_measure_token(i)) return true;
            }
        }
        return false;
    }
    [[nodiscard]] bool is_measure_token(std::size_t i) const {
        return std::any_of(measures_said_.begin(), measures_said_.end(),
                           [&](const Said& m) { return m.begin <= i && i < m.end; });
    }
    [[nodiscard]] bool lists_values() const {
        if (q_.groups.empty() || !q_.measures.empty() || said_aggregation_ ||
            q_.order != Order::None || q_.chart != ChartKind::None) {
            return false;
        }
        if (q_.groups.size() > 1 || q_.groups[0].grain != Grain::None) return false;
        return has({Word::Exist, Word::Which, Word::What, Word::Show, Word::Distinct}) &&
               !has({Word::By, Word::Compare, Word::Trend});
    }

    // ---- follow-ups -------------------------------------------------------------------------
    [[nodiscard]] QuestionParts parts() const {
        QuestionParts parts;
        parts.has_measure = !measures_said_.empty() || rate_.has_value() || counted_.has_value() ||
                            (asks_to_count() && !is_vague_count());
        parts.aggregations = aggregations_said_;
        parts.adds = has(Word::Also);
        parts.has_time = !q_.periods.empty();
        return parts;
    }
    // 多少 alone: how much as well as how many
    [[nodiscard]] bool is_vague_count() const {
        return std::all_of(tags_.begin(), tags_.end(), [&](const Tag& t) {
            if (t.word != Word::HowMany) return true;
            std::string text;
            for (std::size_t i = t.begin; i < t.end; ++i) text += tokens_[i].text;
            return text == "多少" || text == "有多少";
        });
    }

    [[nodiscard]] bool builds_on_before() const {
        switch (before_->intent) {
            case Intent::Unknown:
            case Intent::Help:
            case Intent::Greeting:
            case Intent::Thanks: return false;
            default: break;
        }
        switch (q_.intent) {
            case Intent::Unknown:
                return q_.chart != ChartKind::None || q_.count.has_value() || !q_.filters.empty() ||
                       q_.order != Order::None;
            case Intent::Aggregate:
            case Intent::Share:
            case Intent::Growth:
            case Intent::Values:
            case Intent::Rows:
            case Intent::Distribution:
            case Intent::Shape:
            case Intent::Outliers: break;
            default: return false;
        }
        const bool has_measure = parts().has_measure;
        const bool begins_with_cue = !tokens_.empty() && starts_with_cue();
        const bool has_cue = begins_with_cue || ends_with_cue();
        if (q_.intent == Intent::Rows) return has_cue && q_.filters.empty() && q_.measures.empty();
        if (q_.intent == Intent::Values) return has_cue;
        if (q_.intent == Intent::Shape && !has_measure) return false;
        if (has_measure) {
            // "what about quantity?", "and the average salary?"
            return has_cue && q_.groups.empty();
        }
        if (has_cue) return true;
        // a fragment: "by region", "top 3 only", "in 2023"
        return tokens_.size() <= (q_.language == Language::Chinese ? 14U : 8U) &&
               !has({Word::Which, Word::Who, Word::HowMuch, Word::Compare});
    }
    [[nodiscard]] bool starts_with_cue() const {
        static const std::set<std::string> kFirst = {
            "and",  "but",     "now", "then", "only", "just", "same", "also", "ok",
            "okay", "instead", "or",  "那",   "再",   "只",   "仅",   "换",   "改",
            "同",   "也",      "还",  "接",   "把",   "以",   "如"};
        if (kFirst.contains(tokens_[0].text)) return true;
        return is_at(0, Word::FollowUp);
    }
    [[nodiscard]] bool ends_with_cue() const {
        for (std::size_t i = tokens_.size(); i > 0 && i + 3 > tokens_.size(); --i) {
            const std::string& text = tokens_[i - 1].text;
            if (text == "呢" || text == "instead" || text == "only" || text == "too" ||
                text == "that" || text == "this" || text == "it") {
                return true;
            }
        }
        return false;
    }

    // ---- what is left open ------------------------------------------------------------------
    void complete() {
        if (q_.intent == Intent::Unknown && !has_unknown_role()) {
            const bool is_superlative = q_.order != Order::None && row_noun_said();
            if (!q_.filters.empty() || is_superlative) q_.intent = Intent::Rows;
        }
        if ((q_.intent == Intent::Aggregate || q_.intent == Intent::Share) && has_unknown_role()) {
            q_.intent = Intent::Unknown;
        }
        if (q_.intent == Intent::Growth) complete_growth();
        if (q_.intent == Intent::Aggregate || q_.intent == Intent::Share ||
            q_.intent == Intent::Growth) {
            if (q_.measures.empty()) choose_measure();
            for (std::size_t i = 0; i < q_.filters.size(); ++i) group_by_values(i);
        }
        if (q_.intent == Intent::Rows && q_.order != Order::None && q_.measures.empty()) {
            if (const auto field = superlative_field()) {
                q_.measures.push_back({Aggregation::Maximum, *field, std::nullopt});
            }
        }
        if (q_.intent == Intent::Rows && extremes_ && q_.order == Order::None &&
            !q_.measures.empty()) {
            q_.order =
                q_.measures[0].aggregation == Aggregation::Minimum ? Order::Lowest : Order::Highest;
            if (!q_.count) q_.count = 1;
        }
        if (q_.intent == Intent::Outliers || q_.intent == Intent::Distribution) {
            if (q_.fields.empty()) {
                if (const auto field = main_measure(schema_, q_.table)) {
                    q_.fields.push_back(*field);
                    q_.chose_measure = true;
                }
            }
        }
        if (q_.intent == Intent::Aggregate) complete_aggregate();
        if (q_.count) q_.count = std::min(*q_.count, kRowsMax);
        find_unknown();
    }
    void complete_growth() {
        q_.of_growth = q_.order != Order::None;
        if (has(Word::Drop) && !has(Word::Growth) && q_.of_growth) q_.order = Order::Lowest;
        if (!q_.periods.empty()) return;
        const auto date = main_date(schema_, q_.table);
        const bool has_grain = std::any_of(q_.groups.begin(), q_.groups.end(),
                                           [](const Group& g) { return g.grain != Grain::None; });
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
            } else {
                then.to = now.from;
                then.from = *now.from - length;
            }
            now.label = label(now);
            then.label = label(then);
            q_.periods = {then, now};
            q_.fields.push_back(f.field);
            q_.filters.erase(q_.filters.begin() + static_cast<std::ptrdiff_t>(i));
            return;
        }
        q_.groups.insert(q_.groups.begin(), {*date, natural_grain(at(schema_, *date)), 0});
    }
    // Several values of one column, and no group: one figure for each of them.
    void group_by_values(std::size_t i) {
        const Filter& f = q_.filters[i];
        if (f.kind != Filter::Kind::OneOf || f.values.size() < 2 || q_.groups.size() > 1) return;
        const bool known = std::any_of(q_.groups.begin(), q_.groups.end(),
                                       [&](const Group& g) { return g.field == f.field; });
        const bool has_name = std::any_of(q_.groups.begin(), q_.groups.end(),
                                          [&](const Group& g) { return g.grain == Grain::None; });
        if (!known && !has_name) q_.groups.push_back({f.field, Grain::None, 0});
    }
    [[nodiscard]] std::optional<Field> superlative_field() const {
        struct Adjective {
            std::string_view word;
            std::string_view about;
        };
        static constexpr std::array kAdjectives = {
            Adjective{"longest", "latency"},     Adjective{"shortest", "latency"},
            Adjective{"slowest", "latency"},     Adjective{"fastest", "latency"},
            Adjective{"longest", "distance"},    Adjective{"shortest", "distance"},
            Adjective{"fastest", "speed"},       Adjective{"slowest", "speed"},
            Adjective{"heaviest", "weight"},     Adjective{"lightest", "weight"},
            Adjective{"tallest", "height"},      Adjective{"shortest", "height"},
            Adjective{"hottest", "temperature"}, Adjective{"coldest", "temperature"},
            Adjective{"warmest", "temperature"}, Adjective{"coolest", "temperature"},
            Adjective{"wettest", "rain"},        Adjective{"driest", "rain"},
            Adjective{"windiest", "wind"},       Adjective{"largest", "area"},
            Adjective{"smallest", "area"},       Adjective{"biggest", "area"},
            Adjective{"cheapest", "price"},      Adjective{"oldest", "age"},
            Adjective{"youngest", "age"}};
        if (has({Word::Expensive, Word::Cheap})) {
            if (auto field = field_meaning("price")) return field;
        }
        if (has({Word::Oldest, Word::Youngest})) {
            if (auto field = field_meaning("age")) return field;
        }
        for (const Adjective& a : kAdjectives) {
            const bool said = std::any_of(tokens_.begin(), tokens_.end(),
                                          [&](const Token& t) { return t.text == a.word; });
            if (!said) continue;
            if (auto field = field_meaning(a.about)) return field;
        }
        if (has({Word::Newest, Word::Earliest})) return main_date(schema_, q_.table);
        return main_measure(schema_, q_.table);
    }
    void choose_measure() {
        const bool counts_rows = (q_.intent == Intent::Share && asks_people()) ||
                                 has({Word::Common, Word::Rare}) || row_noun_counts() ||
                                 says_used();
        auto field = superlative_field();
        if (counts_rows || !field || at(schema_, *field).is_date()) {
            q_.measures.push_back({Aggregation::Count, std::nullopt, std::nullopt});
            return;
        }
        q_.chose_measure = true;
        if (aggregations_said_.empty()) {
            q_.measures.push_back({natural(at(schema_, *field)), *field, std::nullopt});
        }
        for (const Aggregation a : aggregations_said_) {
            q_.measures.push_back({a, *field, std::nullopt});
        }
    }
    // "is cash used more than cards": how often
    [[nodiscard]] bool says_used() const {
        static const std::set<std::string> kWords = {"used", "use",    "using",
                                                     "用",   "chosen", "popular"};
        return std::any_of(tokens_.begin(), tokens_.end(),
                           [&](const Token& t) { return kWords.contains(t.text); });
    }
    // "which region has the most orders": rows, not money
    [[nodiscard]] bool row_noun_counts() const {
        if (!aggregations_said_.empty()) return false;
        if (says_rows_ && !has({Word::Expensive, Word::Cheap})) return true;
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (!is_row_word(i)) continue;
            return true;
        }
        const auto main = main_measure(schema_, q_.table);
        return main && at(schema_, *main).nature() != Nature::Additive &&
               (has(Word::Share) || q_.intent == Intent::Share);
    }
    [[nodiscard]] bool is_row_word(std::size_t i) const {
        // a customer is no row where customers come back
        for (const Said& s : said_) {
            if (s.begin <= i && i < s.end && (s.is_value || !is_row_noun(s))) return false;
        }
        static const std::set<std::string> kNouns = {
            "transaction", "order",   "purchase",   "request",  "row",         "record",
            "employee",    "people",  "person",     "staff",    "entry",       "customer",
            "user",        "visitor", "respondent", "response", "hit",         "log",
            "event",       "reading", "headcount",  "worker",   "participant", "observation"};
        static const std::array<const char*, 8> kHan = {"订单", "交易", "记录", "员工",
                                                        "请求", "人员", "人数", "笔"};
        if (kNouns.contains(tokens_[i].stem)) return true;
        for (const Token& word : schema_.tables[q_.table].words) {
            const bool is_generic = word.stem == "sale" || word.stem == "data";
            if (word.stem == tokens_[i].stem && word.text.size() > 2 && !is_generic) return true;
        }
        return std::any_of(kHan.begin(), kHan.end(), [&](const char* noun) {
            return matches_at(tokens_, i, tokens_of(noun));
        });
    }
    [[nodiscard]] bool asks_people() const {
        if (says_rows_) return true;
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (is_row_word(i)) return true;
        }
        return false;
    }

    void complete_aggregate() {
        // "average daily sales": the mean of daily totals
        if (q_.measures.size() == 1 && q_.groups.size() == 1 && !q_.averaged) {
            Measure& m = q_.measures[0];
            const Group g = q_.groups[0];
            const bool adds_up = m.aggregation == Aggregation::Count ||
                                 (m.field && at(schema_, *m.field).nature() == Nature::Additive);
            const bool is_mean = m.aggregation == Aggregation::Mean ||
                                 (m.aggregation == Aggregation::Count && has(Word::Mean)) ||
                                 (m.aggregation == Aggregation::Distinct && has(Word::Mean));
            const bool by_time =
                g.grain != Grain::None && says_rate_of_time(m.aggregation == Aggregation::Count);
            const bool by_thing = g.grain == Grain::None && says_per_thing(g.field);
            if (is_mean && adds_up && (by_time || by_thing)) {
                q_.averaged = g;
                q_.groups.clear();
                if (m.aggregation == Aggregation::Mean) m.aggregation = Aggregation::Sum;
            }
        }
        const bool asks_one =
            has({Word::Which, Word::Who, Word::When, Word::What, Word::HowMuch}) ||
            (q_.order != Order::None && !q_.groups.empty());
        if (q_.order != Order::None && !q_.count && !q_.groups.empty()) {
            const bool is_list = has({Word::Top, Word::Bottom}) && !has(Word::Highest) &&
                                 !has(Word::Lowest) && !says_singular_top();
            if (is_list) {
                q_.count = kListMax;
            } else if (!has(Word::Rank)) {
                q_.wants_one = asks_one;
            }
        }
        if (q_.count && *q_.count == 1 && q_.order != Order::None) q_.wants_one = true;
        // a superlative about one figure: the extreme itself
        if (q_.order != Order::None && q_.groups.empty() && q_.measures.size() == 1 &&
            q_.measures[0].field && !said_aggregation_) {
            q_.measures[0].aggregation =
                q_.order == Order::Highest ? Aggregation::Maximum : Aggregation::Minimum;
            if (q_.count && *q_.count > 1) q_.intent = Intent::Rows;
        }
    }
    [[nodiscard]] bool says_singular_top() const {
        const Tag* t = tag(Word::Top);
        if (t == nullptr || t->end >= tokens_.size()) return false;
        for (const Said& s : said_) {
            if (!s.is_value && s.begin >= t->end && s.begin <= t->end + 1) {
                const Token& word = tokens_[s.end - 1];
                return word.kind == Token::Kind::Word && word.text == word.stem;
            }
        }
        return false;
    }
    // daily, per day, 日均; not "by day"
    [[nodiscard]] bool says_rate_of_time(bool counts) const {
        const Tag* mean = tag(Word::Mean);
        // "average transaction value per month" is a mean of rows
        for (const Said& m : measures_said_) {
            if (m.begin > 0 && !counts && is_row_word(m.begin - 1) &&
                tokens_[m.begin - 1].text != "sales") {
                return false;
            }
            for (std::size_t i = m.begin; i < m.end; ++i) {
                if (!counts && m.end - m.begin > 1 && tokens_[i].text == "value") return false;
            }
            if (m.begin > 1 && !counts && is_row_word(m.begin - 2)) return false;
        }
        for (const Tag& t : tags_) {
            const bool is_grain = t.word == Word::Daily || t.word == Word::Weekly ||
                                  t.word == Word::Monthly || t.word == Word::Quarterly ||
                                  t.word == Word::Yearly || t.word == Word::Hourly;
            if (!is_grain) continue;
            const std::string& first = tokens_[t.begin].text;
            // "monthly average" is one for each month, "average monthly" one in all
            if (!counts && (mean == nullptr || mean->begin > t.begin)) return false;
            if (first == "by" || first == "按" || first == "各" || first == "逐") return false;
            if (t.end - t.begin == 1 || first == "per" || first == "日" || first == "月" ||
                first == "周" || first == "年") {
                return true;
            }
            if (first == "每" || first == "each" || first == "every") return true;
        }
        return false;
    }
    [[nodiscard]] bool says_per_thing(Field field) const {
        const Column& column = at(schema_, field);
        if (column.distinct <= 30) return false;
        return std::any_of(said_.begin(), said_.end(), [&](const Said& s) {
            return s.field == field && follows(s.begin, {Word::Per, Word::Each}, 3);
        });
    }

    void find_unknown() {
        for (std::size_t i = 0; i < tokens_.size() && q_.unknown.size() < 5; ++i) {
            const Token& token = tokens_[i];
            if (token.kind != Token::Kind::Word || token.text.size() < 3) continue;
            const bool known =
                std::any_of(tags_.begin(), tags_.end(),
                            [&](const Tag& t) { return t.begin <= i && i < t.end; }) ||
                std::any_of(said_.begin(), said_.end(),
                            [&](const Said& s) { return s.begin <= i && i < s.end; }) ||
                is_in_time(i);
            if (!known) q_.unknown.push_back(token.as_written.substr(0, 40));
        }
        find_names();
    }
    // "by planet", where there is no such column: better said than left out
    [[nodiscard]] bool has_unknown_role() const {
        if (!q_.groups.empty() || !q_.periods.empty() || q_.averaged) return false;
        for (const Tag& t : tags_) {
            if (t.word != Word::By && t.word != Word::Each) continue;
            if (tokens_[t.begin].kind == Token::Kind::Han) continue;
            std::size_t i = t.end;
            while (i < tokens_.size() && tokens_[i].text == "the") ++i;
            if (i < tokens_.size() && tokens_[i].kind == Token::Kind::Word && !is_known(i) &&
                !number_word(tokens_[i])) {
                return true;
            }
        }
        return false;
    }
    [[nodiscard]] bool is_known(std::size_t i) const {
        return std::any_of(tags_.begin(), tags_.end(),
                           [&](const Tag& t) { return t.begin <= i && i < t.end; }) ||
               std::any_of(said_.begin(), said_.end(),
                           [&](const Said& s) { return s.begin <= i && i < s.end; }) ||
               is_in_time(i) || is_noise(tokens_[i]) || is_table_word(i) || is_row_word(i);
    }
    [[nodiscard]] bool is_table_word(std::size_t i) const {
        return std::any_of(schema_.tables.begin(), schema_.tables.end(), [&](const Table& table) {
            return std::any_of(table.words.begin(), table.words.end(),
                               [&](const Token& word) { return word.stem == tokens_[i].stem; });
        });
    }
    // Unknown words that are written like names: a capital, a digit, quotes.
    void find_names() {
        for (std::size_t i = 0; i < tokens_.size() && q_.names.size() < 3;) {
            std::size_t end = i;
            std::string name;
            bool looks_so = false;
            while (end < tokens_.size() && tokens_[end].is_quoted && !is_in_value(i)) {
                name += (name.empty() ? "" : " ") + tokens_[end].as_written;
                looks_so = true;
                ++end;
            }
            while (end < tokens_.size() && tokens_[end].kind == Token::Kind::Word &&
                   !is_known(end)) {
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

    const Schema& schema_;
    const Question* before_;
    std::vector<Token> tokens_;
    std::vector<Tag> tags_;
    std::vector<TimeSpan> times_;
    std::vector<Said> said_;
    std::vector<Said> measures_said_;
    std::vector<Field> columns_said_;
    std::vector<Field> dates_said_;
    std::vector<Said*> flags_said_;
    std::optional<Said> counted_;
    bool says_rows_ = false;  // a noun for one row
    bool counts_rows_ = false;
    std::optional<Field> rate_;
    std::vector<Aggregation> aggregations_said_;
    std::set<std::size_t> condition_numbers_;
    Grain grain_ = Grain::None;
    bool said_aggregation_ = false;
    bool extremes_ = false;
    bool aggregations_are_none_ = true;
    Question q_;
};

}  // namespace

std::optional<Field> main_measure(const Schema& schema, std::size_t table) {
    if (table >= schema.tables.size()) return std::nullopt;
    // what people mean by "how much", in this order
    static constexpr std::array<std::string_view, 12> kUsual = {
        "amount", "profit",      "salary", "quantity", "cost",         "visits",
        "price",  "temperature", "score",  "rating",   "satisfaction", "latency"};
    const auto& columns = schema.tables[table].columns;
    for (const std::string_view about : kUsual) {
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const Column& column = columns[c];
            if (column.is_number() && !column.is_id && !column.meanings.empty() &&
                column.meanings[0]->name == about) {
                return Field{table, c};
            }
        }
    }
    std::optional<Field> first;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const Column& column = columns[c];
        if (!column.is_number() || column.is_id || column.is_flag()) continue;
        const bool is_year = column.is_whole && column.low >= 1900 && column.high <= 2100;
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

#include "models/offline/reader.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace atl::offline {

void Reader::find_time() {
    auto date = main_date(schema_, q_.table);
    if (const auto said = date_said()) date = said;
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
            if (!span.parts.empty()) months.push_back(span);
        } else {
            dates.push_back(span);
        }
    }
    if (!weekdays.empty()) {
        weekday_span.parts = weekdays;
        q_.filters.push_back(time_filter(Filter::Kind::Weekdays, *date, weekday_span));
    }
    // "January versus February 2023": of the same year?
    if (!months.empty() && !dates.empty()) {
        q_.absent.push_back(text(months[0].begin, months[0].end));
    }
    if (!months.empty()) {
        TimeSpan all = months[0];
        for (std::size_t i = 1; i < months.size(); ++i) {
            all.parts.insert(all.parts.end(), months[i].parts.begin(), months[i].parts.end());
        }
        q_.filters.push_back(time_filter(Filter::Kind::Months, *date, all));
    }
    set_dates(*date, dates);
}

void Reader::set_dates(Field date, const std::vector<TimeSpan>& dates) {
    const bool grows = has({Word::Growth, Word::Drop});
    if (dates.size() == 1 && grows && dates[0].head_to) {  // "grow from January to June"
        TimeSpan a = dates[0];
        TimeSpan b = dates[0];
        a.to = a.head_to;
        b.from = b.tail_from;
        a.label = label_of(*a.from, *a.to);
        b.label = label_of(*b.from, *b.to);
        q_.periods = {a, b};
        q_.fields.push_back(date);
        return;
    }
    if (dates.size() >= 2) {
        // "signed up in 2022 and cancelled in 2023", "after A and before B": which rows?
        const auto own = date_before(dates[1].begin, dates[0].end);
        const bool is_open = std::ranges::any_of(dates, [](const auto& d) { return d.is_open; });
        if (is_open || (own && *own != date)) q_.absent.push_back(dates[1].label);
        q_.periods = dates;
        if (q_.periods.size() > 6) q_.periods.resize(6);
        q_.fields.push_back(date);
        return;
    }
    if (dates.size() == 1) {
        q_.filters.push_back(time_filter(Filter::Kind::Dates, date, dates[0]));
    }
}
Filter Reader::time_filter(Filter::Kind kind, Field field, const TimeSpan& span) {
    Filter filter;
    filter.kind = kind;
    filter.field = field;
    filter.time = span;
    filter.begin = span.begin;
    return filter;
}

// A table without dates may still have a column "year".
void Reader::find_year_column() {
    const Table& table = schema_.tables[q_.table];
    std::optional<Field> year;
    for (std::size_t c = 0; c < table.columns.size() && !year; ++c) {
        const Column& column = table.columns[c];
        const bool is_year = column.is_number() && column.is_year() && column.distinct > 0;
        if (is_year) year = Field{q_.table, c};
    }
    if (!year) return;
    const bool grows = has({Word::Growth, Word::Drop});
    const bool by_year =
        has({Word::Yearly, Word::Trend}) || grows || std::ranges::any_of(tags_, [&](const Tag& t) {
            return t.word == Word::Year && !is_in_time(t.begin) &&
                   follows(t.begin,
                           {Word::By, Word::Each, Word::Which, Word::Highest, Word::Lowest,
                            Word::Top, Word::Bottom},
                           3);
        });
    if (by_year) q_.groups.push_back({*year, Grain::None});
    std::vector<std::string> years;
    std::size_t begin = 0;
    const auto year_of = [](std::chrono::sys_days d) { return iso_of(d).substr(0, 4); };
    for (const TimeSpan& span : times_) {
        if (span.kind != TimeSpan::Kind::Dates) continue;
        begin = span.begin;
        if (!span.to) {
            add_filter(Filter::Kind::GreaterOrEqual, *year, begin, std::stod(year_of(*span.from)));
        } else if (!span.from) {
            add_filter(Filter::Kind::Less, *year, begin, std::stod(year_of(*span.to)));
        } else {
            const std::string first = year_of(*span.from);
            const std::string last = year_of(*span.to - std::chrono::days(1));
            if (first == last || (grows && span.head_to)) {  // "from 2015 to 2024"
                years.push_back(first);
                if (first != last) years.push_back(last);
            } else {
                add_filter(Filter::Kind::Between, *year, begin, std::stod(first), std::stod(last));
            }
        }
    }
    if (years.empty()) return;
    add_filter(Filter::Kind::OneOf, *year, begin).values = years;
    if (years.size() > 1 && !by_year) q_.groups.push_back({*year, Grain::None});
}

bool Reader::is_column_said(Word word) const {
    const Tag* t = tag(word);
    return t != nullptr && std::ranges::any_of(said_, [&](const Said& s) {
               return !s.is_value && !s.column->is_date() && s.begin < t->end && t->begin < s.end;
           });
}

void Reader::find_grain(std::optional<Field> date) {
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
    } else if (has(Word::Weekday) || has(Word::Workday)) {
        const Tag* t = has(Word::Weekday) ? tag(Word::Weekday) : tag(Word::Workday);
        const bool is_phrase = t->end - t->begin > 1 && !has(Word::Workday);
        const bool grouped = follows(t->begin, {Word::By, Word::Each, Word::Which, Word::Per}) ||
                             is_phrase ||
                             has({Word::Highest, Word::Lowest, Word::Common, Word::Rare});
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
        const bool is_free = std::ranges::any_of(tags_, [&](const Tag& t) {
            return t.word == a.word && !is_in_value(t.begin);  // Month-to-month is a contract
        });
        if (is_free && !is_column_said(a.word)) grain = a.grain;
    }
    if (has(Word::MonthOfYear)) grain = Grain::MonthOfYear;
    if (grain == Grain::None) {
        for (const Adjective& a : kGrains) {
            for (const Tag& t : tags_) {
                if (t.word != a.unit || is_in_time(t.begin) || is_column_said(a.unit)) continue;
                // "the day with the highest sales": one of the days
                const bool ranks = t.end < tokens_.size() && is_at(t.end, Word::With) &&
                                   precedes(t.end + 1, {Word::Highest, Word::Lowest}, 3);
                ranks_grain_ = ranks_grain_ || ranks;
                const bool asked =
                    ranks ||
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
    const bool sets_side_by_side = times_.size() > 1 && has({Word::Growth, Word::Compare});
    if (grain == Grain::None && has({Word::Trend}) && !has(Word::Correlation) &&
        !sets_side_by_side) {
        grain = natural_grain(column);
    }
    if (grain == Grain::None && has({Word::Highest, Word::Lowest, Word::Common})) {
        refuse(Word::When);  // on which day, or in which month?
    }
    if (grain != Grain::None) set_grain(*date, grain);
}

// "top 3 months", "前三个月份"
bool Reader::top_number_before(std::size_t token) const {
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

void Reader::set_grain(Field date, Grain grain) { q_.groups.push_back({date, grain}); }

// Of several dates that are said, the one beside the time: "hired in 2020 and left since".
std::optional<Field> Reader::date_said() const {
    std::optional<Field> found;
    std::size_t least = tokens_.size() + 1;
    for (const Said& s : said_) {
        if (s.is_value || !s.column->is_date()) continue;
        std::size_t gap = 0;
        if (!times_.empty()) {
            const TimeSpan& time = times_[0];
            gap = s.end <= time.begin ? time.begin - s.end
                                      : s.begin - std::min(s.begin, time.end) + 1;
        }
        if (gap > least) continue;
        least = gap;
        found = s.field;
    }
    return found ? found : date_of_verb();
}

// "cancelled in 2024", where there is a Cancel Date: the day of what was done, not the main date.
std::optional<Field> Reader::date_of_verb() const {
    return times_.empty() ? std::nullopt : date_before(times_[0].begin, 0);
}

// The date that is named or meant by a verb shortly before a time, from `first` on.
std::optional<Field> Reader::date_before(std::size_t time, std::size_t first) const {
    const auto& columns = schema_.tables[q_.table].columns;
    const auto is_of = [](const Token& word, const Token& said) {
        const std::size_t shorter = std::min(word.text.size(), said.text.size());
        std::size_t same = 0;
        while (same < shorter && word.text[same] == said.text[same]) ++same;
        return word.is_word() && same >= 4 && same + 2 >= shorter;
    };
    for (std::size_t back = 1; back <= 4 && first + back <= time; ++back) {
        const Said* named = said_at(time - back);
        if (named != nullptr && !named->is_value && named->column->is_date()) return named->field;
        const Token& said = tokens_[time - back];
        if (!said.is_word()) continue;
        for (std::size_t c = 0; c < columns.size(); ++c) {
            if (!columns[c].is_date()) continue;
            const auto& words = columns[c].strong;
            if (std::ranges::any_of(words, [&](const Token& word) { return is_of(word, said); })) {
                return Field{q_.table, c};
            }
        }
    }
    return std::nullopt;
}

}  // namespace atl::offline

#include "models/offline/dates.hpp"

#include "models/offline/data.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace atl::offline {
namespace {

using std::chrono::days;
using std::chrono::months;
using std::chrono::sys_days;
using std::chrono::year_month_day;

sys_days day(int year, int month, int d) {
    return sys_days(std::chrono::year(year) / std::chrono::month(static_cast<unsigned>(month)) /
                    std::chrono::day(static_cast<unsigned>(d)));
}
sys_days month_begin(int year, int month) {
    const int index = year * 12 + month - 1;
    return day(index / 12, index % 12 + 1, 1);
}
int year_of(sys_days d) { return static_cast<int>(year_month_day(d).year()); }
int month_of(sys_days d) {
    return static_cast<int>(static_cast<unsigned>(year_month_day(d).month()));
}
sys_days week_begin(sys_days d) { return d - days(std::chrono::weekday(d).iso_encoding() - 1); }

enum class CalendarUnit { Day, Week, Month, Quarter, Half, Year };

// A stretch of the calendar, its year perhaps not said.
struct Stretch {
    std::optional<int> year;
    int month = 0;  // 0: the whole year
    int length = 12;
    int day = 0;
    std::size_t end = 0;
    std::string label;
    std::optional<std::pair<sys_days, sys_days>> exact;
};

class Finder {
public:
    Finder(const std::vector<Token>& tokens, const DataPeriod& data)
        : tokens_(tokens), data_(data) {}

    std::vector<TimeSpan> find() {
        for (std::size_t at = 0; at < tokens_.size();) {
            if (auto span = span_at(at)) {
                at = span->end;
                spans_.push_back(std::move(*span));
            } else {
                ++at;
            }
        }
        return std::move(spans_);
    }

private:
    [[nodiscard]] const std::string& text(std::size_t i) const {
        static const std::string none;
        return i < tokens_.size() ? tokens_[i].text : none;
    }
    [[nodiscard]] bool is(std::size_t i, std::initializer_list<std::string_view> words) const {
        return std::ranges::any_of(words, [&](std::string_view word) { return text(i) == word; });
    }
    // Chinese phrases are several tokens.
    [[nodiscard]] bool reads(std::size_t i, std::string_view phrase) const {
        return length_at(i, phrase) > 0;
    }
    // How many tokens from `i` on are the phrase; 0: it is not there.
    [[nodiscard]] std::size_t length_at(std::size_t i, std::string_view phrase) const {
        const std::size_t begin = i;
        while (!phrase.empty()) {
            if (phrase[0] == ' ') phrase.remove_prefix(1);
            const std::string& word = text(i);
            if (word.empty() || !phrase.starts_with(word)) return 0;
            phrase.remove_prefix(word.size());
            const bool goes_on = !phrase.empty() && phrase[0] >= 'a' && phrase[0] <= 'z';
            if (goes_on && !tokens_[i].is_han()) return 0;
            ++i;
        }
        return i - begin;
    }

    [[nodiscard]] std::optional<int> year_at(std::size_t i) const {
        if (i >= tokens_.size() || !tokens_[i].is_number()) return std::nullopt;
        const double value = tokens_[i].number;
        if (value < 1900 || value > 2100 || value != static_cast<int>(value)) return std::nullopt;
        if (tokens_[i].text.size() != 4) return std::nullopt;
        if (i > 0 && is(i - 1, {"over", "above", "than", "under", "below", "least", "most", ">",
                                "<", ">=", "<=", "exceeding", "top", "过", "于"})) {
            return std::nullopt;
        }
        // the end of a range of numbers: 1000 to 2000
        if (i > 1 && tokens_[i - 2].is_number() && !year_at(i - 2) &&
            is(i - 1, {"to", "and", "-", "到", "至", "和", "与"})) {
            return std::nullopt;
        }
        if (is(i + 1, {"dollar", "dollars", "euro", "euros", "usd", "eur", "元", "块"})) {
            return std::nullopt;
        }
        return static_cast<int>(value);
    }

    [[nodiscard]] int month_name(std::size_t i) const {
        static const auto& kMonths = word_pairs("month names");
        if (i >= tokens_.size() || !tokens_[i].is_word()) return 0;
        const bool is_verb =
            tokens_[i].as_written == "may" && !year_at(i + 1) &&
            !(i > 0 && is(i - 1, {"in", "of", "to", "and", "from", "for", "since"}));
        for (const auto& [name, number] : kMonths) {
            if (text(i) == name && !is_verb) return std::stoi(number);
        }
        return 0;
    }
    // "3月", "十二月"; `end` moves behind it. Not "3个月".
    [[nodiscard]] int han_month(std::size_t i, std::size_t& end) const {
        std::size_t at = i;
        const auto number = han_number(at);
        if (!number || *number < 1 || *number > 12 || text(at) != "月") return 0;
        end = at + 1;
        if (text(end) == "份") ++end;
        return *number;
    }
    // 3, 三, 十二, 二十; `at` moves behind it.
    [[nodiscard]] std::optional<int> han_number(std::size_t& at) const {
        if (at >= tokens_.size()) return std::nullopt;
        if (tokens_[at].is_number()) {
            return static_cast<int>(std::clamp(tokens_[at++].number, -1.0, 100000.0));
        }
        if (!tokens_[at].is_han()) {
            const auto word = number_word(tokens_[at]);
            if (!word) return std::nullopt;
            ++at;
            return static_cast<int>(*word);
        }
        int value = 0;
        bool any = false;
        while (at < tokens_.size() && tokens_[at].is_han()) {
            const auto digit = number_word(tokens_[at]);
            if (!digit) break;
            if (*digit == 10) {
                value = (value == 0 ? 1 : value) * 10;
            } else {
                value += static_cast<int>(*digit);
            }
            any = true;
            ++at;
        }
        return any ? std::optional(value) : std::nullopt;
    }

    // "q1", "first quarter", "第一季度", "h1", "first half", "上半年"
    [[nodiscard]] bool part_of_year(std::size_t i, Stretch& out) const {
        static const auto& kParts = word_pairs("parts of the year");
        for (const auto& [phrase, part] : kParts) {
            const std::size_t length = length_at(i, phrase);
            if (length == 0) continue;
            set_part(out, part[1] - '0', part[0] == 'Q' ? 3 : 6, i + length);
            return true;
        }
        return false;
    }
    static void set_part(Stretch& out, int nth, int length, std::size_t end) {
        out.month = (nth - 1) * length + 1;
        out.length = length;
        out.end = end;
        out.label = (length == 3 ? "Q" : "H") + std::to_string(nth);
    }

    [[nodiscard]] std::size_t skip(std::size_t i) const {
        while (is(i, {"of", "the", "in", ",", "的"})) ++i;
        return i;
    }

    [[nodiscard]] std::optional<Stretch> stretch_at(std::size_t i) const {
        if (i >= tokens_.size()) return std::nullopt;
        Stretch out;
        if (tokens_[i].is_date()) {
            out.year = std::atoi(tokens_[i].date.substr(0, 4).c_str());
            out.month = std::atoi(tokens_[i].date.substr(5, 2).c_str());
            out.length = 1;
            if (tokens_[i].date.size() > 7)
                out.day = std::atoi(tokens_[i].date.substr(8, 2).c_str());
            out.end = i + 1;
            return out;
        }
        if (const auto year = year_at(i)) {
            out.year = year;
            out.end = i + 1;
            if (text(out.end) == "年") ++out.end;
            if (text(out.end) == "度" || text(out.end) == "份") ++out.end;
            Stretch part;
            std::size_t end = 0;
            const std::size_t next = skip(out.end);
            if (part_of_year(next, part)) {
                part.year = year;
                return part;
            }
            if (const int month = han_month(out.end, end)) return with_day(month, end, year);
            return out;
        }
        std::size_t end = 0;
        if (const int month = han_month(i, end)) return with_day(month, end, std::nullopt);
        if (const int month = month_name(i)) return after_month_name(month, i + 1);
        // "5 March 2024", "5th of March"
        if (tokens_[i].is_number() && tokens_[i].number <= 31 && tokens_[i].number >= 1) {
            std::size_t next = i + 1;
            if (is(next, {"st", "nd", "rd", "th"})) ++next;
            next = skip(next);
            if (const int month = month_name(next)) {
                auto found = after_month_name(month, next + 1);
                found.day = static_cast<int>(tokens_[i].number);
                found.length = 1;
                return found;
            }
        }
        if (part_of_year(i, out)) {
            if (const auto year = year_at(skip(out.end))) {
                out.year = year;
                out.end = skip(out.end) + 1;
            }
            return out;
        }
        return relative_at(i);
    }
    [[nodiscard]] Stretch with_day(int month, std::size_t end, std::optional<int> year) const {
        Stretch out;
        out.year = year;
        out.month = month;
        out.length = 1;
        out.end = end;
        std::size_t at = end;
        const auto number = han_number(at);
        if (number && *number >= 1 && *number <= 31 && is(at, {"日", "号"})) {
            out.day = *number;
            out.end = at + 1;
        }
        return out;
    }
    [[nodiscard]] Stretch after_month_name(int month, std::size_t i) const {
        Stretch out;
        out.month = month;
        out.length = 1;
        out.end = i;
        if (i < tokens_.size() && tokens_[i].is_number() && !year_at(i) && tokens_[i].number >= 1 &&
            tokens_[i].number <= 31) {
            out.day = static_cast<int>(tokens_[i].number);
            out.end = i + 1;
            if (is(out.end, {"st", "nd", "rd", "th"})) ++out.end;
        }
        if (const auto year = year_at(skip(out.end))) {
            out.year = year;
            out.end = skip(out.end) + 1;
        }
        return out;
    }

    // `at` moves behind the unit.
    [[nodiscard]] std::optional<CalendarUnit> unit_at(std::size_t& at) const {
        static const auto& kUnits = word_pairs("calendar units");
        if (is(at, {"calendar", "full", "complete", "个"}) && !reads(at, "个月")) ++at;
        for (const auto& [name, unit] : kUnits) {
            if (!reads(at, name)) continue;
            at += length_at(at, name);
            if (is(at, {"份", "度"})) ++at;
            return static_cast<CalendarUnit>(std::stoi(unit));
        }
        return std::nullopt;
    }

    [[nodiscard]] std::optional<Stretch> relative_at(std::size_t i) const {
        // -1: the last ones of the data, 1: the first ones, 0: the present one, -2: the one before
        static const auto& kLeads = word_pairs("time leads");
        static const auto& kTimes = word_pairs("times");  // a unit, and which of them
        for (const auto& [phrase, time] : kTimes) {
            const std::size_t length = length_at(i, phrase);
            const auto unit = static_cast<CalendarUnit>(time[0] - '0');
            if (length > 0) return whole(unit, std::stoi(time.substr(2)), i + length);
        }
        for (const auto& [phrase, way] : kLeads) {
            if (!reads(i, phrase)) continue;
            std::size_t at = i + length_at(i, phrase);
            int count = 1;
            std::size_t behind = at;
            bool counted = false;
            if (const auto number = han_number(behind); number && *number > 0 && *number < 4000) {
                std::size_t probe = behind;
                if (unit_at(probe)) {
                    count = *number;
                    at = behind;
                    counted = true;
                }
            }
            const auto unit = unit_at(at);
            if (!unit) continue;
            // "last year" with no count is the year before the data's present one
            int direction = std::stoi(way);
            const bool of_data = reads(at, "of the data") || reads(at, "in the data") ||
                                 reads(at, "on record") || reads(at, "of data");
            if (*unit == CalendarUnit::Year && direction == -1 && !counted && !of_data &&
                is(i, {"last"}) && year_of(data_.first) < year_of(data_.last)) {
                direction = -2;
            }
            if (counted && direction == -1) return several(*unit, count, at);
            if (counted && direction == 1) return first_ones(*unit, count, at);
            return whole(*unit, direction, at);
        }
        return std::nullopt;
    }

    [[nodiscard]] std::pair<sys_days, sys_days> unit_round(CalendarUnit unit, sys_days d) const {
        const int year = year_of(d);
        const int month = month_of(d);
        switch (unit) {
            case CalendarUnit::Day: return {d, d + days(1)};
            case CalendarUnit::Week: return {week_begin(d), week_begin(d) + days(7)};
            case CalendarUnit::Month:
                return {month_begin(year, month), month_begin(year, month + 1)};
            case CalendarUnit::Quarter: {
                const int first = (month - 1) / 3 * 3 + 1;
                return {month_begin(year, first), month_begin(year, first + 3)};
            }
            case CalendarUnit::Half:
            case CalendarUnit::Year: break;
        }
        return {month_begin(year, 1), month_begin(year + 1, 1)};
    }
    [[nodiscard]] Stretch whole(CalendarUnit unit, int direction, std::size_t end) const {
        Stretch out;
        out.end = end;
        const sys_days anchor = direction == 1 ? data_.first : data_.last;
        auto round = unit_round(unit, anchor);
        if (direction == -2) round = unit_round(unit, round.first - days(1));
        out.exact = round;
        return out;
    }
    [[nodiscard]] Stretch several(CalendarUnit unit, int count, std::size_t end) const {
        Stretch out;
        out.end = end;
        sys_days from = unit_round(unit, data_.last).first;
        for (int i = 1; i < count; ++i) from = unit_round(unit, from - days(1)).first;
        if (unit == CalendarUnit::Week) from = data_.last - days(7 * count - 1);
        out.exact = {from, data_.last + days(1)};
        return out;
    }
    [[nodiscard]] Stretch first_ones(CalendarUnit unit, int count, std::size_t end) const {
        Stretch out;
        out.end = end;
        sys_days to = data_.first;
        for (int i = 0; i < count; ++i) to = unit_round(unit, to).second;
        out.exact = {data_.first, to};
        return out;
    }

    [[nodiscard]] std::pair<sys_days, sys_days> bounds(const Stretch& s, int year) const {
        if (s.exact) return *s.exact;
        const int y = s.year.value_or(year);
        if (s.day > 0) {
            const sys_days d = month_begin(y, s.month) + days(s.day - 1);
            return {d, d + days(1)};
        }
        if (s.month == 0) return {month_begin(y, 1), month_begin(y + 1, 1)};
        return {month_begin(y, s.month), month_begin(y, s.month + s.length)};
    }
    // The year that a month without one means: the latest in the data that has it.
    [[nodiscard]] int likely_year(const Stretch& s) const {
        int year = year_of(data_.last);
        while (year > year_of(data_.first) && bounds(s, year).first > data_.last) --year;
        return year;
    }
    [[nodiscard]] bool is_in_several_years(const Stretch& s) const {
        if (s.year || s.exact || s.month == 0) return false;
        int seen = 0;
        for (int year = year_of(data_.first); year <= year_of(data_.last); ++year) {
            const auto [from, to] = bounds(s, year);
            if (to > data_.first && from <= data_.last) ++seen;
        }
        return seen > 1;
    }

    [[nodiscard]] std::optional<TimeSpan> span_at(std::size_t i) const {
        if (auto weekday = weekday_at(i)) return weekday;
        const auto first = stretch_at(i);
        if (!first) return std::nullopt;
        TimeSpan span;
        span.begin = i;
        span.end = first->end;
        // a range: "from A to B", "A-B", "between A and B"
        const bool may_and = i > 0 && is(i - 1, {"between", "在", "于", "从"});
        const bool joined = is(span.end, {"to", "until", "till", "through", "-", "到", "至"}) ||
                            (may_and && is(span.end, {"and", "和", "与"}));
        if (joined) {
            if (const auto second = stretch_at(span.end + 1)) {
                Stretch a = *first;
                Stretch b = *second;
                if (!b.year && !b.exact) b.year = a.year ? *a.year : likely_year(b);
                if (!a.year && !a.exact) a.year = b.year.value_or(likely_year(a));
                span.from = bounds(a, year_of(data_.last)).first;
                span.to = bounds(b, year_of(data_.last)).second;
                if (*span.to <= *span.from) return std::nullopt;
                span.head_to = bounds(a, year_of(data_.last)).second;
                span.tail_from = bounds(b, year_of(data_.last)).first;
                span.end = second->end;
                span.label = label_of(*span.from, *span.to);
                return span;
            }
        }
        const auto reads_one = [&](const char* list) {
            const auto& phrases = word_list(list);
            return std::ranges::any_of(phrases, [&](const auto& p) { return reads(span.end, p); });
        };
        const bool since_behind = reads_one("since behind");
        const bool after_behind = reads_one("after behind");
        const bool before_behind = reads_one("before behind");
        const bool until_behind = reads_one("until behind");
        const std::size_t lead = i > 0 && is(i - 1, {"the"}) ? i - 1 : i;
        const auto led_by = [&](std::initializer_list<std::string_view> words) {
            return lead > 0 && is(lead - 1, words);
        };
        const bool since = since_behind || led_by({"since", "starting", "从", "自"});
        const bool after = after_behind || led_by({"after"});
        const bool before = before_behind || led_by({"before"});
        const bool until = until_behind || led_by({"until", "till", "截"});
        const auto [from, to] = bounds(*first, likely_year(*first));
        if (since || after || before || until) {
            span.is_open = true;
            if (since) span.from = from;
            if (after) span.from = to;
            if (before) span.to = from;
            if (until) span.to = to;
            // 2024年以后 counts 2024 in, as people say it
            if (after_behind && first->day == 0) span.from = from;
            static const auto& kBehind = word_list("behind a time");
            while (kBehind.contains(text(span.end))) ++span.end;
            span.label = label_of(from, to);
            return span;
        }
        if (is_in_several_years(*first) && first->day == 0) {
            span.kind = TimeSpan::Kind::Months;
            for (int m = 0; m < first->length; ++m) span.parts.push_back(first->month + m);
            span.label = first->label;
            return span;
        }
        span.from = from;
        span.to = to;
        span.label = label_of(from, to);
        return span;
    }

    [[nodiscard]] std::optional<TimeSpan> weekday_at(std::size_t i) const {
        static const auto& kNames = word_pairs("weekdays");
        for (const auto& [name, number] : kNames) {
            const std::size_t length = length_at(i, name);
            const bool is_stem = i < tokens_.size() && tokens_[i].stem == name;
            if (length == 0 && !is_stem) continue;
            TimeSpan span;
            span.kind = TimeSpan::Kind::Weekdays;
            span.begin = i;
            span.end = i + std::max<std::size_t>(length, 1);
            span.parts = {std::stoi(number)};
            span.label = tokens_[i].is_han() ? name : tokens_[i].as_written;
            return span;
        }
        return std::nullopt;
    }

    const std::vector<Token>& tokens_;
    DataPeriod data_;
    std::vector<TimeSpan> spans_;
};

}  // namespace

std::optional<sys_days> day_of(std::string_view iso) {
    if (iso.size() < 10 || iso[4] != '-' || iso[7] != '-') return std::nullopt;
    const auto number = [&](std::size_t at, std::size_t n) {
        return std::atoi(std::string(iso.substr(at, n)).c_str());
    };
    const int year = number(0, 4);
    const int month = number(5, 2);
    const int d = number(8, 2);
    if (year < 1 || month < 1 || month > 12 || d < 1 || d > 31) return std::nullopt;
    return day(year, month, d);
}

std::string iso_of(sys_days d) {
    const year_month_day date(d);
    const auto pad = [](unsigned value) { return (value < 10 ? "0" : "") + std::to_string(value); };
    return std::to_string(static_cast<int>(date.year())) + "-" +
           pad(static_cast<unsigned>(date.month())) + "-" + pad(static_cast<unsigned>(date.day()));
}

std::string label_of(sys_days from, sys_days to) {
    const year_month_day a(from);
    const int month = month_of(from);
    const bool at_month = static_cast<unsigned>(a.day()) == 1;
    if (to == from + days(1)) return iso_of(from);
    if (at_month && to == month_begin(year_of(from), month + 1)) return iso_of(from).substr(0, 7);
    if (at_month && month == 1 && to == month_begin(year_of(from) + 1, 1)) {
        return iso_of(from).substr(0, 4);
    }
    if (at_month && month % 3 == 1 && to == month_begin(year_of(from), month + 3)) {
        return "Q" + std::to_string(month / 3 + 1) + " " + iso_of(from).substr(0, 4);
    }
    if (at_month && month % 6 == 1 && to == month_begin(year_of(from), month + 6)) {
        return "H" + std::to_string(month / 6 + 1) + " " + iso_of(from).substr(0, 4);
    }
    return iso_of(from) + " – " + iso_of(to - days(1));
}

std::vector<TimeSpan> spans_of(const std::vector<Token>& tokens, const DataPeriod& data) {
    return Finder(tokens, data).find();
}

}  // namespace atl::offline

// Which rows a figure is of, in words.
#include "models/offline/answer_writer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace atl::offline {

std::string AnswerWriter::condition(const Filter& f) const {
    const std::string field = name(f.field);
    std::string list;
    for (const std::string& v : f.values) list += (list.empty() ? "" : ", ") + escaped(v);
    switch (f.kind) {
        case Filter::Kind::OneOf: return field + " = " + list;
        case Filter::Kind::NoneOf: return field + " ≠ " + list;
        case Filter::Kind::Less:
        case Filter::Kind::LessOrEqual:
        case Filter::Kind::Greater:
        case Filter::Kind::GreaterOrEqual:
        case Filter::Kind::Equal:
        case Filter::Kind::NotEqual:
        case Filter::Kind::Between: return field + condition_tail(f);
        case Filter::Kind::Months: {
            std::string months;
            for (const int m : f.time.parts) {
                months += (months.empty() ? "" : ", ") + std::to_string(m);
            }
            return say(field + " in month " + months + " of any year",
                       field + " 为各年的 " + months + " 月");
        }
        case Filter::Kind::Weekdays: {
            static constexpr std::array<const char*, 7> kEnglish = {"Mon", "Tue", "Wed", "Thu",
                                                                    "Fri", "Sat", "Sun"};
            static constexpr std::array<const char*, 7> kChinese = {"周一", "周二", "周三", "周四",
                                                                    "周五", "周六", "周日"};
            std::string days;
            for (const int d : f.time.parts) {
                const auto i = static_cast<std::size_t>(std::clamp(d, 0, 6));
                days += (days.empty() ? "" : ", ") + std::string(zh_ ? kChinese[i] : kEnglish[i]);
            }
            return field + ": " + days;
        }
        case Filter::Kind::Dates: return field + " " + dates(f.time);
        case Filter::Kind::Missing: return field + say(" is missing", " 缺失");
        case Filter::Kind::Present: return field + say(" is not missing", " 不缺失");
    }
    return field;
}

std::string AnswerWriter::condition_tail(const Filter& f) {
    switch (f.kind) {
        case Filter::Kind::Less: return " < " + bound(f.low);
        case Filter::Kind::LessOrEqual: return " ≤ " + bound(f.low);
        case Filter::Kind::Greater: return " > " + bound(f.low);
        case Filter::Kind::GreaterOrEqual: return " ≥ " + bound(f.low);
        case Filter::Kind::NotEqual: return " ≠ " + plain(f.low);
        case Filter::Kind::Between: return " " + bound(f.low) + " – " + bound(f.high);
        default: return " = " + plain(f.low);
    }
}

std::string AnswerWriter::bound(double value) {
    return std::fabs(value) < 10000 ? plain(value) : number_text(value);
}

std::string AnswerWriter::plain(double value) {
    std::array<char, 40> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.10g", value);
    return buffer.data();
}

std::string AnswerWriter::dates(const TimeSpan& time) const {
    if (time.from && time.to) {
        return iso_of(*time.from) + say(" to ", " 至 ") + iso_of(*time.to - std::chrono::days(1));
    }
    if (time.from) return "≥ " + iso_of(*time.from);
    return time.to ? "< " + iso_of(*time.to) : "";
}

std::string AnswerWriter::conditions(const std::vector<Filter>& filters) const {
    std::string out;
    for (const Filter& f : filters) out += (out.empty() ? "" : "; ") + condition(f);
    return out;
}

std::string AnswerWriter::scope() const {
    std::string out = conditions(q_.filters);
    if (const auto rows = result_.figure("rows")) {
        out += (out.empty() ? "" : "; ") + number_text(*rows) + say(" rows", " 行");
    }
    return out.empty() ? "" : say(" (" + out + ")", "(" + out + ")");
}

std::string AnswerWriter::unknown_names() const {
    std::string list;
    for (const std::string& n : q_.names) list += (list.empty() ? "" : ", ") + escaped(n);
    return say("Not found in the table and left out of account: " + list + ".",
               "表中没有找到,未予考虑:" + list + "。");
}

std::string AnswerWriter::scope_of_filters() const {
    return q_.filters.empty() ? "" : say(" (", "(") + conditions(q_.filters) + say(")", ")");
}

}  // namespace atl::offline

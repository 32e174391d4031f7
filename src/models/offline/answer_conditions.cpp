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
        case Filter::Kind::Between: return field + condition_tail(f);
        case Filter::Kind::Months: {
            std::vector<std::string> months;
            for (const int m : f.time.parts) months.push_back(std::to_string(m));
            return say("months", {{"column", field}, {"list", listed(months, "")}});
        }
        case Filter::Kind::Weekdays: {
            const std::string names = say("days") + ", ";
            std::vector<std::string> days;
            for (const int d : f.time.parts) {
                std::size_t begin = 0;
                for (int i = 0; i < std::clamp(d, 0, 6); ++i) begin = names.find(", ", begin) + 2;
                days.push_back(names.substr(begin, names.find(", ", begin) - begin));
            }
            return field + ": " + listed(days, "");
        }
        case Filter::Kind::Dates: return field + " " + dates(f.time);
        case Filter::Kind::Missing: return say("is missing", {{"column", field}});
        case Filter::Kind::Present: return say("is there", {{"column", field}});
    }
    return field;
}

std::string AnswerWriter::condition_tail(const Filter& f) {
    switch (f.kind) {
        case Filter::Kind::Less: return " < " + bound(f.low);
        case Filter::Kind::LessOrEqual: return " ≤ " + bound(f.low);
        case Filter::Kind::Greater: return " > " + bound(f.low);
        case Filter::Kind::GreaterOrEqual: return " ≥ " + bound(f.low);
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
        return say("from to",
                   {{"from", iso_of(*time.from)}, {"to", iso_of(*time.to - std::chrono::days(1))}});
    }
    if (time.from) return "≥ " + iso_of(*time.from);
    return time.to ? "< " + iso_of(*time.to) : "";
}

std::string AnswerWriter::conditions(const std::vector<Filter>& filters) const {
    std::string out;
    for (const Filter& f : filters) out += (out.empty() ? "" : "; ") + condition(f);
    return out;
}

std::string AnswerWriter::in_brackets(const std::string& text) const {
    if (text.empty()) return "";
    return zh_ ? "(" + text + ")" : " (" + text + ")";
}

std::string AnswerWriter::scope() const {
    std::string out = conditions(q_.filters);
    if (const auto rows = result_.figure("rows")) {
        out += (out.empty() ? "" : "; ") + number_text(*rows) + (zh_ ? " 行" : " rows");
    }
    return in_brackets(out);
}

}  // namespace atl::offline

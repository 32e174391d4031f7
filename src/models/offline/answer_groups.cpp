// Figures of all rows or of groups: one key, two across, periods side by side, rankings.
#include "models/offline/answer_writer.hpp"

#include <algorithm>
#include <cmath>

namespace atl::offline {

std::string AnswerWriter::having() const {
    const Having& h = *q_.having;
    Filter told;
    told.kind = h.kind;
    told.low = h.low;
    told.high = h.high;
    const std::string how = name(h.measure) + condition_tail(told);
    const double groups = figure_value("groups");
    const auto kept = static_cast<double>(result_.length);
    if (result_.rows.empty() && groups == 0) return nothing();
    const std::string part = groups > 0 ? percent(100 * kept / groups) : "–";
    std::string names;
    constexpr std::size_t kNamed = 10;
    for (std::size_t r = 0; r < std::min(kNamed, result_.rows.size()); ++r) {
        names += (r == 0 ? "" : say(", ", "、")) + bold(key_text(r));
    }
    if (result_.length > kNamed) names += say(", …", "……");
    const std::string number = bold(number_text(kept));
    return say(number + " of " + number_text(groups) + " `" + keys_text() + "` (" + part +
                   ") have " + how + scope() + (names.empty() ? "." : ": " + names + "."),
               number_text(groups) + " 个 `" + keys_text() + "` 中有 " + number + " 个(" + part +
                   ")" + how + scope() + (names.empty() ? "。" : ":" + names + "。")) +
           table();
}

std::string AnswerWriter::aggregate() const {
    if (q_.having) return having();
    if (result_.rows.empty() && q_.rank && figure_value("groups") > 0) return no_place();
    if (result_.rows.empty()) return nothing();
    if (q_.averaged) return averaged();
    if (key_count() == 0) return single();
    if (key_count() == 2 && q_.measures.size() == 1 && q_.order == Order::None &&
        !result_.columns.empty() && is_across()) {
        const std::string what = name(q_.measures[0]);
        return say(bold(what) + " by " + keys_text() + scope() + ":",
                   "按" + keys_text() + "的 " + bold(what) + scope() + ":") +
               table();
    }
    if (!q_.periods.empty() && q_.groups.empty()) return periods();
    return ranking();
}

bool AnswerWriter::is_across() const {
    return result_.columns.size() < 2 ||
           result_.columns.back() != name_of(q_, schema_, q_.measures[0]);
}

std::string AnswerWriter::keys_text() const {
    std::string out;
    if (q_.by_columns && q_.groups.empty()) return say("column", "列");
    for (const Group& g : q_.groups) out += (out.empty() ? "" : say(" and ", "和")) + name(g);
    if (!q_.periods.empty()) out += (out.empty() ? "" : say(" and ", "和")) + say("period", "时期");
    return out;
}

std::string AnswerWriter::single() const {
    const Measure& m = q_.measures[0];
    const bool is_extreme = result_.figure("value").has_value();
    if (is_extreme) {
        std::string who;
        for (std::size_t c = 0; c < result_.columns.size() && who.empty(); ++c) {
            if (tells_rows(result_.columns[c])) who = bold(cell(0, c));
        }
        for (std::size_t c = 0; c < result_.columns.size() && who.empty(); ++c) {
            if (is_date(result_.columns[c])) who = say("on ", "") + bold(cell(0, c));
        }
        return say("The " + bold(name(m)) + " is " + bold(figure("value")) +
                       (who.empty() ? "" : ": " + who) + scope() + ":",
                   bold(name(m)) + " 为 " + bold(figure("value")) + (who.empty() ? "" : ":" + who) +
                       scope() + ":") +
               table();
    }
    std::string out;
    for (std::size_t c = 0; c < result_.columns.size(); ++c) {
        if (std::holds_alternative<std::monostate>(result_.rows[0][c]) &&
            figure_value("rows") == 0) {
            return nothing();
        }
        const std::string value = cell(0, c);
        const std::string label = escaped(result_.columns[c]);
        const bool counts =
            c < q_.measures.size() && q_.measures[c].aggregation == Aggregation::Count;
        if (counts) {
            out += say((out.empty() ? "There are " : ", ") + bold(value) + " rows",
                       (out.empty() ? "共 " : ",") + bold(value) + " 行");
        } else if (c < q_.measures.size() && q_.measures[c].field &&
                   q_.measures[c].aggregation == Aggregation::Distinct) {
            const std::string field = name(*q_.measures[c].field);
            out +=
                say((out.empty() ? "There are " : ", ") + bold(value) + " distinct `" + field + "`",
                    (out.empty() ? "共有 " : ",") + bold(value) + " 个不同的 `" + field + "`");
        } else {
            const bool is_part = c < q_.measures.size() && q_.measures[c].field &&
                                 q_.measures[c].aggregation == Aggregation::Rate;
            if (is_part) {
                const Column& flag = at(schema_, *q_.measures[c].field);
                const std::string what =
                    "`" + name(*q_.measures[c].field) + "` = " + escaped(flag.positive);
                out += say((out.empty() ? "" : ", ") + what + ": " + bold(value) + " of the rows",
                           (out.empty() ? "" : ",") + what + " 占 " + bold(value));
            } else {
                out += say((out.empty() ? "The " : ", ") + label + " is " + bold(value),
                           (out.empty() ? "" : ",") + label + " 为 " + bold(value));
            }
        }
    }
    const bool only_count =
        q_.measures.size() == 1 && q_.measures[0].aggregation == Aggregation::Count;
    std::string tail = scope();
    if (only_count) {
        const std::string where = conditions(q_.filters);
        tail = where.empty() ? "" : say(" (" + where + ")", "(" + where + ")");
    }
    return out + tail + say(".", "。");
}

std::string AnswerWriter::averaged() const {
    const std::string per = name(*q_.averaged);
    return say("On average " + bold(cell(0, 0)) + " per " + per + " (" + name(q_.measures[0]) +
                   " of each " + per + "; lowest " + cell(0, 1) + ", highest " + cell(0, 2) +
                   ", over " + cell(0, 3) + " of them)",
               "平均每个" + per + " " + bold(cell(0, 0)) + "(" + name(q_.measures[0]) + ";最低 " +
                   cell(0, 1) + ",最高 " + cell(0, 2) + ",共 " + cell(0, 3) + " 个)") +
           scope() + say(".", "。");
}

std::string AnswerWriter::periods() const {
    std::string out;
    for (std::size_t r = 0; r < result_.rows.size(); ++r) {
        out += (r == 0 ? "" : say(", ", ",")) + cell(r, 0) + ": " + bold(cell(r, 1));
    }
    out = say(bold(name(q_.measures[0])) + " – " + out, bold(name(q_.measures[0])) + ":" + out);
    out += change(0, result_.rows.size() - 1, 1);
    return out + scope() + say(".", "。") + (q_.measures.size() > 1 ? table() : "");
}

std::string AnswerWriter::change(std::size_t from, std::size_t to, std::size_t column) const {
    const auto a = number(from, column);
    const auto b = number(to, column);
    if (!a || !b || from == to) return "";
    const double difference = *b - *a;
    std::string rate;
    if (*a != 0) rate = (difference >= 0 ? "+" : "") + percent(100 * difference / std::fabs(*a));
    const std::string size = number_text(std::fabs(difference));
    return say("; the second is " + bold(size) + (difference >= 0 ? " higher" : " lower") +
                   (rate.empty() ? "" : " (" + rate + ")"),
               ";后者" + std::string(difference >= 0 ? "高 " : "低 ") + bold(size) +
                   (rate.empty() ? "" : "(" + rate + ")"));
}

std::string AnswerWriter::key_text(std::size_t row) const {
    std::string out;
    for (std::size_t k = 0; k < key_count(); ++k) {
        out += (out.empty() ? "" : " / ") + cell(row, k);
    }
    return out;
}

std::string AnswerWriter::ranking() const {
    const std::size_t value = key_count();
    const std::string measure =
        q_.by_columns && q_.groups.empty() ? escaped(result_.columns.back()) : name(q_.measures[0]);
    std::string lead;
    if (q_.wants_one || (q_.count && *q_.count == 1)) {
        const bool low = q_.order == Order::Lowest;
        if (q_.best_of_each) {
            const std::string each = name(q_.groups[*q_.best_of_each]);
            return say("The " + std::string(low ? "lowest " : "highest ") + bold(measure) +
                           " of each " + each + scope() + ":",
                       "各" + each + "中 " + bold(measure) + (low ? " 最低" : " 最高") + "的" +
                           scope() + ":") +
                   table();
        }
        const bool counts = q_.measures[0].aggregation == Aggregation::Count;
        const std::string most =
            place() + (counts ? (low ? "fewest " : "most ") : (low ? "lowest " : "highest "));
        const std::string most_zh =
            " " + place() + (counts ? (low ? "少" : "多") : (low ? "低" : "高"));
        const bool adds_up = counts || q_.measures[0].aggregation == Aggregation::Sum;
        const auto overall = result_.figure("overall");
        const std::string whole = adds_up && overall ? say(" of " + number_text(*overall),
                                                           ",总计 " + number_text(*overall))
                                                     : "";
        if (q_.rank && result_.length > 1) {  // they share the place
            return say(number_text(static_cast<double>(result_.length)) + " share the " + most +
                           measure + ": " + bold(cell(0, value)) + scope() + ".",
                       number_text(static_cast<double>(result_.length)) + " 个并列 " + measure +
                           most_zh + ":" + bold(cell(0, value)) + scope() + "。") +
                   table();
        }
        lead = say(bold(key_text(0)) + " has the " + most + measure + ": " + bold(cell(0, value)) +
                       whole + scope() + ".",
                   bold(key_text(0)) + " 的 " + measure + most_zh + ":" + bold(cell(0, value)) +
                       whole + scope() + "。");
        return result_.rows.size() > 1 ? lead + table(10) : lead;
    }
    lead = say(bold(measure) + " by " + keys_text() + scope(),
               "按" + keys_text() + "的 " + bold(measure) + scope());
    if (result_.rows.size() > 1 && !q_.count) {
        std::size_t best = 0;
        std::size_t worst = 0;
        for (std::size_t r = 0; r < result_.rows.size(); ++r) {
            if (number(r, value).value_or(-1e300) > number(best, value).value_or(-1e300)) best = r;
            if (number(r, value).value_or(1e300) < number(worst, value).value_or(1e300)) worst = r;
        }
        const bool are_equal = number(best, value) == number(worst, value);
        if (are_equal) {
            lead += say(": all have " + cell(best, value), ":都是 " + cell(best, value));
        } else {
            lead += say(": highest " + bold(key_text(best)) + " with " + cell(best, value) +
                            ", lowest " + bold(key_text(worst)) + " with " + cell(worst, value),
                        ":最高 " + bold(key_text(best)) + " " + cell(best, value) + ",最低 " +
                            bold(key_text(worst)) + " " + cell(worst, value));
        }
        const bool pair = result_.rows.size() == 2 && result_.length == 2;
        if (pair && !are_equal) {
            const double a = number(best, value).value_or(0);
            const double b = number(worst, value).value_or(0);
            lead += say("; a difference of " + bold(number_text(a - b)),
                        ";相差 " + bold(number_text(a - b)));
        }
    }
    if (const auto overall = result_.figure("overall"); overall && !is_rate()) {
        lead += say("; overall " + number_text(*overall), ";总体 " + number_text(*overall));
    }
    return lead + say(".", "。") + table();
}

}  // namespace atl::offline

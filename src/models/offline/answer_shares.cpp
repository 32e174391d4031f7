// Parts of a whole, one figure over another, and changes from period to period.
#include "models/offline/answer_writer.hpp"

namespace atl::offline {

std::string AnswerWriter::share() const {
    if (result_.rows.empty()) return nothing();
    const std::string measure = name(q_.measures[0]);
    const std::size_t last = result_.columns.size() - 1;
    if (!q_.part.empty() && key_count() == 0) {
        const auto value = number(0, 2);
        const std::string within =
            q_.filters.empty() ? "" : say(" with ", "(") + conditions(q_.filters) + say("", ")");
        const bool counts = q_.measures[0].aggregation == Aggregation::Count;
        return say(bold(value ? percent(*value) : "–") + " of the " + measure + within +
                       (counts ? " have " : " comes from rows with ") + conditions(q_.part) + ": " +
                       cell(0, 0) + " of " + cell(0, 1) + ".",
                   conditions(q_.part) + " 占 " + measure + within + " 的 " +
                       bold(value ? percent(*value) : "–") + ":" + cell(0, 0) + " / " + cell(0, 1) +
                       "。");
    }
    if (!q_.part.empty()) {
        const bool low = q_.order == Order::Lowest;
        std::size_t best = 0;
        for (std::size_t r = 1; r < result_.rows.size(); ++r) {
            const double value = number(r, last).value_or(0);
            const double other = number(best, last).value_or(0);
            if (low ? value < other : value > other) best = r;
        }
        const std::string first = bold(key_text(best)) + " " + bold(cell(best, last));
        return say("Share with " + conditions(q_.part) + " by " + keys_text() + scope() +
                       (low ? ": lowest " : ": highest ") + first + ".",
                   "按" + keys_text() + "," + conditions(q_.part) + " 的占比" + scope() +
                       (low ? ":最低 " : ":最高 ") + first + "。") +
               table();
    }
    return say("Share of the " + measure + " by " + keys_text() + scope() + ": " +
                   bold(key_text(0)) + " has " + bold(cell(0, last)) + ".",
               measure + " 按" + keys_text() + "的占比" + scope() + ":" + bold(key_text(0)) +
                   " 占 " + bold(cell(0, last)) + "。") +
           table();
}

std::string AnswerWriter::operand(const Measure& m, const std::vector<Filter>& filters) const {
    const std::string where = conditions(filters);
    return name(m) + (where.empty() ? "" : say(" with ", ",") + where);
}

std::string AnswerWriter::ratio() const {
    if (result_.rows.empty()) return nothing();
    const std::string upper = operand(q_.measures[0], q_.part);
    const std::string lower = operand(q_.measures.back(), q_.base);
    if (key_count() > 0) {
        return say("Ratio of " + upper + " to " + lower + " by " + keys_text() + scope() + ":",
                   "按" + keys_text() + "的 " + upper + " 与 " + lower + " 之比" + scope() + ":") +
               table();
    }
    const std::string value = bold(cell(0, 2));
    if (q_.in_percent) {
        return say(upper + " is " + value + " of " + lower + ": " + cell(0, 0) + " of " +
                       cell(0, 1) + scope() + ".",
                   upper + " 占 " + lower + " 的 " + value + ":" + cell(0, 0) + " / " + cell(0, 1) +
                       scope() + "。");
    }
    return say("The ratio of " + upper + " to " + lower + " is " + value + ": " + cell(0, 0) +
                   " / " + cell(0, 1) + scope() + ".",
               upper + " 与 " + lower + " 之比为 " + value + ":" + cell(0, 0) + " / " + cell(0, 1) +
                   scope() + "。");
}

std::string AnswerWriter::growth() const {
    if (result_.rows.empty()) return nothing();
    const std::size_t value = key_count();
    const std::string measure = name(q_.measures[0]);
    if (!q_.periods.empty() && q_.groups.empty()) return periods();
    if (q_.of_growth) {
        const std::size_t rate = result_.columns.size() - 1;
        const bool low = q_.order == Order::Lowest;
        return say(bold(key_text(0)) + " has the " + (low ? "lowest" : "highest") + " change of " +
                       measure + " against the period before: " + bold(cell(0, rate)) + " (" +
                       cell(0, rate - 1) + ").",
                   bold(key_text(0)) + " 的 " + measure + " 环比变化" + (low ? "最低" : "最高") +
                       ":" + bold(cell(0, rate)) + "(" + cell(0, rate - 1) + ")。") +
               table(10);
    }
    std::string lead = say(bold(measure) + " by " + keys_text() + " with the change against the " +
                               (q_.against_last_year ? "year before" : "period before") + scope(),
                           "按" + keys_text() + "的 " + bold(measure) +
                               (q_.against_last_year ? " 及同比变化" : " 及环比变化") + scope());
    if (q_.groups.size() == 1 && q_.periods.empty()) {
        const std::size_t n = result_.rows.size() - 1;
        const std::string rate = n == 1 ? ", " + cell(1, result_.columns.size() - 1) : "";
        lead += say(": from " + cell(0, value) + " (" + cell(0, 0) + ") to " + cell(n, value) +
                        " (" + cell(n, 0) + ")" + rate,
                    ":从 " + cell(0, value) + "(" + cell(0, 0) + ")到 " + cell(n, value) + "(" +
                        cell(n, 0) + ")" + rate);
    }
    return lead + say(".", "。") + table();
}

}  // namespace atl::offline

// Parts of a whole, one figure over another, and changes from period to period.
#include "models/offline/answer_writer.hpp"

namespace atl::offline {

std::string AnswerWriter::share() const {
    if (result_.rows.empty()) return nothing();
    const std::size_t last = result_.columns.size() - 1;
    const auto told = [&](std::string_view name, std::size_t row) {
        return say(name, {{"part", conditions(q_.part)},
                          {"who", key_text(row)},
                          {"value", cell(row, last)},
                          {"share", percent(number(0, 2).value_or(0))}});
    };
    if (q_.part.empty()) return told("shares", 0) + table();
    if (key_count() == 0) {
        const bool counts = q_.measures[0].aggregation == Aggregation::Count;
        return number(0, 2) ? told(counts ? "share of rows" : "share of sum", 0) : nothing();
    }
    std::size_t best = 0;
    for (std::size_t r = 1; r < result_.rows.size(); ++r) {
        const double value = number(r, last).value_or(0);
        const double other = number(best, last).value_or(0);
        if (is_low() ? value < other : value > other) best = r;
    }
    return told(is_low() ? "share by lowest" : "share by highest", best) + table();
}

std::string AnswerWriter::ratio() const {
    if (result_.rows.empty()) return nothing();
    const Values sides = {{"upper", name(q_.measures[0])}, {"lower", name(q_.measures.back())}};
    if (key_count() > 0) return say("ratios", sides) + table();
    return say(q_.in_percent ? "ratio in percent" : "ratio", sides);
}

std::string AnswerWriter::growth() const {
    if (result_.rows.empty()) return nothing();
    if (!q_.periods.empty() && q_.groups.empty()) return periods();
    const std::size_t value = key_count();
    const std::size_t rate = result_.columns.size() - 1;
    if (q_.of_growth && rate > 0) {
        return say(is_low() ? "growth lowest" : "growth highest",
                   {{"who", key_text(0)}, {"rate", cell(0, rate)}, {"size", cell(0, rate - 1)}}) +
               table(10);
    }
    std::string range;
    if (q_.groups.size() == 1 && q_.periods.empty()) {
        const std::size_t n = result_.rows.size() - 1;
        range = say("growth range", {{"from", cell(0, value)},
                                     {"first", cell(0, 0)},
                                     {"to", cell(n, value)},
                                     {"last", cell(n, 0)},
                                     {"rate", n == 1 ? ", " + cell(1, rate) : ""}});
    }
    const char* name = q_.against_last_year ? "growth of years" : "growth";
    return say(name, {{"range", range}}) + table();
}

}  // namespace atl::offline

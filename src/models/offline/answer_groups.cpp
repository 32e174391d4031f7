// Figures of all rows or of groups: one key, two across, periods side by side, rankings.
#include "models/offline/answer_writer.hpp"

#include <algorithm>
#include <cmath>

namespace atl::offline {

std::string AnswerWriter::aggregate() const {
    if (result_.rows.empty()) return nothing();
    if (key_count() == 0) return result_.figure("value") ? extreme() : single();
    if (key_count() == 2 && q_.measures.size() == 1 && q_.order == Order::None && is_across()) {
        return say("by") + ":" + table();
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
    const auto add = [&](const std::string& key) {
        out += (out.empty() ? "" : zh_ ? "和" : " and ") + key;
    };
    for (const Group& g : q_.groups) add(name(g));
    if (!q_.periods.empty()) add(zh_ ? "时期" : "period");
    return out;
}

std::string AnswerWriter::extreme() const {
    std::string who;
    for (std::size_t c = 0; c < result_.columns.size() && who.empty(); ++c) {
        if (tells_rows(result_.columns[c])) who = bold(cell(0, c));
    }
    for (std::size_t c = 0; c < result_.columns.size() && who.empty(); ++c) {
        if (is_date(result_.columns[c])) who = (zh_ ? "" : "on ") + bold(cell(0, c));
    }
    return say("extreme", {{"who", who.empty() ? "" : colon() + who}}) + table();
}

std::string AnswerWriter::single() const {
    std::string out;
    for (std::size_t c = 0; c < std::min(result_.columns.size(), q_.measures.size()); ++c) {
        const Measure& m = q_.measures[c];
        const bool is_none = std::holds_alternative<std::monostate>(result_.rows[0][c]);
        if (is_none && figure_value("rows") == 0) return nothing();
        const char* form = "figure is";
        if (m.aggregation == Aggregation::Count) form = "there are rows";
        if (m.aggregation == Aggregation::Distinct) form = "there are distinct";
        if (m.aggregation == Aggregation::Rate) form = "rate is";
        const std::string yes = m.field ? escaped(at(schema_, *m.field).positive) : "";
        out += (out.empty() ? "" : ", ") + say(form, {{"value", cell(0, c)},
                                                      {"label", escaped(result_.columns[c])},
                                                      {"column", m.field ? name(*m.field) : ""},
                                                      {"yes", yes}});
    }
    const bool only_count =
        q_.measures.size() == 1 && q_.measures[0].aggregation == Aggregation::Count;
    return out + (only_count ? in_brackets(conditions(q_.filters)) : scope()) + (zh_ ? "。" : ".");
}

std::string AnswerWriter::periods() const {
    std::vector<std::string> each;
    for (std::size_t r = 0; r < result_.rows.size(); ++r) {
        each.push_back(cell(r, 0) + ": " + bold(cell(r, 1)));
    }
    const std::size_t last = result_.rows.size() - 1;
    const auto from = number(0, 1);
    const auto to = number(last, 1);
    std::string change;
    if (from && to && last > 0) {
        const double difference = *to - *from;
        std::string rate;
        if (*from != 0) rate = percent(100 * difference / std::fabs(*from));
        if (!rate.empty() && difference >= 0) rate.insert(0, "+");
        change = say(difference >= 0 ? "second is higher" : "second is lower",
                     {{"size", number_text(std::fabs(difference))}, {"rate", in_brackets(rate)}});
    }
    return say("periods", {{"list", listed(each, "")}, {"change", change}}) +
           (q_.measures.size() > 1 ? table() : "");
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
    const std::string what = name(q_.measures[0]);
    if (q_.wants_one || (q_.count && *q_.count == 1)) return first_of_ranking(what);
    const bool is_rate = q_.measures[0].aggregation == Aggregation::Rate;
    const bool has_range = result_.rows.size() > 1 && !q_.count;
    const bool has_overall = result_.figure("overall") && !is_rate;
    return say("ranking", {{"what", what},
                           {"range", has_range ? range(value) : ""},
                           {"overall", has_overall ? say("overall") : ""}}) +
           table();
}

std::string AnswerWriter::first_of_ranking(const std::string& what) const {
    const std::size_t value = key_count();
    const bool counts = q_.measures[0].aggregation == Aggregation::Count;
    const bool adds_up = counts || q_.measures[0].aggregation == Aggregation::Sum;
    const char* most = counts ? (is_low() ? "fewest" : "most") : (is_low() ? "lowest" : "highest");
    std::string whole;
    if (adds_up && result_.figure("overall")) whole = (zh_ ? "" : " ") + say("of all");
    const auto told = [&](std::string_view name) {
        return say(name, {{"most", say(most)},
                          {"what", what},
                          {"who", key_text(0)},
                          {"value", cell(0, value)},
                          {"number", number_text(static_cast<double>(result_.length))},
                          {"whole", whole}});
    };
    return told("ranked first") + (result_.rows.size() > 1 ? table(10) : "");
}

// The highest and the lowest of the groups.
std::string AnswerWriter::range(std::size_t value) const {
    std::size_t best = 0;
    std::size_t worst = 0;
    for (std::size_t r = 0; r < result_.rows.size(); ++r) {
        if (number(r, value).value_or(-1e300) > number(best, value).value_or(-1e300)) best = r;
        if (number(r, value).value_or(1e300) < number(worst, value).value_or(1e300)) worst = r;
    }
    if (number(best, value) == number(worst, value)) {
        return say("all have", {{"value", cell(best, value)}});
    }
    std::string out = say("range", {{"best", key_text(best)},
                                    {"high", cell(best, value)},
                                    {"worst", key_text(worst)},
                                    {"low", cell(worst, value)}});
    if (result_.rows.size() == 2 && result_.length == 2) {
        const double size = number(best, value).value_or(0) - number(worst, value).value_or(0);
        out += say("difference", {{"size", number_text(size)}});
    }
    return out;
}

}  // namespace atl::offline

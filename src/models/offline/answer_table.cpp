// About the table itself, its rows, and how columns go together.
#include "models/offline/answer_writer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace atl::offline {
namespace {

std::string three_digits(double value) {
    std::array<char, 24> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.3f", value);
    return buffer.data();
}

}  // namespace

std::string AnswerWriter::rows() const {
    if (result_.rows.empty()) return nothing();
    if (q_.order == Order::None || q_.measures.empty() || !q_.measures[0].field) {
        const auto shown = static_cast<double>(result_.rows.size());
        const bool is_part = q_.count && shown < figure_value("rows");
        return say(is_part ? "some rows" : "rows", {{"shown", number_text(shown)}}) + table();
    }
    const std::string value = value_name(q_, schema_, q_.measures[0]);
    std::size_t column = 0;
    for (std::size_t c = 0; c < result_.columns.size(); ++c) {
        if (result_.columns[c] == value) column = c;
    }
    std::string who = who_in_first_row();
    if (!who.empty()) who = colon() + bold(who);
    return say("rows ranked", {{"most", say(is_low() ? "lowest" : "highest")},
                               {"column", escaped(value)},
                               {"value", cell(0, column)},
                               {"who", who}}) +
           table();
}

// What tells the row from others, then what was asked of it; an empty cell tells nothing.
std::string AnswerWriter::who_in_first_row() const {
    std::string who;
    const auto add = [&](std::size_t c) {
        if (std::holds_alternative<std::monostate>(result_.rows[0][c])) return;
        who += (who.empty() ? "" : " / ") + cell(0, c);
    };
    const auto is_group = [&](const std::string& column) {
        return std::ranges::any_of(
            q_.groups, [&](const Group& g) { return name_of(q_, schema_, g.field) == column; });
    };
    const bool wants_id = std::ranges::none_of(
        q_.groups, [&](const Group& g) { return tells_rows(name_of(q_, schema_, g.field)); });
    for (std::size_t c = 0; c < result_.columns.size() && wants_id && who.empty(); ++c) {
        if (tells_rows(result_.columns[c])) add(c);
    }
    for (std::size_t c = 0; c < result_.columns.size(); ++c) {
        if (is_group(result_.columns[c])) add(c);
    }
    return who;
}

std::string AnswerWriter::period() const {
    if (result_.rows.empty()) return say("no dates");
    return say("period") + (result_.rows.size() > 1 ? table() : "");
}

std::string AnswerWriter::missing() const {
    const double rows = figure_value("rows");
    if (q_.fields.size() == 1) {
        const double share = rows > 0 ? 100 * figure_value("total") / rows : 0;
        return say("missing in column", {{"share", percent(share)}});
    }
    if (figure_value("total") > 0) return say("missing") + table();
    std::vector<std::string> columns;
    for (const Field& f : q_.fields) columns.push_back(name(f));
    if (columns.empty()) columns.push_back(escaped(schema_.tables[q_.table].title()));
    return say("none missing", {{"list", listed(columns, "`")}});
}

std::string AnswerWriter::duplicates() const {
    std::string out = say("duplicates");
    for (std::size_t r = 0; r < result_.rows.size(); ++r) {
        out += " " + say("repeated", {{"column", cell(r, 0)}, {"times", cell(r, 1)}});
    }
    return out;
}

std::string AnswerWriter::strength(double r) const {
    const double size = std::fabs(r);
    if (size < 0.1) return say("no relation");
    const std::string how = size < 0.3 ? "weak " : size < 0.6 ? "moderate " : "strong ";
    return say(how + (r > 0 ? "positive" : "negative"));
}

std::string AnswerWriter::correlation() const {
    const auto r = result_.figure("r");
    if (!r) return say("no correlation");
    return say("correlation", {{"other", name(q_.fields[1])},
                               {"r", three_digits(*r)},
                               {"spearman", three_digits(figure_value("spearman"))},
                               {"strength", strength(*r)}});
}

std::string AnswerWriter::distribution() const {
    if (q_.fields.empty()) return say("no number");
    return q_.groups.empty() ? say("distribution") : say("distribution by") + table();
}

}  // namespace atl::offline

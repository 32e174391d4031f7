// About the table itself: its shape, columns, rows, values, gaps and copies.
#include "models/offline/answer_writer.hpp"

namespace atl::offline {

std::string AnswerWriter::shape() const {
    return say(file() + " has " + bold(cell(0, 0)) + " rows and " + bold(cell(0, 1)) + " columns.",
               file() + " 有 " + bold(cell(0, 0)) + " 行、" + bold(cell(0, 1)) + " 列。");
}

std::string AnswerWriter::columns() const {
    return say(file() + " has " + bold(figure("columns")) + " columns and " + figure("rows") +
                   " rows:",
               file() + " 有 " + bold(figure("columns")) + " 列、" + figure("rows") + " 行:") +
           table();
}

std::string AnswerWriter::describe() const {
    return say(file() + ": " + figure("rows") + " rows, " + figure("columns") +
                   " columns. The number columns:",
               file() + ":" + figure("rows") + " 行、" + figure("columns") + " 列。数值列的统计:") +
           table();
}

std::string AnswerWriter::rows() const {
    if (result_.rows.empty()) return nothing();
    std::string lead;
    if (q_.order != Order::None && !q_.measures.empty() && q_.measures[0].field) {
        const std::string value = value_name(q_, schema_, q_.measures[0]);
        const std::string field = escaped(value);
        std::size_t column = 0;
        for (std::size_t c = 0; c < result_.columns.size(); ++c) {
            if (result_.columns[c] == value) column = c;
        }
        const bool low = q_.order == Order::Lowest;
        std::string who = who_in_first_row();
        if (figure_value("sharing") > 1) {
            who = say("shared by " + figure("sharing") + " rows", figure("sharing") + " 行并列");
        }
        lead = say("The " + place() + (low ? "lowest" : "highest") + " `" + field + "` is " +
                       bold(cell(0, column)) + (who.empty() ? "" : ": " + bold(who)),
                   "`" + field + "` " + place() + (low ? "低" : "高") + "的是 " +
                       bold(cell(0, column)) + (who.empty() ? "" : ":" + bold(who))) +
               say("" + scope() + ".", scope() + "。");
    } else {
        // "first 5 rows": so many of all
        const std::string shown = std::to_string(result_.rows.size());
        const bool is_part =
            q_.count && static_cast<double>(result_.rows.size()) < figure_value("rows");
        lead = say((is_part ? bold(shown) + " of " : "") + bold(figure("rows")) +
                       (figure_value("rows") == 1 ? " row" : " rows") +
                       (q_.filters.empty() ? "" : " with " + conditions(q_.filters)) + ":",
                   "共 " + bold(figure("rows")) + " 行" + (is_part ? "中的 " + shown + " 行" : "") +
                       (q_.filters.empty() ? "" : "(" + conditions(q_.filters) + ")") + ":");
    }
    return lead + table();
}

// What tells the row from others, then what was asked of it; an empty cell tells nothing.
std::string AnswerWriter::who_in_first_row() const {
    std::string who;
    const auto add = [&](std::size_t c) {
        if (std::holds_alternative<std::monostate>(result_.rows[0][c])) return;
        who += (who.empty() ? "" : " / ") + cell(0, c);
    };
    const auto is_group = [&](const std::string& column) {
        return std::any_of(q_.groups.begin(), q_.groups.end(),
                           [&](const Group& g) { return name_of(q_, schema_, g.field) == column; });
    };
    const bool wants_id = std::none_of(q_.groups.begin(), q_.groups.end(), [&](const Group& g) {
        return tells_rows(name_of(q_, schema_, g.field));
    });
    for (std::size_t c = 0; c < result_.columns.size() && wants_id && who.empty(); ++c) {
        if (tells_rows(result_.columns[c])) add(c);
    }
    for (std::size_t c = 0; c < result_.columns.size(); ++c) {
        if (is_group(result_.columns[c])) add(c);
    }
    return who;
}

std::string AnswerWriter::no_place() const {
    return say("There are only " + figure("groups") + " `" + keys_text() + "`.",
               "只有 " + figure("groups") + " 个 `" + keys_text() + "`。");
}

std::string AnswerWriter::place() const {
    if (!q_.rank) return say("", "最");
    const std::string number = std::to_string(*q_.rank);
    if (zh_) return "第 " + number + " ";
    if (*q_.rank <= 3) return *q_.rank == 2 ? "second " : "third ";
    const bool is_teen = *q_.rank % 100 / 10 == 1;
    const std::size_t last = is_teen ? 0 : *q_.rank % 10;
    return number + (last == 1 ? "st " : last == 2 ? "nd " : last == 3 ? "rd " : "th ");
}

std::string AnswerWriter::values() const {
    const std::string field = q_.fields.empty() ? "" : name(q_.fields[0]);
    return say("`" + field + "` has " + bold(figure("distinct")) + " distinct values:",
               "`" + field + "` 有 " + bold(figure("distinct")) + " 个不同的值:") +
           table(60);
}

std::string AnswerWriter::period() const {
    if (result_.rows.empty()) { return say("The table has no date column.", "表中没有日期列。"); }
    return say("`" + cell(0, 0) + "` runs from " + bold(cell(0, 1)) + " to " + bold(cell(0, 2)) +
                   ".",
               "`" + cell(0, 0) + "` 的范围是 " + bold(cell(0, 1)) + " 至 " + bold(cell(0, 2)) +
                   "。") +
           (result_.rows.size() > 1 ? table() : "");
}

std::string AnswerWriter::missing() const {
    if (q_.fields.size() == 1) {
        const std::string field = "`" + name(q_.fields[0]) + "`";
        const double rows = figure_value("rows");
        const double share = rows > 0 ? 100 * figure_value("total") / rows : 0;
        return say(field + " is missing in " + bold(figure("total")) + " of " + figure("rows") +
                       " rows (" + percent(share) + ")" + scope_of_filters() + ".",
                   field + " 缺失 " + bold(figure("total")) + " 行,共 " + figure("rows") + " 行(" +
                       percent(share) + ")" + scope_of_filters() + "。");
    }
    if (figure_value("total") == 0) {
        std::string where;
        for (const Field& f : q_.fields) where += (where.empty() ? "`" : ", `") + name(f) + "`";
        if (where.empty()) where = file();
        return say("No values are missing in " + where + scope() + ".",
                   where + " 没有缺失值" + scope() + "。");
    }
    return say(bold(figure("total")) + " values are missing, in " + bold(figure("affected")) +
                   " of " + figure("rows") + " rows; most in `" + cell(0, 0) +
                   "`: " + bold(cell(0, 1)) + " (" + cell(0, 2) +
                   "). Placeholders such as N/A or - and text in number columns count as "
                   "missing.",
               "共有 " + bold(figure("total")) + " 个缺失值,涉及 " + figure("rows") + " 行中的 " +
                   bold(figure("affected")) + " 行;最多的是 `" + cell(0, 0) +
                   "`:" + bold(cell(0, 1)) + "(" + cell(0, 2) +
                   ")。N/A、- 等占位符以及数值列中的文字也计为缺失。") +
           table();
}

std::string AnswerWriter::duplicates() const {
    std::string out =
        say("There are " + bold(figure("duplicates")) + " duplicate rows among " + figure("rows") +
                " (rows that repeat an earlier one in every column).",
            "在 " + figure("rows") + " 行中有 " + bold(figure("duplicates")) +
                " 个重复行(所有列都与之前某行相同)。");
    for (std::size_t r = 0; r < result_.rows.size(); ++r) {
        out += say(" `" + cell(r, 0) + "` repeats " + cell(r, 1) + " times.",
                   "`" + cell(r, 0) + "` 重复 " + cell(r, 1) + " 次。");
    }
    return out;
}

}  // namespace atl::offline

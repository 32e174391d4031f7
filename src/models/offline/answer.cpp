#include "models/offline/answer.hpp"

#include "models/offline/labels.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cmath>
#include <cstdio>

namespace atl::offline {
namespace {

namespace json = boost::json;

constexpr std::size_t kTableRowsMax = 60;
constexpr std::size_t kCellBytesMax = 80;

Cell cell_of(const json::value& value) {
    if (value.is_string()) return std::string(value.get_string());
    if (value.is_bool()) return std::string(value.get_bool() ? "True" : "False");
    if (value.is_number()) {
        boost::system::error_code ignored;
        return value.to_number<double>(ignored);
    }
    return std::monostate{};
}

std::string bold(const std::string& text) { return "**" + text + "**"; }

std::string percent(double value) {
    std::array<char, 40> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.2f%%", value);
    return buffer.data();
}

bool is_percent_column(std::string_view name) { return name.ends_with("(%)"); }

std::string text_of(const Cell& cell, std::string_view column = {}) {
    if (const auto* number = std::get_if<double>(&cell)) {
        return is_percent_column(column) ? percent(*number) : number_text(*number);
    }
    if (const auto* text = std::get_if<std::string>(&cell)) return escaped(*text);
    return "–";
}

class Writer {
public:
    Writer(const Question& q, const Schema& schema, const Result& result)
        : q_(q), schema_(schema), result_(result), zh_(q.language == Language::Chinese) {}

    std::string write(const std::string& chart_file) {
        std::string out = body();
        const Table& table = schema_.tables[q_.table];
        if (q_.chose_measure) out += "\n\n" + chosen();
        out += added() + meant_as_well();
        if (figure_value("left_out") > 0) {
            std::string keys;
            for (const Group& g : q_.groups) {
                if (at(schema_, g.field).missing == 0) continue;
                keys += (keys.empty() ? "`" : ", `") + name(g.field) + "`";
            }
            out += "\n\n" + say(figure("left_out") + " rows without " + keys + " are in no group.",
                                figure("left_out") + " 行没有 " + keys + ",不在任何一组中。");
        }
        if (!q_.names.empty()) out += "\n\n" + unknown_names();
        if (!table.note.empty()) out += "\n\n" + escaped(table.note);
        if (!chart_file.empty()) {
            out += "\n\n" + (zh_ ? "图表:" : std::string("Chart: ")) + "`/data/outputs/" +
                   chart_file + "`";
        }
        return out;
    }

private:
    [[nodiscard]] std::string say(const std::string& english, const std::string& chinese) const {
        return zh_ ? chinese : english;
    }
    [[nodiscard]] std::string figure(std::string_view name) const {
        const auto value = result_.figure(name);
        return value ? number_text(*value) : "–";
    }
    [[nodiscard]] double figure_value(std::string_view name) const {
        return result_.figure(name).value_or(0);
    }
    [[nodiscard]] std::optional<double> number(std::size_t row, std::size_t column) const {
        if (row >= result_.rows.size() || column >= result_.rows[row].size()) return std::nullopt;
        const auto* value = std::get_if<double>(&result_.rows[row][column]);
        return value == nullptr ? std::nullopt : std::optional(*value);
    }
    [[nodiscard]] std::string cell(std::size_t row, std::size_t column) const {
        if (row >= result_.rows.size() || column >= result_.rows[row].size()) return "–";
        const std::string label = column < result_.columns.size() ? result_.columns[column] : "";
        const auto value = number(row, column);
        if (value && is_name_like(label)) return plain(*value);
        return text_of(result_.rows[row][column], label);
    }
    // The column that names a row: an order's number, a person.
    [[nodiscard]] bool tells_rows(const std::string& column) const {
        const Table& t = schema_.tables[q_.table];
        return std::any_of(t.columns.begin(), t.columns.end(), [&](const Column& c) {
            return c.name == column && (c.is_text() || c.is_id) && t.rows > 5 &&
                   (c.distinct + c.missing) * 10 >= t.rows * 9;
        });
    }
    [[nodiscard]] bool is_date(const std::string& column) const {
        const auto& columns = schema_.tables[q_.table].columns;
        return std::any_of(columns.begin(), columns.end(),
                           [&](const Column& c) { return c.name == column && c.is_date(); });
    }
    // Numbers of ids and years are names: 900007, not 900,007.
    [[nodiscard]] bool is_name_like(const std::string& column) const {
        const auto in = [&](std::size_t table) {
            const auto& columns = schema_.tables[table].columns;
            return std::any_of(columns.begin(), columns.end(), [&](const Column& c) {
                const bool is_year = c.is_whole && c.low >= 1900 && c.high <= 2100;
                return c.name == column && c.is_number() && (c.is_id || is_year);
            });
        };
        return in(q_.table) || (q_.join && in(q_.join->right.table));
    }
    [[nodiscard]] std::size_t key_count() const {
        if (q_.by_columns && q_.groups.empty()) return 1;
        return q_.groups.size() + (q_.periods.empty() ? 0 : 1);
    }
    [[nodiscard]] std::string name(const Measure& m) const {
        return escaped(name_of(q_, schema_, m));
    }
    [[nodiscard]] std::string name(const Group& g) const {
        return escaped(name_of(q_, schema_, g));
    }
    [[nodiscard]] std::string name(Field f) const { return escaped(name_of(q_, schema_, f)); }

    // ---- conditions in words ----------------------------------------------------------------
    [[nodiscard]] std::string condition(const Filter& f) const {
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
                static constexpr std::array<const char*, 7> kChinese = {
                    "周一", "周二", "周三", "周四", "周五", "周六", "周日"};
                std::string days;
                for (const int d : f.time.parts) {
                    const auto i = static_cast<std::size_t>(std::clamp(d, 0, 6));
                    days +=
                        (days.empty() ? "" : ", ") + std::string(zh_ ? kChinese[i] : kEnglish[i]);
                }
                return field + ": " + days;
            }
            case Filter::Kind::Dates: return field + " " + dates(f.time);
            case Filter::Kind::Missing: return field + say(" is missing", " 缺失");
            case Filter::Kind::Present: return field + say(" is not missing", " 不缺失");
        }
        return field;
    }
    // " > 75,000"
    [[nodiscard]] static std::string condition_tail(const Filter& f) {
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
    // 2015 may be a year
    static std::string bound(double value) {
        return std::fabs(value) < 10000 ? plain(value) : number_text(value);
    }
    static std::string plain(double value) {
        std::array<char, 40> buffer{};
        std::snprintf(buffer.data(), buffer.size(), "%.10g", value);
        return buffer.data();
    }
    [[nodiscard]] std::string dates(const TimeSpan& time) const {
        if (time.from && time.to) {
            return iso_of(*time.from) + say(" to ", " 至 ") +
                   iso_of(*time.to - std::chrono::days(1));
        }
        if (time.from) return "≥ " + iso_of(*time.from);
        return time.to ? "< " + iso_of(*time.to) : "";
    }
    [[nodiscard]] std::string conditions(const std::vector<Filter>& filters) const {
        std::string out;
        for (const Filter& f : filters) out += (out.empty() ? "" : "; ") + condition(f);
        return out;
    }
    // " (region = North; 120 rows)"
    [[nodiscard]] std::string scope() const {
        std::string out = conditions(q_.filters);
        if (const auto rows = result_.figure("rows")) {
            out += (out.empty() ? "" : "; ") + number_text(*rows) + say(" rows", " 行");
        }
        return out.empty() ? "" : say(" (" + out + ")", "(" + out + ")");
    }
    [[nodiscard]] std::string unknown_names() const {
        std::string list;
        for (const std::string& n : q_.names) list += (list.empty() ? "" : ", ") + escaped(n);
        return say("Not found in the table and left out of account: " + list + ".",
                   "表中没有找到,未予考虑:" + list + "。");
    }
    [[nodiscard]] std::string chosen() const {
        std::string field;
        if (!q_.measures.empty() && q_.measures[0].field) {
            field = name(*q_.measures[0].field);
        } else if (!q_.fields.empty()) {
            field = name(q_.fields[0]);
        }
        if (field.empty()) return "";
        return say("The question names no number column, so I used `" + field + "`.",
                   "问题没有指明数值列,我使用了 `" + field + "`。");
    }

    [[nodiscard]] std::string added() const {
        for (const Measure& m : q_.measures) {
            if (!m.plus) continue;
            const std::string a = "`" + name(*m.field) + "`";
            const std::string b = "`" + name(*m.plus) + "`";
            return "\n\n" + say("No single column is named, so I added " + a + " and " + b + ".",
                                "没有指明是哪一列,我把 " + a + " 与 " + b + " 相加。");
        }
        return "";
    }
    [[nodiscard]] std::string meant_as_well() const {
        std::string list;
        for (const Field f : q_.also) list += (list.empty() ? "`" : ", `") + name(f) + "`";
        if (list.empty()) return "";
        return "\n\n" + say("The question may also mean " + list + ".", "也可能指 " + list + "。");
    }

    // ---- the table --------------------------------------------------------------------------
    [[nodiscard]] std::string table(std::size_t most = kTableRowsMax) const {
        if (result_.rows.empty()) return "";
        std::string out = "\n\n|";
        std::string rule = "\n|";
        for (std::size_t c = 0; c < result_.columns.size(); ++c) {
            out += " " + escaped(result_.columns[c]) + " |";
            const bool is_number = number(0, c).has_value() || number(1, c).has_value();
            rule += is_number ? " ---: |" : " --- |";
        }
        out += rule;
        const std::size_t shown = std::min(most, result_.rows.size());
        for (std::size_t r = 0; r < shown; ++r) {
            out += "\n|";
            for (std::size_t c = 0; c < result_.columns.size(); ++c) out += " " + cell(r, c) + " |";
        }
        if (shown < result_.length) {
            out += "\n\n" + say("(" + std::to_string(shown) + " of " +
                                    number_text(static_cast<double>(result_.length)) + " shown)",
                                "(共 " + number_text(static_cast<double>(result_.length)) +
                                    " 行,显示 " + std::to_string(shown) + " 行)");
        }
        return out;
    }
    [[nodiscard]] std::string nothing() const {
        const std::string where = conditions(q_.filters);
        if (where.empty()) return say("The result is empty.", "结果为空。");
        return say("No rows match: " + where + ".", "没有符合条件的数据:" + where + "。");
    }

    // ---- the intents ------------------------------------------------------------------------
    [[nodiscard]] std::string body() const {
        switch (q_.intent) {
            case Intent::Shape: return shape();
            case Intent::Columns: return columns();
            case Intent::Describe: return describe();
            case Intent::Rows: return rows();
            case Intent::Values: return values();
            case Intent::Period: return period();
            case Intent::Aggregate: return aggregate();
            case Intent::Share: return share();
            case Intent::Growth: return growth();
            case Intent::Correlation: return correlation();
            case Intent::Outliers: return outliers();
            case Intent::Distribution: return distribution();
            case Intent::Missing: return missing();
            case Intent::Duplicates: return duplicates();
            case Intent::Ratio: return ratio();
            case Intent::TopPercent: return top_percent();
            default: return table();
        }
    }
    [[nodiscard]] std::string file() const {
        return "`" + escaped(schema_.tables[q_.table].file_name()) + "`";
    }
    [[nodiscard]] std::string shape() const {
        return say(
            file() + " has " + bold(cell(0, 0)) + " rows and " + bold(cell(0, 1)) + " columns.",
            file() + " 有 " + bold(cell(0, 0)) + " 行、" + bold(cell(0, 1)) + " 列。");
    }
    [[nodiscard]] std::string columns() const {
        return say(file() + " has " + bold(figure("columns")) + " columns and " + figure("rows") +
                       " rows:",
                   file() + " 有 " + bold(figure("columns")) + " 列、" + figure("rows") + " 行:") +
               table();
    }
    [[nodiscard]] std::string describe() const {
        return say(file() + ": " + figure("rows") + " rows, " + figure("columns") +
                       " columns. The number columns:",
                   file() + ":" + figure("rows") + " 行、" + figure("columns") +
                       " 列。数值列的统计:") +
               table();
    }
    [[nodiscard]] std::string rows() const {
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
            std::string who;
            if (!q_.groups.empty()) {
                for (std::size_t c = 0; c < result_.columns.size(); ++c) {
                    if (result_.columns[c] == name_of(q_, schema_, q_.groups[0].field)) {
                        who = cell(0, c);
                    }
                }
            }
            for (std::size_t c = 0; c < result_.columns.size() && who.empty(); ++c) {
                if (tells_rows(result_.columns[c])) who = cell(0, c);
            }
            if (figure_value("sharing") > 1) {
                who =
                    say("shared by " + figure("sharing") + " rows", figure("sharing") + " 行并列");
            }
            lead = say("The " + place() + (low ? "lowest" : "highest") + " `" + field + "` is " +
                           bold(cell(0, column)) + (who.empty() ? "" : ": " + bold(who)),
                       "`" + field + "` " + place() + (low ? "低" : "高") + "的是 " +
                           bold(cell(0, column)) + (who.empty() ? "" : ":" + bold(who))) +
                   say("" + scope() + ".", scope() + "。");
        } else {
            lead = say(bold(figure("rows")) + (figure_value("rows") == 1 ? " row" : " rows") +
                           (q_.filters.empty() ? "" : " with " + conditions(q_.filters)) + ":",
                       "共 " + bold(figure("rows")) + " 行" +
                           (q_.filters.empty() ? "" : "(" + conditions(q_.filters) + ")") + ":");
        }
        return lead + table();
    }
    [[nodiscard]] std::string no_place() const {
        return say("There are only " + figure("groups") + " `" + keys_text() + "`.",
                   "只有 " + figure("groups") + " 个 `" + keys_text() + "`。");
    }
    // "second ", where that place of a ranking is asked for; 第 2
    [[nodiscard]] std::string place() const {
        if (!q_.rank) return say("", "最");
        const std::string number = std::to_string(*q_.rank);
        if (zh_) return "第 " + number + " ";
        if (*q_.rank <= 3) return *q_.rank == 2 ? "second " : "third ";
        const bool is_teen = *q_.rank % 100 / 10 == 1;
        const std::size_t last = is_teen ? 0 : *q_.rank % 10;
        return number + (last == 1 ? "st " : last == 2 ? "nd " : last == 3 ? "rd " : "th ");
    }
    [[nodiscard]] std::string values() const {
        const std::string field = q_.fields.empty() ? "" : name(q_.fields[0]);
        return say("`" + field + "` has " + bold(figure("distinct")) + " distinct values:",
                   "`" + field + "` 有 " + bold(figure("distinct")) + " 个不同的值:") +
               table(60);
    }
    [[nodiscard]] std::string period() const {
        if (result_.rows.empty()) {
            return say("The table has no date column.", "表中没有日期列。");
        }
        return say("`" + cell(0, 0) + "` runs from " + bold(cell(0, 1)) + " to " +
                       bold(cell(0, 2)) + ".",
                   "`" + cell(0, 0) + "` 的范围是 " + bold(cell(0, 1)) + " 至 " + bold(cell(0, 2)) +
                       "。") +
               (result_.rows.size() > 1 ? table() : "");
    }

    // "3 of 5 dept have average salary > 75,000: Engineering, Sales, Finance."
    [[nodiscard]] std::string having() const {
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
                   number_text(groups) + " 个 `" + keys_text() + "` 中有 " + number + " 个(" +
                       part + ")" + how + scope() + (names.empty() ? "。" : ":" + names + "。")) +
               table();
    }
    [[nodiscard]] std::string aggregate() const {
        if (q_.having) return having();
        if (result_.rows.empty() && q_.rank && figure_value("groups") > 0) return no_place();
        if (result_.rows.empty()) return nothing();
        if (q_.averaged) return averaged();
        if (key_count() == 0) return single();
        if (key_count() == 2 && q_.measures.size() == 1 && q_.order == Order::None &&
            !result_.columns.empty() && is_across()) {
            const std::string what = q_.is_running ? escaped(running_name(q_, schema_))
                                     : q_.rolling  ? escaped(rolling_name(q_, schema_))
                                                   : name(q_.measures[0]);
            return say(bold(what) + " by " + keys_text() + scope() + ":",
                       "按" + keys_text() + "的 " + bold(what) + scope() + ":") +
                   table();
        }
        if (q_.is_running) return running();
        if (q_.rolling) return rolling();
        if (!q_.periods.empty() && q_.groups.empty()) return periods();
        return ranking();
    }
    [[nodiscard]] std::string running() const {
        const std::string what = escaped(running_name(q_, schema_));
        std::string lead = say(bold(what) + " by " + keys_text() + scope(),
                               "按" + keys_text() + "的 " + bold(what) + scope());
        if (const auto overall = result_.figure("overall")) {
            lead += say(": it reaches " + bold(number_text(*overall)),
                        ":最后达到 " + bold(number_text(*overall)));
        }
        return lead + say(".", "。") + table();
    }
    // Only the first rows are shown of many days, so the last figure is told.
    [[nodiscard]] std::string rolling() const {
        std::string lead = say(bold(escaped(rolling_name(q_, schema_))) + scope(),
                               bold(escaped(rolling_name(q_, schema_))) + scope());
        if (!result_.figure("last")) {
            return lead + say(": there are fewer periods than that.", ":时期数不够。") + table();
        }
        std::string when;
        for (const auto& [key, value] : result_.figures) {
            if (key == "when") when = text_of(value);
        }
        lead += say(": the last one is " + bold(figure("last")) + " (" + when + "); highest " +
                        figure("most") + ", lowest " + figure("least") +
                        ". Periods without rows are left out of account.",
                    ":最后一个为 " + bold(figure("last")) + "(" + when + ");最高 " +
                        figure("most") + ",最低 " + figure("least") + "。没有数据的时期不计入。");
        return lead + table();
    }
    // "The top 10 % of customer: 12 of 120, from 900 to 5,000, with 31 % of the total"
    [[nodiscard]] std::string top_percent() const {
        if (result_.rows.empty()) return nothing();
        const bool low = q_.order == Order::Lowest;
        const std::string size = plain(q_.percent.value_or(0)) + "%";
        const bool of_rows = key_count() == 0;
        const Measure& m = q_.measures[0];
        const std::string measure = of_rows && m.field ? "`" + name(*m.field) + "`" : name(m);
        const std::string what = of_rows ? say("rows", "行") : keys_text();
        const bool adds_up =
            of_rows || m.aggregation == Aggregation::Sum || m.aggregation == Aggregation::Count;
        std::string out = say(
            "The " + std::string(low ? "bottom " : "top ") + size + " of " + what + " by " +
                measure + ": " + bold(figure("count")) + " of " + figure("whole") + ", from " +
                figure("least") + " to " + figure("most") + ", on average " + bold(figure("mean")),
            measure + (low ? " 最低的 " : " 最高的 ") + size + what + ":" + bold(figure("count")) +
                " / " + figure("whole") + ",从 " + figure("least") + " 到 " + figure("most") +
                ",平均 " + bold(figure("mean")));
        if (adds_up) {
            const double overall = figure_value("overall");
            const std::string part =
                overall > 0 ? percent(100 * figure_value("total") / overall) : "–";
            out += say("; together " + bold(figure("total")) + ", that is " + bold(part) +
                           " of the total " + figure("overall"),
                       ";合计 " + bold(figure("total")) + ",占总计 " + figure("overall") + " 的 " +
                           bold(part));
        }
        const std::string where = conditions(q_.filters);
        if (!where.empty()) out += say(" (" + where + ")", "(" + where + ")");
        return out + say(".", "。") + table(10);
    }
    [[nodiscard]] bool is_across() const {
        return result_.columns.size() < 2 ||
               result_.columns.back() != name_of(q_, schema_, q_.measures[0]);
    }
    [[nodiscard]] std::string keys_text() const {
        std::string out;
        if (q_.by_columns && q_.groups.empty()) return say("column", "列");
        for (const Group& g : q_.groups) out += (out.empty() ? "" : say(" and ", "和")) + name(g);
        if (!q_.periods.empty())
            out += (out.empty() ? "" : say(" and ", "和")) + say("period", "时期");
        return out;
    }
    [[nodiscard]] std::string single() const {
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
                       bold(name(m)) + " 为 " + bold(figure("value")) +
                           (who.empty() ? "" : ":" + who) + scope() + ":") +
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
                out += say(
                    (out.empty() ? "There are " : ", ") + bold(value) + " distinct `" + field + "`",
                    (out.empty() ? "共有 " : ",") + bold(value) + " 个不同的 `" + field + "`");
            } else {
                const bool is_part = c < q_.measures.size() && q_.measures[c].field &&
                                     q_.measures[c].aggregation == Aggregation::Rate;
                if (is_part) {
                    const Column& flag = at(schema_, *q_.measures[c].field);
                    const std::string what =
                        "`" + name(*q_.measures[c].field) + "` = " + escaped(flag.positive);
                    out +=
                        say((out.empty() ? "" : ", ") + what + ": " + bold(value) + " of the rows",
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
    [[nodiscard]] std::string averaged() const {
        const std::string per = name(*q_.averaged);
        return say("On average " + bold(cell(0, 0)) + " per " + per + " (" + name(q_.measures[0]) +
                       " of each " + per + "; lowest " + cell(0, 1) + ", highest " + cell(0, 2) +
                       ", over " + cell(0, 3) + " of them)",
                   "平均每个" + per + " " + bold(cell(0, 0)) + "(" + name(q_.measures[0]) +
                       ";最低 " + cell(0, 1) + ",最高 " + cell(0, 2) + ",共 " + cell(0, 3) +
                       " 个)") +
               scope() + say(".", "。");
    }
    [[nodiscard]] std::string periods() const {
        std::string out;
        for (std::size_t r = 0; r < result_.rows.size(); ++r) {
            out += (r == 0 ? "" : say(", ", ",")) + cell(r, 0) + ": " + bold(cell(r, 1));
        }
        out = say(bold(name(q_.measures[0])) + " – " + out, bold(name(q_.measures[0])) + ":" + out);
        out += change(0, result_.rows.size() - 1, 1);
        return out + scope() + say(".", "。") + (q_.measures.size() > 1 ? table() : "");
    }
    // "; that is 120.00 more (+12.00%)"
    [[nodiscard]] std::string change(std::size_t from, std::size_t to, std::size_t column) const {
        const auto a = number(from, column);
        const auto b = number(to, column);
        if (!a || !b || from == to) return "";
        const double difference = *b - *a;
        std::string rate;
        if (*a != 0)
            rate = (difference >= 0 ? "+" : "") + percent(100 * difference / std::fabs(*a));
        const std::string size = number_text(std::fabs(difference));
        return say("; the second is " + bold(size) + (difference >= 0 ? " higher" : " lower") +
                       (rate.empty() ? "" : " (" + rate + ")"),
                   ";后者" + std::string(difference >= 0 ? "高 " : "低 ") + bold(size) +
                       (rate.empty() ? "" : "(" + rate + ")"));
    }
    [[nodiscard]] std::string key_text(std::size_t row) const {
        std::string out;
        for (std::size_t k = 0; k < key_count(); ++k) {
            out += (out.empty() ? "" : " / ") + cell(row, k);
        }
        return out;
    }
    [[nodiscard]] std::string ranking() const {
        const std::size_t value = key_count();
        const std::string measure = q_.by_columns && q_.groups.empty()
                                        ? escaped(result_.columns.back())
                                        : name(q_.measures[0]);
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
            lead = say(bold(key_text(0)) + " has the " + most + measure + ": " +
                           bold(cell(0, value)) + whole + scope() + ".",
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
                if (number(r, value).value_or(-1e300) > number(best, value).value_or(-1e300))
                    best = r;
                if (number(r, value).value_or(1e300) < number(worst, value).value_or(1e300))
                    worst = r;
            }
            lead += say(": highest " + bold(key_text(best)) + " with " + cell(best, value) +
                            ", lowest " + bold(key_text(worst)) + " with " + cell(worst, value),
                        ":最高 " + bold(key_text(best)) + " " + cell(best, value) + ",最低 " +
                            bold(key_text(worst)) + " " + cell(worst, value));
            const bool pair = result_.rows.size() == 2 && result_.length == 2;
            if (pair) {
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
    [[nodiscard]] bool is_rate() const { return q_.measures[0].aggregation == Aggregation::Rate; }

    [[nodiscard]] std::string share() const {
        if (result_.rows.empty()) return nothing();
        const std::string measure = name(q_.measures[0]);
        const std::size_t last = result_.columns.size() - 1;
        if (!q_.part.empty() && key_count() == 0) {
            const auto value = number(0, 2);
            const std::string within =
                q_.filters.empty() ? ""
                                   : say(" with ", "(") + conditions(q_.filters) + say("", ")");
            const bool counts = q_.measures[0].aggregation == Aggregation::Count;
            return say(bold(value ? percent(*value) : "–") + " of the " + measure + within +
                           (counts ? " have " : " comes from rows with ") + conditions(q_.part) +
                           ": " + cell(0, 0) + " of " + cell(0, 1) + ".",
                       conditions(q_.part) + " 占 " + measure + within + " 的 " +
                           bold(value ? percent(*value) : "–") + ":" + cell(0, 0) + " / " +
                           cell(0, 1) + "。");
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
    [[nodiscard]] std::string operand(const Measure& m, const std::vector<Filter>& filters) const {
        const std::string where = conditions(filters);
        return name(m) + (where.empty() ? "" : say(" with ", ",") + where);
    }
    [[nodiscard]] std::string ratio() const {
        if (result_.rows.empty()) return nothing();
        const std::string upper = operand(q_.measures[0], q_.part);
        const std::string lower = operand(q_.measures.back(), q_.base);
        if (key_count() > 0) {
            return say("Ratio of " + upper + " to " + lower + " by " + keys_text() + scope() + ":",
                       "按" + keys_text() + "的 " + upper + " 与 " + lower + " 之比" + scope() +
                           ":") +
                   table();
        }
        const std::string value = bold(cell(0, 2));
        if (q_.in_percent) {
            return say(upper + " is " + value + " of " + lower + ": " + cell(0, 0) + " of " +
                           cell(0, 1) + scope() + ".",
                       upper + " 占 " + lower + " 的 " + value + ":" + cell(0, 0) + " / " +
                           cell(0, 1) + scope() + "。");
        }
        return say("The ratio of " + upper + " to " + lower + " is " + value + ": " + cell(0, 0) +
                       " / " + cell(0, 1) + scope() + ".",
                   upper + " 与 " + lower + " 之比为 " + value + ":" + cell(0, 0) + " / " +
                       cell(0, 1) + scope() + "。");
    }
    [[nodiscard]] std::string growth() const {
        if (result_.rows.empty()) return nothing();
        const std::size_t value = key_count();
        const std::string measure = name(q_.measures[0]);
        if (!q_.periods.empty() && q_.groups.empty()) return periods();
        if (q_.of_growth) {
            const std::size_t rate = result_.columns.size() - 1;
            const bool low = q_.order == Order::Lowest;
            return say(bold(key_text(0)) + " has the " + (low ? "lowest" : "highest") +
                           " change of " + measure + " against the period before: " +
                           bold(cell(0, rate)) + " (" + cell(0, rate - 1) + ").",
                       bold(key_text(0)) + " 的 " + measure + " 环比变化" +
                           (low ? "最低" : "最高") + ":" + bold(cell(0, rate)) + "(" +
                           cell(0, rate - 1) + ")。") +
                   table(10);
        }
        std::string lead =
            say(bold(measure) + " by " + keys_text() + " with the change against the " +
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
    [[nodiscard]] std::string strength(double r) const {
        const double size = std::fabs(r);
        if (size < 0.1) return say("practically no linear relation", "几乎没有线性关系");
        const std::string sign = r > 0 ? say("positive", "正") : say("negative", "负");
        const std::string how = size < 0.3   ? say("weak ", "弱")
                                : size < 0.6 ? say("moderate ", "中等")
                                             : say("strong ", "强");
        return say("a " + how + sign + " relation", how + sign + "相关");
    }
    [[nodiscard]] static std::string r_text(double r) {
        std::array<char, 24> buffer{};
        std::snprintf(buffer.data(), buffer.size(), "%.3f", r);
        return buffer.data();
    }
    [[nodiscard]] std::string correlation() const {
        if (q_.fields.size() >= 2) {
            const auto r = result_.figure("r");
            if (!r) return say("The correlation cannot be computed.", "无法计算相关系数。");
            return say("The correlation between `" + name(q_.fields[0]) + "` and `" +
                           name(q_.fields[1]) + "` is **r = " + r_text(*r) + "** (Pearson, " +
                           figure("pairs") + " rows; rank correlation " +
                           r_text(figure_value("spearman")) + "): " + strength(*r) + ".",
                       "`" + name(q_.fields[0]) + "` 与 `" + name(q_.fields[1]) +
                           "` 的相关系数 **r = " + r_text(*r) + "**(Pearson," + figure("pairs") +
                           " 行;秩相关 " + r_text(figure_value("spearman")) + "):" + strength(*r) +
                           "。");
        }
        if (result_.rows.empty()) {
            return say("There are not two number columns to relate.", "没有两个可比较的数值列。");
        }
        std::string out = say("The strongest correlations:", "相关性最强的列:");
        for (std::size_t r = 0; r < std::min<std::size_t>(10, result_.rows.size()); ++r) {
            const std::size_t last = result_.columns.size() - 1;
            std::string who = "`" + cell(r, 0) + "`";
            if (last == 2) {
                who += " – `" + cell(r, 1) + "`";
            } else if (!q_.fields.empty()) {
                who = "`" + name(q_.fields[0]) + "` – " + who;
            }
            out += "\n- " + who + ": **r = " + r_text(number(r, last).value_or(0)) + "**";
        }
        return out;
    }
    [[nodiscard]] std::string outliers() const {
        if (q_.fields.empty()) return say("There is no number column.", "没有数值列。");
        const std::string field = name(q_.fields[0]);
        return say("`" + field + "` has " + bold(figure("count")) + " outliers among " +
                       figure("rows") + " values by the 1.5 × IQR rule: " + figure("above") +
                       " above " + figure("fence_high") + " and " + figure("below") + " below " +
                       figure("fence_low") + "." + scope_of_filters(),
                   "`" + field + "` 按 1.5 × IQR 规则,在 " + figure("rows") + " 个值中有 " +
                       bold(figure("count")) + " 个异常值:高于 " + figure("fence_high") + " 的 " +
                       figure("above") + " 个,低于 " + figure("fence_low") + " 的 " +
                       figure("below") + " 个。" + scope_of_filters()) +
               table(10);
    }
    [[nodiscard]] std::string scope_of_filters() const {
        return q_.filters.empty() ? "" : say(" (", "(") + conditions(q_.filters) + say(")", ")");
    }
    [[nodiscard]] std::string distribution() const {
        if (q_.fields.empty()) return say("There is no number column.", "没有数值列。");
        const std::string field = name(q_.fields[0]);
        if (!q_.groups.empty()) {
            return say("`" + field + "` by " + keys_text() + scope() + ":",
                       "按" + keys_text() + "的 `" + field + "` 分布" + scope() + ":") +
                   table();
        }
        // describe(): count, mean, std, min, 25%, 50%, 75%, max
        return say("`" + field + "`: mean " + bold(cell(1, 1)) + ", median " + bold(cell(5, 1)) +
                       ", from " + cell(3, 1) + " to " + cell(7, 1) +
                       "; the middle half lies between " + cell(4, 1) + " and " + cell(6, 1) +
                       " (standard deviation " + cell(2, 1) + ", " + figure("rows") + " values)." +
                       scope_of_filters(),
                   "`" + field + "`:均值 " + bold(cell(1, 1)) + ",中位数 " + bold(cell(5, 1)) +
                       ",范围 " + cell(3, 1) + " 至 " + cell(7, 1) + ";中间一半在 " + cell(4, 1) +
                       " 与 " + cell(6, 1) + " 之间(标准差 " + cell(2, 1) + "," + figure("rows") +
                       " 个值)。" + scope_of_filters());
    }
    [[nodiscard]] std::string missing() const {
        if (q_.fields.size() == 1) {
            const std::string field = "`" + name(q_.fields[0]) + "`";
            const double rows = figure_value("rows");
            const double share = rows > 0 ? 100 * figure_value("total") / rows : 0;
            return say(field + " is missing in " + bold(figure("total")) + " of " + figure("rows") +
                           " rows (" + percent(share) + ")" + scope_of_filters() + ".",
                       field + " 缺失 " + bold(figure("total")) + " 行,共 " + figure("rows") +
                           " 行(" + percent(share) + ")" + scope_of_filters() + "。");
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
                   "共有 " + bold(figure("total")) + " 个缺失值,涉及 " + figure("rows") +
                       " 行中的 " + bold(figure("affected")) + " 行;最多的是 `" + cell(0, 0) +
                       "`:" + bold(cell(0, 1)) + "(" + cell(0, 2) +
                       ")。N/A、- 等占位符以及数值列中的文字也计为缺失。") +
               table();
    }
    [[nodiscard]] std::string duplicates() const {
        std::string out =
            say("There are " + bold(figure("duplicates")) + " duplicate rows among " +
                    figure("rows") + " (rows that repeat an earlier one in every column).",
                "在 " + figure("rows") + " 行中有 " + bold(figure("duplicates")) +
                    " 个重复行(所有列都与之前某行相同)。");
        for (std::size_t r = 0; r < result_.rows.size(); ++r) {
            out += say(" `" + cell(r, 0) + "` repeats " + cell(r, 1) + " times.",
                       "`" + cell(r, 0) + "` 重复 " + cell(r, 1) + " 次。");
        }
        return out;
    }

    const Question& q_;
    const Schema& schema_;
    const Result& result_;
    bool zh_;
};

}  // namespace

std::optional<double> Result::figure(std::string_view name) const {
    for (const auto& [key, value] : figures) {
        if (key == name && std::holds_alternative<double>(value)) return std::get<double>(value);
    }
    return std::nullopt;
}

std::optional<Result> result_in(std::string_view tool_output) {
    const std::string_view line = marked_line(tool_output, "atoll_result");
    if (line.empty()) return std::nullopt;
    boost::system::error_code failed;
    const json::value value = json::parse(line, failed);
    if (failed || !value.is_object()) return std::nullopt;
    const json::object& object = value.get_object();
    Result result;
    if (const auto* columns = object.if_contains("columns"); columns && columns->is_array()) {
        for (const json::value& v : columns->get_array()) {
            result.columns.push_back(v.is_string() ? std::string(v.get_string()) : "");
        }
    }
    if (const auto* rows = object.if_contains("rows"); rows && rows->is_array()) {
        for (const json::value& v : rows->get_array()) {
            if (!v.is_array()) continue;
            std::vector<Cell> row;
            for (const json::value& c : v.get_array()) row.push_back(cell_of(c));
            row.resize(result.columns.size());
            result.rows.push_back(std::move(row));
        }
    }
    if (const auto* length = object.if_contains("length"); length && length->is_int64()) {
        result.length = static_cast<std::size_t>(std::max<std::int64_t>(0, length->get_int64()));
    }
    result.length = std::max(result.length, result.rows.size());
    if (const auto* figures = object.if_contains("figures"); figures && figures->is_object()) {
        for (const auto& member : figures->get_object()) {
            result.figures.emplace_back(std::string(member.key()), cell_of(member.value()));
        }
    }
    return result;
}

std::string number_text(double value) {
    if (!std::isfinite(value)) return "–";
    std::array<char, 64> buffer{};
    const double size = std::fabs(value);
    const bool is_whole = value == std::floor(value) && size < 1e15;
    if (is_whole) {
        std::snprintf(buffer.data(), buffer.size(), "%.0f", value);
    } else if (size >= 1) {
        std::snprintf(buffer.data(), buffer.size(), "%.2f", value);
    } else {
        std::snprintf(buffer.data(), buffer.size(), "%.4g", value);
    }
    std::string text = buffer.data();
    if (text.find('e') != std::string::npos) return text;
    std::size_t end = std::min(text.find('.'), text.size());
    const std::size_t begin = text[0] == '-' ? 1 : 0;
    while (end > begin + 3) {
        end -= 3;
        text.insert(end, ",");
    }
    return text;
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text.substr(0, kCellBytesMax * 2)) {
        if (c == '\n' || c == '\r' || c == '\t') {
            out += ' ';
        } else if (static_cast<unsigned char>(c) < 0x20) {
            continue;
        } else {
            if (c == '<' || c == '>') {
                out += c == '<' ? "&lt;" : "&gt;";
                continue;
            }
            if (std::string_view("|`[]*\\!").find(c) != std::string_view::npos) out += '\\';
            out += c;
        }
    }
    // not in the middle of a character
    while (text.size() > kCellBytesMax * 2 && !out.empty() &&
           (static_cast<unsigned char>(out.back()) & 0xC0U) == 0x80U) {
        out.pop_back();
    }
    return out;
}

std::string answer(const Question& question, const Schema& schema, const Result& result,
                   const std::string& chart_file) {
    return Writer(question, schema, result).write(chart_file);
}

}  // namespace atl::offline

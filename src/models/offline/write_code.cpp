#include "models/offline/write_code.hpp"

#include "models/offline/labels.hpp"
#include "models/offline/python_text.hpp"
#include "models/offline/understand.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace atl::offline {
namespace {

constexpr std::size_t kShownColumnsMax = 10;
constexpr std::size_t kShownRows = 10;
constexpr std::size_t kLineMax = 96;

using Names = std::vector<std::string>;

// ---- Python from values --------------------------------------------------------------------

std::string function_of(const Measure& m) {
    switch (m.aggregation) {
        case Aggregation::Sum: return "'sum'";
        case Aggregation::Mean:
        case Aggregation::Rate: return "'mean'";
        case Aggregation::Median: return "'median'";
        case Aggregation::Minimum: return "'min'";
        case Aggregation::Maximum: return "'max'";
        case Aggregation::Deviation: return "'std'";
        case Aggregation::Count: return "'size'";
        case Aggregation::Distinct: return "'nunique'";
    }
    return "'sum'";
}

std::string grain_of(const Group& group) {
    switch (group.grain) {
        case Grain::Hour: return "'hour'";
        case Grain::Day: return "'day'";
        case Grain::Week: return "'week'";
        case Grain::Month: return "'month'";
        case Grain::Quarter: return "'quarter'";
        case Grain::Year: return "'year'";
        case Grain::HourOfDay: return "'hour of the day'";
        case Grain::Weekday: return "'weekday'";
        case Grain::WorkdayOrWeekend: return "'part of the week'";
        case Grain::MonthOfYear: return "'month of the year'";
        case Grain::None: break;
    }
    return "''";
}

// Behind a column of numbers: " > 5", ".between(1, 5)".
std::string comparison(Filter::Kind kind, double low, double high) {
    switch (kind) {
        case Filter::Kind::Less: return " < " + py(low);
        case Filter::Kind::LessOrEqual: return " <= " + py(low);
        case Filter::Kind::GreaterOrEqual: return " >= " + py(low);
        case Filter::Kind::Equal: return " == " + py(low);
        case Filter::Kind::Between: return ".between(" + py(low) + ", " + py(high) + ")";
        default: return " > " + py(low);
    }
}

std::string dates(const std::string& column, const TimeSpan& time) {
    std::string out;
    if (time.from) out = "(" + column + " >= " + py(iso_of(*time.from)) + ")";
    if (time.to) out += (out.empty() ? "(" : " & (") + column + " < " + py(iso_of(*time.to)) + ")";
    return out;
}

std::string list_of(const std::vector<std::string>& items, const char* open, const char* close) {
    std::string out = open;
    for (const std::string& item : items) out += (&item == items.data() ? "" : ", ") + item;
    return out + close;
}

// "name(a, b, key=c)", an argument a line where one line is too short for all.
std::string call(const std::string& name, const Names& arguments) {
    std::string line = name + list_of(arguments, "(", ")");
    if (line.size() <= kLineMax) return line;
    line = name + "(\n";
    for (const std::string& argument : arguments) line += "    " + argument + ",\n";
    return line + ")";
}

// Readable where the title is ASCII; the number keeps charts of different questions apart.
std::string file_name(const std::string& title, const std::string& code) {
    std::string slug;
    for (const char c : title) {
        const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        if ((lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9')) {
            slug += lower;
        } else if (!slug.empty() && slug.back() != '_') {
            slug += '_';
        }
        if (slug.size() >= 40) break;
    }
    while (!slug.empty() && slug.back() == '_') slug.pop_back();
    std::uint32_t hash = 2166136261U;
    for (const char c : code) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    std::array<char, 12> number{};
    std::snprintf(number.data(), number.size(), "%04x", hash & 0xFFFFU);
    return (slug.empty() ? "chart" : slug) + "_" + number.data() + ".png";
}

const char* kind_name(ChartKind kind) {
    switch (kind) {
        case ChartKind::Line: return "'line'";
        case ChartKind::Pie: return "'pie'";
        default: return "'bar'";
    }
}

// ---- the lines so far, and the name of the rows they stand at --------------------------------

class CodeWriter {
public:
    CodeWriter(const Question& q, const Schema& schema) : q_(q), schema_(schema) {}

    Code write() {
        load();
        if (!q_.filters.empty()) {
            line("rows = df[" + conditions(q_.filters, "df") + "]");
            rows_ = "rows";
        }
        line(last_call());
        return {std::move(code_), std::move(chart_file_)};
    }

private:
    void line(const std::string& text) { code_ += text + "\n"; }
    [[nodiscard]] const Table& table() const { return schema_.tables[q_.table]; }
    [[nodiscard]] std::string name(Field field) const { return name_of(q_, schema_, field); }
    [[nodiscard]] std::string label(const Measure& m) const { return name_of(q_, schema_, m); }
    [[nodiscard]] Names names(const std::vector<Field>& fields) const {
        Names out;
        for (const Field f : fields) {
            if (std::ranges::find(out, name(f)) == out.end()) out.push_back(name(f));
        }
        return out;
    }
    [[nodiscard]] std::string column(Field field) const {
        return rows_ + "[" + py(name(field)) + "]";
    }

    void load() {
        const std::string sheet = table().sheet.empty() ? "" : ", " + py(table().sheet);
        line("df = load(" + py(table().path) + sheet + ")");
    }

    [[nodiscard]] std::string condition(const Filter& f, const std::string& frame) const {
        const std::string c = frame + "[" + py(name(f.field)) + "]";
        Names values;
        for (const std::string& v : f.values) {
            const bool is_year = at(schema_, f.field).is_number();
            values.push_back(is_year ? py(std::atof(v.c_str())) : py(v));
        }
        for (const int part : f.time.parts) values.push_back(std::to_string(part));
        const std::string is_in = ".isin(" + list_of(values, "[", "]") + ")";
        switch (f.kind) {
            case Filter::Kind::OneOf:
                return values.size() == 1 ? "(" + c + " == " + values[0] + ")" : c + is_in;
            case Filter::Kind::NoneOf: return "~" + c + is_in;
            case Filter::Kind::Months: return c + ".dt.month" + is_in;
            case Filter::Kind::Weekdays: return c + ".dt.day_of_week" + is_in;
            case Filter::Kind::Dates: return dates(c, f.time);
            case Filter::Kind::Missing: return c + ".isna()";
            case Filter::Kind::Present: return c + ".notna()";
            case Filter::Kind::Between: return c + comparison(f.kind, f.low, f.high);
            default: return "(" + c + comparison(f.kind, f.low, f.high) + ")";
        }
    }
    [[nodiscard]] std::string conditions(const std::vector<Filter>& filters,
                                         const std::string& frame) const {
        std::string out;
        for (const Filter& f : filters) out += (out.empty() ? "" : " & ") + condition(f, frame);
        return out;
    }

    void change_rows(const std::string& expression) {
        line("rows = " + expression);
        rows_ = "rows";
    }
    // Columns that groups and measures need and the table does not have.
    void prepare() {
        if (!q_.periods.empty() && !q_.fields.empty()) {
            Names periods;
            for (const TimeSpan& p : q_.periods) {
                periods.push_back(py(p.label) + ": (" +
                                  py(p.from ? iso_of(*p.from) : "1677-10-01") + ", " +
                                  py(p.to ? iso_of(*p.to) : "2262-01-01") + ")");
            }
            change_rows(
                call("in_periods", {rows_, py(name(q_.fields[0])), list_of(periods, "{", "}")}));
        }
        Names keys;
        for (const Group& g : q_.groups) {
            if (g.grain == Grain::None) continue;
            keys.push_back(py(name_of(q_, schema_, g)) + ": (" + py(name(g.field)) + ", " +
                           grain_of(g) + ")");
        }
        if (!keys.empty()) change_rows(call("with_keys", {rows_, list_of(keys, "{", "}")}));
        for (const Measure& m : q_.measures) {
            if (m.aggregation == Aggregation::Rate) {
                const Column& c = at(schema_, *m.field);
                change_rows(call("with_rate", {rows_, py(value_column(m)), py(name(*m.field)),
                                               c.is_number() ? "1" : py(c.positive)}));
            }
        }
    }
    // The column that a measure is made of.
    [[nodiscard]] std::string value_column(const Measure& m) const {
        if (m.aggregation == Aggregation::Rate) {
            return name(*m.field) + " = " + at(schema_, *m.field).positive;
        }
        return name(m.field.value_or(Field{q_.table, 0}));
    }
    [[nodiscard]] std::string measure(const Measure& m) const {
        return "(" + py(label(m)) + ", " + py(value_column(m)) + ", " + function_of(m) + ")";
    }
    [[nodiscard]] std::string measures() const {
        Names out;
        for (const Measure& m : q_.measures) out.push_back(measure(m));
        return list_of(out, "[", "]");
    }
    [[nodiscard]] Names keys() const {
        Names out;
        if (!q_.periods.empty()) out.emplace_back("period");
        for (const Group& g : q_.groups) out.push_back(name_of(q_, schema_, g));
        return out;
    }
    [[nodiscard]] bool is_chronological() const {
        return (!q_.groups.empty() && q_.groups[0].grain != Grain::None) || !q_.periods.empty() ||
               (!q_.groups.empty() && at(schema_, q_.groups[0].field).is_number());
    }
    [[nodiscard]] std::string direction() const {
        return q_.order == Order::Lowest ? "order='lowest'" : "order='highest'";
    }
    // How groups are sorted and how many of them are kept.
    void add_order(Names& arguments) const {
        if (!q_.periods.empty()) arguments.emplace_back("sort=False");
        if (q_.order == Order::None && is_chronological()) return;
        arguments.push_back(direction());
        if (q_.count) {
            arguments.push_back("count=" + std::to_string(std::max<std::size_t>(*q_.count, 1)));
        }
    }
    void add_chart(Names& arguments, const std::string& about, const char* kind) {
        std::string title = about;
        for (const Group& g : q_.groups) {
            title += (q_.language == Language::Chinese ? " · " : " by ") + name_of(q_, schema_, g);
        }
        chart_file_ = file_name(title, code_ + kind + list_of(arguments, "", ""));
        arguments.push_back("chart=(" + std::string(kind) + ", " + py(title) + ", " +
                            py(chart_file_) + ")");
    }
    void add_chart_if_wanted(Names& arguments, const std::string& about, const char* kind) {
        if (q_.chart != ChartKind::None) add_chart(arguments, about, kind);
    }
    [[nodiscard]] const char* chart_kind() const {
        const bool is_time =
            !q_.groups.empty() && q_.groups[0].grain != Grain::None && q_.order == Order::None;
        if (q_.chart == ChartKind::Bar || q_.chart == ChartKind::Line ||
            q_.chart == ChartKind::Pie) {
            return kind_name(q_.chart);
        }
        if (q_.intent == Intent::Share && q_.periods.empty()) return "'pie'";
        return is_time && q_.intent != Intent::Growth ? "'line'" : "'bar'";
    }
    // Of a row: what it is about, then the table's first columns, in the table's own order.
    [[nodiscard]] Names shown_columns(Names first) const {
        const auto has = [&](const std::string& n) {
            return std::ranges::find(first, n) != first.end();
        };
        for (const Column& c : table().columns) {
            if (first.size() < kShownColumnsMax && !has(c.name)) first.push_back(c.name);
        }
        Names out;
        for (const Column& c : table().columns) {
            if (has(c.name)) out.push_back(c.name);
        }
        return out;
    }

    // ---- what is computed, by intent
    [[nodiscard]] std::string last_call() {
        switch (q_.intent) {
            case Intent::Columns: return call("columns_of", {"df"});
            case Intent::Describe: return statistics();
            case Intent::Rows: return show_rows();
            case Intent::Values:
                return call(
                    "values_of",
                    {rows_, py(name(q_.fields.empty() ? Field{q_.table, 0} : q_.fields[0]))});
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
            default: return call("shape_of", {rows_});
        }
    }
    [[nodiscard]] std::string statistics() const {
        std::vector<Field> numbers = q_.fields;
        std::erase_if(numbers, [&](Field f) { return !at(schema_, f).is_number(); });
        return numbers.empty() ? call("statistics_of", {rows_})
                               : call("statistics_of", {rows_, py(names(numbers))});
    }
    [[nodiscard]] std::string show_rows() {
        prepare();
        const std::size_t shown = q_.count.value_or(q_.order != Order::None ? 5 : kShownRows);
        Names first;
        Names order;
        if (q_.order != Order::None && !q_.measures.empty() && q_.measures[0].field) {
            first.push_back(value_column(q_.measures[0]));
            order = {"by=" + py(first[0]), direction()};
        }
        for (const Group& g : q_.groups) first.push_back(name(g.field));
        for (const Filter& f : q_.filters) first.push_back(name(f.field));
        Names arguments = {rows_, py(shown_columns(first))};
        arguments.insert(arguments.end(), order.begin(), order.end());
        if (shown != kShownRows) arguments.push_back("count=" + std::to_string(shown));
        return call("show", arguments);
    }
    [[nodiscard]] std::string period() const {
        Names columns = names(q_.fields);
        for (const Column& c : table().columns) {
            if (q_.fields.empty() && c.is_date()) columns.push_back(c.name);
        }
        return call("period_of", {rows_, py(columns)});
    }
    [[nodiscard]] std::string aggregate() {
        prepare();
        const Measure& m = q_.measures[0];
        const auto by = keys();
        if (by.empty()) return single();
        const bool fits =
            !q_.periods.empty() ||
            (q_.groups.size() == 2 &&
             (at(schema_, q_.groups[1].field).distinct <= 12 || q_.groups[1].grain != Grain::None));
        if (by.size() == 2 && q_.measures.size() == 1 && q_.order == Order::None && fits) {
            return across(by);
        }
        Names arguments = {rows_, py(by), measures()};
        add_order(arguments);
        add_chart_if_wanted(arguments, label(m), chart_kind());
        return call("groups", arguments);
    }
    [[nodiscard]] std::string single() const {
        const Measure& m = q_.measures[0];
        const bool is_extreme =
            q_.measures.size() == 1 && m.field &&
            (m.aggregation == Aggregation::Minimum || m.aggregation == Aggregation::Maximum) &&
            at(schema_, *m.field).is_number();
        if (!is_extreme) return call("overall", {rows_, measures()});
        return call("extreme", {rows_, measure(m), py(shown_columns({value_column(m)}))});
    }
    [[nodiscard]] std::string across(const Names& by) {
        const bool has_periods = !q_.periods.empty();
        const Measure& m = q_.measures[0];
        Names arguments = {rows_, py(has_periods ? by[1] : by[0]), py(has_periods ? by[0] : by[1]),
                           measure(m)};
        if (has_periods) {
            Names columns;
            for (const TimeSpan& p : q_.periods) columns.push_back(p.label);
            arguments.push_back("columns=" + py(columns));
        }
        const bool lines = q_.groups[0].grain != Grain::None && q_.chart != ChartKind::Bar;
        add_chart_if_wanted(arguments, label(m), lines ? "'line'" : "'bar'");
        return call("across", arguments);
    }
    [[nodiscard]] std::string share() {
        prepare();
        const Measure& m = q_.measures[0];
        if (!q_.part.empty()) {
            line("part = " + rows_ + "[" + conditions(q_.part, rows_) + "]");
            return divided("part", measure(m), rows_, measure(m),
                           {"part", "whole", std::string(kShareColumn)}, true);
        }
        Names arguments = {rows_, py(keys()), measure(m)};
        add_order(arguments);
        add_chart_if_wanted(arguments, label(m), chart_kind());
        return call("shares", arguments);
    }
    [[nodiscard]] std::string ratio() {
        prepare();
        const std::string name = q_.in_percent ? std::string(kShareColumn) : "ratio";
        return divided(rows_, measure(q_.measures[0]), rows_, measure(q_.measures.back()),
                       {"upper", "lower", name}, q_.in_percent);
    }
    [[nodiscard]] std::string divided(const std::string& upper, const std::string& of,
                                      const std::string& lower, const std::string& by,
                                      const Names& names, bool in_percent) {
        Names arguments = {"(" + upper + ", " + of + ")", "(" + lower + ", " + by + ")", py(keys()),
                           py(names)};
        if (in_percent) arguments.emplace_back("times=100");
        if (!keys().empty()) {
            add_order(arguments);
            std::erase(arguments, "sort=False");
            add_chart_if_wanted(arguments, names[2], chart_kind());
        }
        return call("divided", arguments);
    }
    [[nodiscard]] std::string growth() {
        prepare();
        std::string time = "period";
        std::string lag;
        for (const Group& g : q_.groups) {
            if (!q_.periods.empty() || g.grain == Grain::None) continue;
            time = name_of(q_, schema_, g);
            // against the same month of the year before, where that is asked
            if (q_.against_last_year && g.grain == Grain::Month) lag = "12";
            if (q_.against_last_year && g.grain == Grain::Quarter) lag = "4";
        }
        Names arguments = {rows_, py(keys()), measures(), py(time)};
        if (!lag.empty()) arguments.push_back("lag=" + lag);
        if (!q_.periods.empty()) arguments.emplace_back("sort=False");
        if (q_.of_growth) {
            arguments.push_back(direction());
            if (q_.count) arguments.push_back("count=" + std::to_string(*q_.count));
        }
        add_chart_if_wanted(arguments, label(q_.measures[0]), chart_kind());
        return call("growth", arguments);
    }
    [[nodiscard]] std::string correlation() {
        Names arguments = {rows_, py(name(q_.fields[0])), py(name(q_.fields[1]))};
        add_chart_if_wanted(arguments, name(q_.fields[0]) + " / " + name(q_.fields[1]),
                            "'scatter'");
        return call("correlation_of", arguments);
    }
    [[nodiscard]] std::string outliers() {
        if (q_.fields.empty()) return call("shape_of", {rows_});
        const std::string field = name(q_.fields[0]);
        Names arguments = {rows_, py(field), py(shown_columns({field}))};
        if (q_.count) arguments.push_back("count=" + std::to_string(*q_.count));
        add_chart_if_wanted(arguments, field, "'box'");
        return call("outliers_in", arguments);
    }
    [[nodiscard]] std::string distribution() {
        if (q_.fields.empty()) return call("shape_of", {rows_});
        prepare();
        const std::string field = name(q_.fields[0]);
        Names arguments = {rows_, py(field)};
        if (!q_.groups.empty()) arguments.push_back("by=" + py(keys().back()));
        if (q_.language == Language::Chinese) arguments.emplace_back("counted='行数'");
        add_chart(arguments, field, kind_name(q_.chart));
        return call("distribution_of", arguments);
    }
    [[nodiscard]] std::string missing() {
        Names arguments = {rows_};
        if (!q_.fields.empty()) arguments.push_back(py(names(q_.fields)));
        add_chart_if_wanted(arguments, "missing", "'bar'");
        return call("missing_in", arguments);
    }
    [[nodiscard]] std::string duplicates() const {
        Names ids;
        for (const Column& c : table().columns) {
            if (c.is_id && c.distinct * 2 > table().rows && ids.size() < 3) ids.push_back(c.name);
        }
        for (const std::string& n : names(q_.fields)) {
            if (std::ranges::find(ids, n) == ids.end()) ids.push_back(n);
        }
        return call("duplicates_in", {rows_, py(ids)});
    }

    const Question& q_;
    const Schema& schema_;
    std::string rows_ = "df";
    std::string code_;
    std::string chart_file_;
};

}  // namespace

Code write_code(const Question& question, const Schema& schema) {
    return CodeWriter(question, schema).write();
}

}  // namespace atl::offline

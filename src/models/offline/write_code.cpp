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

std::string function_of(Aggregation aggregation) {
    switch (aggregation) {
        case Aggregation::Sum: return "sum";
        case Aggregation::Mean:
        case Aggregation::Rate: return "mean";
        case Aggregation::Median: return "median";
        case Aggregation::Minimum: return "min";
        case Aggregation::Maximum: return "max";
        case Aggregation::Deviation: return "std";
        case Aggregation::Quantile: return "quantile";
        case Aggregation::Count: return "size";
        case Aggregation::Distinct: return "nunique";
    }
    return "sum";
}

// As an argument of agg() and pivot_table().
std::string function_text(const Measure& m) {
    if (m.aggregation == Aggregation::Quantile) {
        return "lambda v: v.quantile(" + py(m.quantile) + ")";
    }
    return "'" + function_of(m.aggregation) + "'";
}
// As a call: .mean(), .quantile(0.9)
std::string call_text(const Measure& m) {
    return "." + function_of(m.aggregation) + "(" +
           (m.aggregation == Aggregation::Quantile ? py(m.quantile) : "") + ")";
}

// Beyond so many rows a text for each of them is more than a sandbox holds.
constexpr std::size_t kManyRows = 1'000'000;

// Each period's text once, however many rows lie in it.
std::string shared_labels(const std::string& column, const char* unit, const char* text) {
    return column + ".dt.to_period('" + unit + "').astype('category').cat.rename_categories(" +
           text + ").astype(object)";
}

std::string key_expression(const std::string& column, Grain grain, int bins, std::size_t rows) {
    const bool many = rows > kManyRows;
    switch (grain) {
        case Grain::Hour:
            return many ? shared_labels(column, "h", "str")
                        : column + ".dt.strftime('%Y-%m-%d %H:00')";
        case Grain::Day:
            return many ? shared_labels(column, "D", "str") : column + ".dt.strftime('%Y-%m-%d')";
        case Grain::Week:
            return many ? shared_labels(column, "W", "lambda week: str(week.start_time.date())")
                        : column + ".dt.to_period('W').dt.start_time.dt.strftime('%Y-%m-%d')";
        case Grain::Month:
            return many ? shared_labels(column, "M", "str") : column + ".dt.strftime('%Y-%m')";
        case Grain::Quarter:
            return many ? shared_labels(column, "Q", "str")
                        : column + ".dt.to_period('Q').astype(str)";
        case Grain::Year:
            return many ? shared_labels(column, "Y", "str") : column + ".dt.strftime('%Y')";
        case Grain::HourOfDay: return column + ".dt.hour";
        case Grain::Weekday: return column + ".dt.day_name()";
        case Grain::WorkdayOrWeekend:
            return column + ".dt.day_of_week.ge(5).map({True: 'weekend', False: 'weekday'})";
        case Grain::MonthOfYear: return column + ".dt.month";
        case Grain::None: break;
    }
    return "pd.cut(" + column + ", bins=" + std::to_string(bins) + ").astype(str)";
}

// Behind a column of numbers: " > 5", ".between(1, 5)".
std::string comparison(Filter::Kind kind, double low, double high) {
    switch (kind) {
        case Filter::Kind::Less: return " < " + py(low);
        case Filter::Kind::LessOrEqual: return " <= " + py(low);
        case Filter::Kind::GreaterOrEqual: return " >= " + py(low);
        case Filter::Kind::Equal: return " == " + py(low);
        case Filter::Kind::NotEqual: return " != " + py(low);
        case Filter::Kind::Between: return ".between(" + py(low) + ", " + py(high) + ")";
        default: return " > " + py(low);
    }
}

// What is computed of each, without its name: "average".
std::string kind_of_measure(const Question& q, const Measure& m) {
    const bool chinese = q.language == Language::Chinese;
    switch (m.aggregation) {
        case Aggregation::Sum: return chinese ? "合计" : "total";
        case Aggregation::Mean: return chinese ? "平均" : "average";
        case Aggregation::Median: return chinese ? "中位数" : "median";
        case Aggregation::Minimum: return chinese ? "最小值" : "lowest";
        case Aggregation::Maximum: return chinese ? "最大值" : "highest";
        case Aggregation::Deviation: return chinese ? "标准差" : "standard deviation";
        case Aggregation::Distinct: return chinese ? "去重数" : "distinct";
        default: return chinese ? "值" : "value";
    }
}

class Writer {
public:
    Writer(const Question& q, const Schema& schema, bool is_repair)
        : q_(q), schema_(schema), is_repair_(is_repair) {}

    Code write() {
        load();
        if (is_repair_) repair();
        filter();
        switch (q_.intent) {
            case Intent::Shape: shape(); break;
            case Intent::Columns: columns(); break;
            case Intent::Describe: describe(); break;
            case Intent::Rows: show_rows(); break;
            case Intent::Values: values(); break;
            case Intent::Period: period(); break;
            case Intent::Aggregate: aggregate(); break;
            case Intent::Share: share(); break;
            case Intent::Growth: growth(); break;
            case Intent::Correlation: correlation(); break;
            case Intent::Outliers: outliers(); break;
            case Intent::Distribution: distribution(); break;
            case Intent::Missing: missing(); break;
            case Intent::Duplicates: duplicates(); break;
            case Intent::Ratio: ratio(); break;
            case Intent::TopPercent: top_percent(); break;
            default: shape(); break;
        }
        line("result");
        return {std::move(code_), std::move(chart_file_)};
    }

private:
    void line(const std::string& text) { code_ += text + "\n"; }
    [[nodiscard]] const Table& table() const { return schema_.tables[q_.table]; }
    [[nodiscard]] std::string name(Field field) const { return name_of(q_, schema_, field); }
    [[nodiscard]] std::string column(Field field) const {
        return rows_ + "[" + py(name(field)) + "]";
    }
    [[nodiscard]] static std::string load_of(const Table& table) {
        return "load(" + py(table.path) + (table.sheet.empty() ? "" : ", " + py(table.sheet)) + ")";
    }

    void load() {
        line("df = " + load_of(table()));
        if (!q_.join) return;
        const Join& join = *q_.join;
        const std::string left = at(schema_, join.left).name;
        const std::string right = at(schema_, join.right).name;
        line("other = " + load_of(schema_.tables[join.right.table]) + ".drop_duplicates(" +
             py(right) + ")");
        const std::string on =
            left == right ? "on=" + py(left) : "left_on=" + py(left) + ", right_on=" + py(right);
        line("df = df.merge(other, " + on + ", how='left', suffixes=('', '_2'))");
    }
    void repair() {
        for (const Measure& m : q_.measures) {
            if (!m.field) continue;
            if (!at(schema_, *m.field).is_number()) continue;
            const std::string c = "df[" + py(name(*m.field)) + "]";
            line(c + " = pd.to_numeric(" + c + ", errors='coerce')");
        }
        for (const Group& g : q_.groups) {
            if (g.grain == Grain::None) continue;
            const std::string c = "df[" + py(name(g.field)) + "]";
            line(c + " = pd.to_datetime(" + c + ", errors='coerce')");
        }
    }

    [[nodiscard]] std::string condition(const Filter& f, const std::string& frame) const {
        const std::string c = frame + "[" + py(name(f.field)) + "]";
        const auto list = [](const std::vector<int>& parts) {
            std::string out = "[";
            for (const int part : parts) out += (out.size() > 1 ? ", " : "") + std::to_string(part);
            return out + "]";
        };
        switch (f.kind) {
            case Filter::Kind::OneOf:
                if (at(schema_, f.field).is_number()) {  // years
                    std::string years;
                    for (const std::string& v : f.values) {
                        years += (years.empty() ? "" : ", ") + py(std::atof(v.c_str()));
                    }
                    return c + ".isin([" + years + "])";
                }
                return f.values.size() == 1 ? "(" + c + " == " + py(f.values[0]) + ")"
                                            : c + ".isin(" + py(f.values) + ")";
            case Filter::Kind::NoneOf: return "~" + c + ".isin(" + py(f.values) + ")";
            case Filter::Kind::Less:
            case Filter::Kind::LessOrEqual:
            case Filter::Kind::Greater:
            case Filter::Kind::GreaterOrEqual:
            case Filter::Kind::Equal:
            case Filter::Kind::NotEqual: return "(" + c + comparison(f.kind, f.low, f.high) + ")";
            case Filter::Kind::Between: return c + comparison(f.kind, f.low, f.high);
            case Filter::Kind::Months: return c + ".dt.month.isin(" + list(f.time.parts) + ")";
            case Filter::Kind::Weekdays:
                return c + ".dt.day_of_week.isin(" + list(f.time.parts) + ")";
            case Filter::Kind::Dates: return dates(c, f.time);
            case Filter::Kind::Missing: return c + ".isna()";
            case Filter::Kind::Present: return c + ".notna()";
        }
        return "True";
    }
    [[nodiscard]] static std::string dates(const std::string& c, const TimeSpan& time) {
        std::string out;
        if (time.from) out = "(" + c + " >= " + py(iso_of(*time.from)) + ")";
        if (time.to) out += (out.empty() ? "(" : " & (") + c + " < " + py(iso_of(*time.to)) + ")";
        return out;
    }
    [[nodiscard]] std::string conditions(const std::vector<Filter>& filters,
                                         const std::string& frame) const {
        std::string out;
        for (const Filter& f : filters) out += (out.empty() ? "" : " & ") + condition(f, frame);
        return out;
    }
    void filter() {
        if (q_.filters.empty()) return;
        line("rows = df[" + conditions(q_.filters, "df") + "]");
        rows_ = "rows";
    }

    // Derived columns that measures and groups need, added once.
    void prepare() {
        std::string added;
        const auto add = [&](const std::string& label, const std::string& expression) {
            added += (added.empty() ? "" : ", ") + py(label) + ": " + expression;
        };
        std::vector<std::string> need;
        for (const Group& g : all_groups()) {
            if (g.grain == Grain::None && g.bins == 0) continue;
            if (at(schema_, g.field).missing > 0 &&
                (g.grain == Grain::Week || g.grain == Grain::Quarter || g.grain == Grain::None ||
                 g.grain == Grain::WorkdayOrWeekend || g.grain == Grain::HourOfDay)) {
                need.push_back(name(g.field));
            }
        }
        if (!need.empty()) {
            line("rows = " + rows_ + ".dropna(subset=" + py(need) + ")");
            rows_ = "rows";
        }
        for (const Group& g : all_groups()) {
            if (g.grain == Grain::None && g.bins == 0) continue;
            add(name_of(q_, schema_, g),
                key_expression(column(g.field), g.grain, g.bins, table().rows));
        }
        for (const Measure& m : q_.measures) {
            if (m.times) {
                add(value_column(m), column(*m.field) + " * " + column(*m.times));
            } else if (m.plus) {
                add(value_column(m),
                    column(*m.field) + ".add(" + column(*m.plus) + ", fill_value=0)");
            } else if (m.aggregation == Aggregation::Rate) {
                const Column& c = at(schema_, *m.field);
                const std::string yes = c.is_number() ? "1" : py(c.positive);
                add(value_column(m), column(*m.field) + ".eq(" + yes + ").where(" +
                                         column(*m.field) + ".notna()).astype(float) * 100");
            }
        }
        if (added.empty()) return;
        line("rows = " + rows_ + ".assign(**{" + added + "})");
        rows_ = "rows";
    }
    [[nodiscard]] std::vector<Group> all_groups() const {
        std::vector<Group> groups = q_.groups;
        if (q_.averaged) groups.push_back(*q_.averaged);
        return groups;
    }
    // The column that a measure is made of.
    [[nodiscard]] std::string value_column(const Measure& m) const {
        if (m.times || m.plus) return value_name(q_, schema_, m);
        if (m.aggregation == Aggregation::Rate) {
            const Column& c = at(schema_, *m.field);
            return name(*m.field) + " = " + c.positive;
        }
        if (m.field) return name(*m.field);
        return name({q_.table, 0});
    }
    [[nodiscard]] std::string label(const Measure& m) const { return name_of(q_, schema_, m); }
    [[nodiscard]] std::string scalar(const Measure& m, const std::string& frame) const {
        if (m.aggregation == Aggregation::Count) return "len(" + frame + ")";
        return frame + "[" + py(value_column(m)) + "]" + call_text(m);
    }
    [[nodiscard]] std::string named_aggregations() const {
        std::string out = ".agg(**{";
        for (std::size_t i = 0; i < q_.measures.size(); ++i) {
            const Measure& m = q_.measures[i];
            out += (i > 0 ? ", " : "") + py(label(m)) + ": (" + py(value_column(m)) + ", " +
                   function_text(m) + ")";
        }
        return out + "})";
    }
    [[nodiscard]] std::vector<std::string> keys() const {
        std::vector<std::string> out;
        if (!q_.periods.empty()) out.emplace_back("period");
        for (const Group& g : q_.groups) out.push_back(name_of(q_, schema_, g));
        return out;
    }
    void split_periods() {
        if (q_.periods.empty() || q_.fields.empty()) return;
        std::string parts;
        for (const TimeSpan& p : q_.periods) {
            parts += "    " + rows_ + "[" + dates(column(q_.fields[0]), p) +
                     "].assign(period=" + py(p.label) + "),\n";
        }
        line("rows = pd.concat([\n" + parts + "])");
        rows_ = "rows";
    }
    [[nodiscard]] bool is_chronological() const {
        return (!q_.groups.empty() && q_.groups[0].grain != Grain::None) || !q_.periods.empty() ||
               (!q_.groups.empty() && at(schema_, q_.groups[0].field).is_number());
    }
    // groupby over the keys, all measures
    void group_rows(const std::vector<std::string>& by) {
        const bool only_count =
            q_.measures.size() == 1 && q_.measures[0].aggregation == Aggregation::Count;
        const std::string sort = q_.periods.empty() ? "" : ", sort=False";
        if (only_count) {
            line("result = " + rows_ + ".groupby(" + py(by) + sort +
                 ").size().reset_index(name=" + py(label(q_.measures[0])) + ")");
        } else {
            line("result = " + rows_ + ".groupby(" + py(by) + sort + ")" + named_aggregations() +
                 ".reset_index()");
        }
        for (const Group& g : q_.groups) {
            if (g.grain == Grain::Weekday && q_.order == Order::None) {
                line(
                    "days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', "
                    "'Sunday']");
                line("result = result.sort_values(" + py(name_of(q_, schema_, g)) +
                     ", key=lambda day: day.map(days.index))");
            }
        }
    }

    // ---- the intents ------------------------------------------------------------------------
    void shape() {
        line("result = pd.DataFrame({'rows': [len(" + rows_ + ")], 'columns': [len(df.columns)]})");
        line("report(result)");
    }
    void columns() {
        line("result = pd.DataFrame({'column': df.columns, 'type': [str(t) for t in df.dtypes],");
        line(
            "                       'distinct': df.nunique().values, 'missing': "
            "df.isna().sum().values})");
        line("report(result, columns=len(df.columns), rows=len(df))");
    }
    void describe() {
        std::vector<std::string> names;
        for (const Field f : q_.fields) {
            if (at(schema_, f).is_number()) names.push_back(name(f));
        }
        if (!names.empty()) {
            line("numbers = " + rows_ + "[" + py(names) + "]");
        } else {
            line("numbers = " + rows_ + ".select_dtypes('number')");
        }
        line(
            "result = numbers.describe().T.round(4).reset_index(names='column') if len("
            "numbers.columns) else pd.DataFrame({'column': df.columns})");
        line("report(result, rows=len(" + rows_ + "), columns=len(df.columns))");
    }
    [[nodiscard]] std::vector<std::string> shown_columns(std::vector<std::string> first) const {
        const Table& t = table();
        for (std::size_t c = 0; c < t.columns.size() && first.size() < kShownColumnsMax; ++c) {
            const std::string& n = t.columns[c].name;
            if (std::find(first.begin(), first.end(), n) == first.end()) first.push_back(n);
        }
        if (q_.join) return first;
        // in the table's own order
        std::vector<std::string> out;
        for (const Column& c : t.columns) {
            if (std::find(first.begin(), first.end(), c.name) != first.end()) out.push_back(c.name);
        }
        return out;
    }
    void show_rows() {
        const std::size_t n = q_.count.value_or(q_.order != Order::None ? 5 : kShownRows);
        std::vector<std::string> first;
        const bool is_sum = !q_.measures.empty() && q_.measures[0].plus;
        if (is_sum) prepare();
        std::string code = "result = " + rows_;
        if (q_.order != Order::None && !q_.measures.empty() && q_.measures[0].field) {
            first.push_back(value_column(q_.measures[0]));
            code += ".sort_values(" + py(first[0]) +
                    ", ascending=" + (q_.order == Order::Lowest ? "True" : "False") + ")";
        }
        if (q_.rank && !first.empty()) {
            place_of(rows_, first[0]);
            code = "result = " + rows_ + "[place == " + std::to_string(*q_.rank) + "]";
        }
        for (const Group& g : q_.groups) first.push_back(name(g.field));
        for (const Filter& f : q_.filters) first.push_back(name(f.field));
        const std::size_t shown = q_.rank ? kShownRows : n;
        auto columns = shown_columns(first);
        if (is_sum) columns.push_back(value_column(q_.measures[0]));
        line(code + "[" + py(columns) + "].head(" + std::to_string(shown) + ")");
        const std::string sharing =
            q_.rank ? ", sharing=int((place == " + std::to_string(*q_.rank) + ").sum())" : "";
        line("report(result, rows=len(" + rows_ + ")" + sharing + ")");
    }
    // Equal figures share a place.
    void place_of(const std::string& frame, const std::string& by) {
        line("place = " + frame + "[" + py(by) + "].rank(method='dense', ascending=" +
             (q_.order == Order::Lowest ? "True" : "False") + ")");
    }
    void values() {
        const Field field = q_.fields.empty() ? Field{q_.table, 0} : q_.fields[0];
        line("result = " + column(field) + ".value_counts().rename_axis(" + py(name(field)) +
             ").reset_index(name='rows')");
        line("report(result, distinct=len(result))");
    }
    void period() {
        std::vector<std::string> names;
        for (const Field f : q_.fields) names.push_back(name(f));
        if (names.empty()) {
            for (const Column& c : table().columns) {
                if (c.is_date()) names.push_back(c.name);
            }
        }
        if (names.empty()) {
            line("result = pd.DataFrame({'column': [], 'first': [], 'last': []})");
        } else {
            line("dates = " + rows_ + "[" + py(names) + "]");
            line("result = pd.DataFrame({'column': dates.columns, 'first': dates.min().values,");
            line("                       'last': dates.max().values})");
        }
        line("report(result)");
    }

    void aggregate() {
        split_periods();
        prepare();
        if (q_.averaged) {
            averaged();
            return;
        }
        const auto by = keys();
        if (q_.by_columns && by.empty()) {
            columns_side_by_side();
            return;
        }
        if (by.empty()) {
            single();
            return;
        }
        const bool one_measure = q_.measures.size() == 1;
        if (by.size() == 2 && one_measure && q_.order == Order::None && !q_.having &&
            fits_across()) {
            across(by);
            return;
        }
        group_rows(by);
        if (q_.having) keep_groups();
        sort_and_cut(label(q_.measures[0]));
        if (q_.is_running) {
            std::vector<std::string> others(by.begin() + 1, by.end());
            const std::string value = py(label(q_.measures[0]));
            line("result[" + py(running_name(q_, schema_)) + "] = result" +
                 (others.empty() ? "" : ".groupby(" + py(others) + ")") + "[" + value +
                 "].cumsum()");
        }
        if (q_.rolling) {
            roll(by);
            return;
        }
        report_groups();
        chart();
    }
    // The mean of each period and those before it; the first ones have too few.
    void roll(const std::vector<std::string>& by) {
        const std::vector<std::string> others(by.begin() + 1, by.end());
        const std::string mean = "rolling(" + std::to_string(*q_.rolling) + ").mean()";
        const std::string value = "[" + py(label(q_.measures[0])) + "]";
        const std::string smooth = py(rolling_name(q_, schema_));
        line("result[" + smooth + "] = result" +
             (others.empty() ? value + "." + mean
                             : ".groupby(" + py(others) + ")" + value + ".transform(lambda v: v." +
                                   mean + ")"));
        line("smooth = result.dropna(subset=[" + smooth + "])");
        line("last = smooth.iloc[-1] if len(smooth) else {}");
        line("report(result, rows=len(" + rows_ + "), last=last.get(" + smooth +
             "), when=last.get(" + py(by[0]) + "), most=smooth[" + smooth +
             "].max(), least=smooth[" + smooth + "].min())");
        chart();
    }
    // Only the groups whose figure is as wanted.
    void keep_groups() {
        const Having& h = *q_.having;
        line("groups = len(result)");
        line("result = result[result[" + py(label(h.measure)) + "]" +
             comparison(h.kind, h.low, h.high) + "]");
        cut_ = true;
    }
    // The highest (or lowest) tenth of the rows, or of the groups, and what they hold of the whole.
    void top_percent() {
        prepare();
        const Measure& m = q_.measures[0];
        const auto by = keys();
        const std::string value = by.empty() ? value_column(m) : label(m);
        if (by.empty()) {
            line("ranked = " + rows_ + ".dropna(subset=[" + py(value) + "])");
        } else {
            group_rows(by);
            line("ranked = result.dropna(subset=[" + py(value) + "])");
        }
        line("ranked = ranked.sort_values(" + py(value) +
             ", ascending=" + (q_.order == Order::Lowest ? "True" : "False") + ")");
        line("count = -(-len(ranked) * " + py(*q_.percent) + " // 100)  # rounded up");
        line("part = ranked.head(int(count))");
        const std::string whole = "ranked[" + py(value) + "]";
        const std::string mine = "part[" + py(value) + "]";
        line(by.empty() ? "result = part[" + py(shown_columns({value})) + "]" : "result = part");
        line("report(result.head(10), count=len(part), whole=len(ranked), total=" + mine +
             ".sum(), overall=" + whole + ".sum(), mean=" + mine + ".mean(), least=" + mine +
             ".min(), most=" + mine + ".max(), rows=len(" + rows_ + "))");
        chart();
    }
    // One row a column: which subject has the best average.
    void columns_side_by_side() {
        std::vector<std::string> names;
        std::string values;
        for (const Measure& m : q_.measures) {
            names.push_back(value_column(m));
            values += (values.empty() ? "" : ", ") + scalar(m, rows_);
        }
        const std::string value = kind_of_measure(q_, q_.measures[0]);
        line("result = pd.DataFrame({'column': " + py(names) + ", " + py(value) + ": [" + values +
             "]})");
        line("result = result.sort_values(" + py(value) +
             ", ascending=" + (q_.order == Order::Lowest ? "True" : "False") + ")");
        if (q_.count && q_.order != Order::None) {
            line("result = result.head(" + std::to_string(std::max<std::size_t>(*q_.count, 1)) +
                 ")");
        }
        line("report(result, rows=len(" + rows_ + "))");
        if (q_.chart == ChartKind::None) return;
        begin_chart(value);
        line("axes.bar(result['column'], result[" + py(value) + "])");
        line("axes.set_ylabel(" + py(value) + ")");
        line("axes.tick_params(axis='x', rotation=45)");
        end_chart();
    }
    void single() {
        const Measure& m = q_.measures[0];
        const bool is_extreme =
            q_.measures.size() == 1 && m.field && !m.times && !m.plus &&
            (m.aggregation == Aggregation::Minimum || m.aggregation == Aggregation::Maximum) &&
            at(schema_, *m.field).is_number();
        if (is_extreme) {
            const bool high = m.aggregation == Aggregation::Maximum;
            line("result = " + rows_ + (high ? ".nlargest(1, " : ".nsmallest(1, ") +
                 py(value_column(m)) + ")[" + py(shown_columns({value_column(m)})) + "]");
            line("report(result, value=" + scalar(m, rows_) + ", rows=len(" + rows_ + "))");
            return;
        }
        std::string fields;
        for (const Measure& each : q_.measures) {
            fields +=
                (fields.empty() ? "" : ", ") + py(label(each)) + ": [" + scalar(each, rows_) + "]";
        }
        line("result = pd.DataFrame({" + fields + "})");
        line("report(result, rows=len(" + rows_ + "))");
    }
    void averaged() {
        const Measure& m = q_.measures[0];
        const std::string key = py(name_of(q_, schema_, *q_.averaged));
        if (m.aggregation == Aggregation::Count) {
            line("each = " + rows_ + ".groupby(" + key + ").size()");
        } else {
            line("each = " + rows_ + ".groupby(" + key + ")[" + py(value_column(m)) + "]" +
                 call_text(m));
        }
        line(
            "result = pd.DataFrame({'average': [each.mean()], 'lowest': [each.min()], 'highest': "
            "[each.max()],");
        line("                       'groups': [len(each)]})");
        line("report(result, rows=len(" + rows_ + "))");
    }
    [[nodiscard]] bool fits_across() const {
        if (!q_.periods.empty()) return true;
        return at(schema_, q_.groups[1].field).distinct <= 12 || q_.groups[1].grain != Grain::None;
    }
    // Two keys: the first down, the second across.
    void across(const std::vector<std::string>& by) {
        const Measure& m = q_.measures[0];
        const bool has_periods = !q_.periods.empty();
        const std::string down = has_periods ? by[1] : by[0];
        const std::string over = has_periods ? by[0] : by[1];
        line("result = " + rows_ + ".pivot_table(index=" + py(down) + ", columns=" + py(over) +
             ", values=" +
             py(value_column(m) == down || value_column(m) == over ? other_column(down, over)
                                                                   : value_column(m)) +
             ", aggfunc=" + function_text(m) + ")");
        if (m.aggregation == Aggregation::Count || m.aggregation == Aggregation::Sum) {
            line("result = result.fillna(0)");
        }
        if (has_periods) line("result = result[" + py(period_labels()) + "]");
        if (q_.is_running) line("result = result.cumsum()");
        if (q_.rolling) {
            line("result = result.rolling(" + std::to_string(*q_.rolling) + ").mean()");
        }
        line("result = result.reset_index().rename_axis(columns=None)");
        line("report(result, rows=len(" + rows_ + ")" + left_out() + ")");
        if (q_.chart == ChartKind::None) return;
        begin_chart(label(m));
        const bool lines = q_.groups[0].grain != Grain::None && q_.chart != ChartKind::Bar;
        line("result.set_index(" + py(down) + ").plot(kind='" + (lines ? "line" : "bar") +
             "', ax=axes)");
        line("axes.set_ylabel(" + py(label(m)) + ")");
        end_chart();
    }
    [[nodiscard]] std::string other_column(const std::string& a, const std::string& b) const {
        for (const Column& c : table().columns) {
            if (c.name != a && c.name != b && c.missing == 0) return c.name;
        }
        return table().columns[0].name;
    }
    [[nodiscard]] std::vector<std::string> period_labels() const {
        std::vector<std::string> out;
        for (const TimeSpan& p : q_.periods) out.push_back(p.label);
        return out;
    }
    void sort_and_cut(const std::string& by) {
        const bool sorts = q_.order != Order::None || !is_chronological();
        if (sorts) {
            line("result = result.sort_values(" + py(by) +
                 ", ascending=" + (q_.order == Order::Lowest ? "True" : "False") + ")");
        }
        if (q_.rank) {
            place_of("result", by);
            line("groups = len(result)");
            line("result = result[place == " + std::to_string(*q_.rank) + "]");
            cut_ = true;
            return;
        }
        if (q_.best_of_each) {
            const std::string each = name_of(q_, schema_, q_.groups[*q_.best_of_each]);
            line("result = result.groupby(" + py(each) + ", sort=False).head(" +
                 std::to_string(q_.wants_one ? 1 : q_.count.value_or(1)) + ")");
            return;
        }
        if (q_.count && (q_.order != Order::None || !is_chronological())) {
            if (!cut_) line("groups = len(result)");
            line("result = result.head(" + std::to_string(std::max<std::size_t>(*q_.count, 1)) +
                 ")");
            cut_ = true;
        }
    }
    // Rows whose group is not known belong to none of them.
    [[nodiscard]] std::string left_out() const {
        std::vector<std::string> names;
        for (const Group& g : q_.groups) {
            const Column& c = at(schema_, g.field);
            if (g.grain == Grain::None && g.bins == 0 && c.missing > 0) {
                names.push_back(name(g.field));
            }
        }
        if (names.empty()) return "";
        return ", left_out=int(" + rows_ + "[" + py(names) + "].isna().any(axis=1).sum())";
    }
    void report_groups() {
        std::string figures = ", rows=len(" + rows_ + ")";
        const Measure& m = q_.measures[0];
        if (m.aggregation == Aggregation::Sum || m.aggregation == Aggregation::Count) {
            figures += ", overall=" + scalar(m, rows_);
        } else if (m.aggregation == Aggregation::Mean || m.aggregation == Aggregation::Median ||
                   m.aggregation == Aggregation::Rate) {
            figures += ", overall=" + scalar(m, rows_);
        }
        if (cut_) figures += ", groups=groups";
        figures += left_out();
        line("report(result" + figures + ")");
    }

    void share() {
        split_periods();
        prepare();
        const Measure& m = q_.measures[0];
        if (!q_.part.empty()) {
            part_of_whole(m);
            return;
        }
        group_rows(keys());
        line("result[" + py(kShareColumn) + "] = 100 * result[" + py(label(m)) + "] / result[" +
             py(label(m)) + "].sum()");
        sort_and_cut(label(m));
        report_groups();
        chart();
    }
    void part_of_whole(const Measure& m) {
        line("part = " + rows_ + "[" + conditions(q_.part, rows_) + "]");
        const auto by = keys();
        if (by.empty()) {
            line("result = pd.DataFrame({'part': [" + scalar(m, "part") + "], 'whole': [" +
                 scalar(m, rows_) + "]})");
        } else {
            const auto per = [&](const std::string& frame) {
                const std::string grouped = frame + ".groupby(" + py(by) + ")";
                return m.aggregation == Aggregation::Count
                           ? grouped + ".size()"
                           : grouped + "[" + py(value_column(m)) + "]" + call_text(m);
            };
            line("result = pd.DataFrame({'part': " + per("part") + ", 'whole': " + per(rows_) +
                 "}).fillna(0).reset_index()");
        }
        line("result[" + py(kShareColumn) + "] = 100 * result['part'] / result['whole']");
        if (!by.empty()) sort_and_cut(std::string(kShareColumn));
        line("report(result, rows=len(" + rows_ + "))");
    }

    // One figure divided by another, for all rows or for each group.
    void ratio() {
        prepare();
        const Measure& upper = q_.measures[0];
        const Measure& lower = q_.measures.back();
        const auto frame = [&](const char* name, const std::vector<Filter>& filters) {
            line(std::string(name) + " = " + rows_ +
                 (filters.empty() ? "" : "[" + conditions(filters, rows_) + "]"));
        };
        frame("upper", q_.part);
        frame("lower", q_.base);
        const auto by = keys();
        const auto figure = [&](const Measure& m, const std::string& of) {
            if (by.empty()) return "[" + scalar(m, of) + "]";
            const std::string grouped = of + ".groupby(" + py(by) + ")";
            return m.aggregation == Aggregation::Count
                       ? grouped + ".size()"
                       : grouped + "[" + py(value_column(m)) + "]" + call_text(m);
        };
        line("result = pd.DataFrame({'upper': " + figure(upper, "upper") +
             ", 'lower': " + figure(lower, "lower") + "})" + (by.empty() ? "" : ".reset_index()"));
        const std::string label = q_.in_percent ? std::string(kShareColumn) : "ratio";
        line("result[" + py(label) + "] = " + (q_.in_percent ? "100 * " : "") +
             "result['upper'] / result['lower']");
        if (!by.empty()) sort_and_cut(label);
        line("report(result, rows=len(" + rows_ + "))");
    }

    void growth() {
        split_periods();
        prepare();
        group_rows(keys());
        const std::string value = py(label(q_.measures[0]));
        std::string series = "result[" + value + "]";
        if (keys().size() > 1) {  // each group against itself in the period before
            std::vector<std::string> others;
            for (const std::string& key : keys()) {
                if (key != (q_.periods.empty() ? time_key() : "period")) others.push_back(key);
            }
            series = "result.groupby(" + py(others) + ")[" + value + "]";
        }
        // against the same month of the year before, where that is asked
        std::string lag;
        for (const Group& g : q_.groups) {
            if (!q_.against_last_year || !q_.periods.empty()) continue;
            if (g.grain == Grain::Month) lag = "12";
            if (g.grain == Grain::Quarter) lag = "4";
        }
        line("result[" + py(kChangeColumn) + "] = " + series + ".diff(" + lag + ")");
        line("result[" + py(kChangePercentColumn) + "] = 100 * " + series + ".pct_change(" + lag +
             ")");
        if (q_.of_growth) {
            line("result = result.dropna(subset=[" + py(kChangeColumn) + "]).sort_values(" +
                 py(kChangePercentColumn) +
                 ", ascending=" + (q_.order == Order::Lowest ? "True" : "False") + ")");
            if (q_.count) line("result = result.head(" + std::to_string(*q_.count) + ")");
        }
        line("report(result, rows=len(" + rows_ + "))");
        chart();
    }
    [[nodiscard]] std::string time_key() const {
        for (const Group& g : q_.groups) {
            if (g.grain != Grain::None) return name_of(q_, schema_, g);
        }
        return "";
    }

    [[nodiscard]] std::vector<std::string> number_names() const {
        std::vector<std::string> out;
        for (const Column& c : table().columns) {
            if (c.is_number() && !c.is_id && c.distinct > 1 && out.size() < 30) {
                out.push_back(c.name);
            }
        }
        return out;
    }
    [[nodiscard]] std::string as_number(Field field) const {
        const Column& c = at(schema_, field);
        if (c.is_number()) return column(field);
        return column(field) + ".eq(" + py(c.positive) + ").astype(float)";
    }
    void correlation() {
        if (q_.fields.size() >= 2) {
            line("pair = pd.DataFrame({" + py(name(q_.fields[0])) + ": " + as_number(q_.fields[0]) +
                 ", " + py(name(q_.fields[1])) + ": " + as_number(q_.fields[1]) + "}).dropna()");
            line("result = pair.corr()");
            line(
                "report(result.reset_index(), r=result.iloc[0, 1], pairs=len(pair), "
                "spearman=pair.rank().corr().iloc[0, 1])");
            if (q_.chart != ChartKind::None) {
                begin_chart(name(q_.fields[0]) + " / " + name(q_.fields[1]));
                line("axes.scatter(pair.iloc[:, 0], pair.iloc[:, 1], s=12, alpha=0.5)");
                line("axes.set_xlabel(" + py(name(q_.fields[0])) + ")");
                line("axes.set_ylabel(" + py(name(q_.fields[1])) + ")");
                end_chart();
            }
            return;
        }
        line("table = " + rows_ + "[" + py(number_names()) + "].corr()");
        if (q_.fields.size() == 1 && at(schema_, q_.fields[0]).is_number()) {
            const std::string n = py(name(q_.fields[0]));
            line("result = table[" + n + "].drop(" + n + ").sort_values(key=abs, ascending=False)");
            line("result = result.rename_axis('column').reset_index(name='r')");
        } else {
            line(
                "pairs = [(a, b, table.loc[a, b]) for i, a in enumerate(table) for b in "
                "table.columns[i + 1:]]");
            line("result = pd.DataFrame(pairs, columns=['column', 'with', 'r']).dropna()");
            line("result = result.sort_values('r', key=abs, ascending=False).head(10)");
        }
        line("report(result, rows=len(" + rows_ + "))");
        if (q_.chart == ChartKind::None) return;
        begin_chart("r");
        line("image = axes.imshow(table, vmin=-1, vmax=1, cmap='RdBu_r')");
        line("axes.set_xticks(range(len(table)), table.columns, rotation=60, ha='right')");
        line("axes.set_yticks(range(len(table)), table.columns)");
        line("figure.colorbar(image)");
        end_chart();
    }
    void outliers() {
        if (q_.fields.empty()) return shape();
        const std::string c = column(q_.fields[0]);
        const std::string n = py(name(q_.fields[0]));
        line("low, high = " + c + ".quantile([0.25, 0.75])");
        line("fence_low, fence_high = low - 1.5 * (high - low), high + 1.5 * (high - low)");
        line("outside = " + rows_ + "[(" + c + " < fence_low) | (" + c + " > fence_high)]");
        line("result = outside.sort_values(" + n +
             ", key=lambda v: (v - (low + high) / 2).abs(), "
             "ascending=False)[" +
             py(shown_columns({name(q_.fields[0])})) + "].head(" +
             std::to_string(q_.count.value_or(10)) + ")");
        line("report(result, count=len(outside), above=int((" + c +
             " > fence_high).sum()), "
             "below=int((" +
             c +
             " < fence_low).sum()), fence_low=fence_low, fence_high=fence_high, "
             "rows=int(" +
             c + ".notna().sum()))");
        if (q_.chart == ChartKind::None) return;
        begin_chart(name(q_.fields[0]));
        line("axes.boxplot(" + c + ".dropna())");
        line("axes.set_ylabel(" + py(name(q_.fields[0])) + ")");
        end_chart();
    }
    void distribution() {
        if (q_.fields.empty()) return shape();
        const std::string c = column(q_.fields[0]);
        const std::string n = name(q_.fields[0]);
        if (!q_.groups.empty()) {
            prepare();
            const std::string key = name_of(q_, schema_, q_.groups[0]);
            line("result = " + rows_ + ".groupby(" + py(key) + ")[" + py(n) +
                 "].describe().reset_index()");
            line("report(result, rows=len(" + rows_ + "))");
            begin_chart(n);
            line("groups = {str(k): v.dropna() for k, v in " + rows_ + ".groupby(" + py(key) +
                 ")[" + py(n) + "]}");
            line("axes.boxplot(list(groups.values()), tick_labels=list(groups))");
            line("axes.set_xlabel(" + py(key) + ")");
            line("axes.set_ylabel(" + py(n) + ")");
            line("axes.tick_params(axis='x', rotation=45)");
            end_chart();
            return;
        }
        line("result = " + c + ".describe().rename_axis('statistic').reset_index(name=" + py(n) +
             ")");
        line("report(result, rows=int(" + c + ".notna().sum()), skew=" + c + ".skew())");
        begin_chart(n);
        if (q_.chart == ChartKind::Box) {
            line("axes.boxplot(" + c + ".dropna())");
            line("axes.set_ylabel(" + py(n) + ")");
        } else {
            line("axes.hist(" + c +
                 ".dropna(), bins=" + (at(schema_, q_.fields[0]).distinct <= 12 ? "'auto'" : "30") +
                 ", edgecolor='white')");
            line("axes.set_xlabel(" + py(n) + ")");
            line("axes.set_ylabel(" + py(q_.language == Language::Chinese ? "行数" : "rows") + ")");
        }
        end_chart();
    }
    void missing() {
        std::string frame = rows_;
        if (!q_.fields.empty()) {
            std::vector<std::string> names;
            for (const Field f : q_.fields) {
                if (std::find(names.begin(), names.end(), name(f)) == names.end()) {
                    names.push_back(name(f));
                }
            }
            frame += "[" + py(names) + "]";
        }
        line("missing = " + frame + ".isna().sum()");
        line("result = pd.DataFrame({'column': missing.index, 'missing': missing.values,");
        line("                       " + py(kShareColumn) + ": 100 * missing.values / max(len(" +
             rows_ + "), 1)})");
        line("result = result[result['missing'] > 0].sort_values('missing', ascending=False)");
        line("report(result, total=int(missing.sum()), rows=len(" + rows_ + "), affected=int(" +
             frame + ".isna().any(axis=1).sum()), complete=int((missing == 0).sum()))");
        if (q_.chart == ChartKind::None) return;
        begin_chart("missing");
        line("axes.bar(result['column'], result['missing'])");
        line("axes.tick_params(axis='x', rotation=45)");
        end_chart();
    }
    void duplicates() {
        std::vector<std::string> ids;
        for (const Column& c : table().columns) {
            if (c.is_id && c.distinct * 2 > table().rows && ids.size() < 3) ids.push_back(c.name);
        }
        for (const Field f : q_.fields) {
            if (std::find(ids.begin(), ids.end(), name(f)) == ids.end()) ids.push_back(name(f));
        }
        line("copies = " + rows_ + "[" + rows_ + ".duplicated(keep=False)]");
        line("result = pd.DataFrame({'column': " + py(ids) + ", 'repeated': [int(" + rows_ +
             "[c].dropna().duplicated().sum()) for c in " + py(ids) + "]})");
        line("report(result, duplicates=int(" + rows_ +
             ".duplicated().sum()), involved=len(copies), "
             "rows=len(" +
             rows_ + "))");
    }

    // ---- charts -----------------------------------------------------------------------------
    void chart() {
        if (q_.chart == ChartKind::None || keys().empty()) return;
        const std::string key = py(keys()[0]);
        const Measure& m = q_.measures[0];
        const std::string value = q_.intent == Intent::Growth  ? py(kChangePercentColumn)
                                  : q_.intent == Intent::Share ? py(kShareColumn)
                                  : q_.is_running              ? py(running_name(q_, schema_))
                                  : q_.rolling                 ? py(rolling_name(q_, schema_))
                                                               : py(label(m));
        const bool is_time =
            !q_.groups.empty() && q_.groups[0].grain != Grain::None && q_.order == Order::None;
        ChartKind kind = q_.chart;
        if (kind == ChartKind::Any || kind == ChartKind::Histogram || kind == ChartKind::Scatter ||
            kind == ChartKind::Box) {
            kind = q_.intent == Intent::Share && q_.periods.empty() ? ChartKind::Pie
                   : is_time && q_.intent != Intent::Growth         ? ChartKind::Line
                                                                    : ChartKind::Bar;
        }
        begin_chart(label(m));
        line("shown = result.head(" + std::string(is_time ? "400" : "20") + ")");
        const std::string labels = "shown[" + key + "].astype(str)";
        if (kind == ChartKind::Pie) {
            line("axes.pie(shown[" + value + "].clip(lower=0), labels=" + labels +
                 ", autopct='%1.1f%%')");
        } else if (kind == ChartKind::Line) {
            line("axes.plot(" + labels + ", shown[" + value + "], marker='o')");
        } else {
            line("axes.bar(" + labels + ", shown[" + value + "])");
        }
        if (kind != ChartKind::Pie) {
            line("axes.set_xlabel(" + key + ")");
            line("axes.set_ylabel(" + value + ")");
            line("axes.tick_params(axis='x', rotation=45)");
            if (is_time) {
                line("axes.set_xticks(range(0, len(shown), max(1, len(shown) // 24)))");
            }
        }
        end_chart();
    }
    void begin_chart(const std::string& about) {
        std::string title = about;
        for (const Group& g : q_.groups) {
            title += (q_.language == Language::Chinese ? " · " : " by ") + name_of(q_, schema_, g);
        }
        chart_title_ = title;
        line("figure, axes = start_chart(" + py(title) + ")");
    }
    void end_chart() {
        chart_file_ = file_name();
        line("save_chart(figure, " + py(chart_file_) + ")");
    }
    // Readable where the title is ASCII; the number keeps charts of different questions apart.
    [[nodiscard]] std::string file_name() const {
        std::string slug;
        for (const char c : chart_title_) {
            const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
            const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
            if (is_plain || (lower >= 'a' && lower <= 'z')) {
                slug += lower;
            } else if (!slug.empty() && slug.back() != '_') {
                slug += '_';
            }
            if (slug.size() >= 40) break;
        }
        while (!slug.empty() && slug.back() == '_') slug.pop_back();
        std::uint32_t hash = 2166136261U;
        for (const char c : code_) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
        std::array<char, 12> number{};
        std::snprintf(number.data(), number.size(), "%04x", hash & 0xFFFFU);
        return (slug.empty() ? "chart" : slug) + "_" + number.data() + ".png";
    }

    const Question& q_;
    const Schema& schema_;
    bool is_repair_;
    std::string rows_ = "df";
    std::string code_;
    std::string chart_title_;
    std::string chart_file_;
    bool cut_ = false;
};

}  // namespace

Code write_code(const Question& question, const Schema& schema, bool is_repair) {
    return Writer(question, schema, is_repair).write();
}

}  // namespace atl::offline

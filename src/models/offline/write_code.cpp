#include "models/offline/write_code.hpp"

#include "models/offline/code_writer.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace atl::offline {
namespace {

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

}  // namespace

std::string function_text(const Measure& m) {
    if (m.aggregation == Aggregation::Quantile) {
        return "lambda v: v.quantile(" + py(m.quantile) + ")";
    }
    return "'" + function_of(m.aggregation) + "'";
}

std::string call_text(const Measure& m) {
    return "." + function_of(m.aggregation) + "(" +
           (m.aggregation == Aggregation::Quantile ? py(m.quantile) : "") + ")";
}

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

Code CodeWriter::write() {
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
        default: shape(); break;
    }
    // Sorted and chosen rows have kept their numbers, which mean nothing to who gets the table.
    const bool is_matrix = q_.intent == Intent::Correlation;
    line(is_matrix ? "result" : "result.reset_index(drop=True)");
    return {std::move(code_), std::move(chart_file_)};
}

std::string CodeWriter::load_of(const Table& table) {
    return "load(" + py(table.path) + (table.sheet.empty() ? "" : ", " + py(table.sheet)) + ")";
}

void CodeWriter::load() {
    line("df = " + load_of(table()));
    if (!q_.join) return;
    const Join& join = *q_.join;
    const std::string left = at(schema_, join.left).name;
    const std::string right = at(schema_, join.right).name;
    line("other = " + load_of(schema_.tables[join.right.table]) + ".drop_duplicates(" + py(right) +
         ")");
    const std::string on =
        left == right ? "on=" + py(left) : "left_on=" + py(left) + ", right_on=" + py(right);
    line("df = df.merge(other, " + on + ", how='left', suffixes=('', '_2'))");
}

void CodeWriter::repair() {
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

std::string CodeWriter::condition(const Filter& f, const std::string& frame) const {
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
        case Filter::Kind::Weekdays: return c + ".dt.day_of_week.isin(" + list(f.time.parts) + ")";
        case Filter::Kind::Dates: return dates(c, f.time);
        case Filter::Kind::Missing: return c + ".isna()";
        case Filter::Kind::Present: return c + ".notna()";
    }
    return "True";
}

std::string CodeWriter::dates(const std::string& c, const TimeSpan& time) {
    std::string out;
    if (time.from) out = "(" + c + " >= " + py(iso_of(*time.from)) + ")";
    if (time.to) out += (out.empty() ? "(" : " & (") + c + " < " + py(iso_of(*time.to)) + ")";
    return out;
}

std::string CodeWriter::conditions(const std::vector<Filter>& filters,
                                   const std::string& frame) const {
    std::string out;
    for (const Filter& f : filters) out += (out.empty() ? "" : " & ") + condition(f, frame);
    return out;
}

void CodeWriter::filter() {
    if (q_.filters.empty()) return;
    line("rows = df[" + conditions(q_.filters, "df") + "]");
    rows_ = "rows";
}

void CodeWriter::prepare() {
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
        } else if (m.aggregation == Aggregation::Rate) {
            const Column& c = at(schema_, *m.field);
            const std::string yes = c.is_number() ? "1" : py(c.positive);
            add(value_column(m), column(*m.field) + ".eq(" + yes + ").where(" + column(*m.field) +
                                     ".notna()).astype(float) * 100");
        }
    }
    if (added.empty()) return;
    line("rows = " + rows_ + ".assign(**{" + added + "})");
    rows_ = "rows";
}

std::vector<Group> CodeWriter::all_groups() const {
    std::vector<Group> groups = q_.groups;
    if (q_.averaged) groups.push_back(*q_.averaged);
    return groups;
}

std::string CodeWriter::value_column(const Measure& m) const {
    if (m.times) return value_name(q_, schema_, m);
    if (m.aggregation == Aggregation::Rate) {
        const Column& c = at(schema_, *m.field);
        return name(*m.field) + " = " + c.positive;
    }
    if (m.field) return name(*m.field);
    return name({q_.table, 0});
}

std::string CodeWriter::scalar(const Measure& m, const std::string& frame) const {
    if (m.aggregation == Aggregation::Count) return "len(" + frame + ")";
    return frame + "[" + py(value_column(m)) + "]" + call_of(m);
}

bool CodeWriter::may_be_missing(const Measure& m) const {
    if (q_.join) return true;  // rows without a partner
    return std::ranges::any_of(std::array{m.field, m.times}, [&](const auto& field) {
        return field && at(schema_, *field).missing > 0;
    });
}

std::string CodeWriter::call_of(const Measure& m) const {
    const bool of_nothing = m.aggregation == Aggregation::Sum && may_be_missing(m);
    return of_nothing ? ".sum(min_count=1)" : call_text(m);
}

std::string CodeWriter::named_aggregations() const {
    std::string out = ".agg(**{";
    for (std::size_t i = 0; i < q_.measures.size(); ++i) {
        const Measure& m = q_.measures[i];
        out += (i > 0 ? ", " : "") + py(label(m)) + ": (" + py(value_column(m)) + ", " +
               function_text(m) + ")";
    }
    return out + "})";
}

std::vector<std::string> CodeWriter::keys() const {
    std::vector<std::string> out;
    if (!q_.periods.empty()) out.emplace_back("period");
    for (const Group& g : q_.groups) out.push_back(name_of(q_, schema_, g));
    return out;
}

void CodeWriter::split_periods() {
    if (q_.periods.empty() || q_.fields.empty()) return;
    std::string parts;
    for (const TimeSpan& p : q_.periods) {
        parts += "    " + rows_ + "[" + dates(column(q_.fields[0]), p) +
                 "].assign(period=" + py(p.label) + "),\n";
    }
    line("rows = pd.concat([\n" + parts + "])");
    rows_ = "rows";
}

bool CodeWriter::is_chronological() const {
    return (!q_.groups.empty() && q_.groups[0].grain != Grain::None) || !q_.periods.empty() ||
           (!q_.groups.empty() && at(schema_, q_.groups[0].field).is_number());
}

void CodeWriter::group_rows(const std::vector<std::string>& by) {
    const bool only_count =
        q_.measures.size() == 1 && q_.measures[0].aggregation == Aggregation::Count;
    const std::string sort = q_.periods.empty() ? "" : ", sort=False";
    if (only_count) {
        line("result = " + rows_ + ".groupby(" + py(by) + sort +
             ").size().reset_index(name=" + py(label(q_.measures[0])) + ")");
    } else {
        const std::string grouped = rows_ + ".groupby(" + py(by) + sort + ")";
        std::vector<std::string> masks;
        for (const Measure& m : q_.measures) {
            if (m.aggregation != Aggregation::Sum || !may_be_missing(m)) continue;
            const std::string total = "result[" + py(label(m)) + "]";
            masks.push_back(total + " = " + total + ".where(" + grouped + "[" +
                            py(value_column(m)) + "].count() > 0)");
        }
        line("result = " + grouped + named_aggregations() +
             (masks.empty() ? ".reset_index()" : ""));
        for (const std::string& mask : masks) line(mask);
        if (!masks.empty()) line("result = result.reset_index()");
        drop_empty_groups();
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

void CodeWriter::drop_empty_groups() {
    const bool counts = std::ranges::any_of(q_.measures, [](const Measure& m) {
        return m.aggregation == Aggregation::Count || m.aggregation == Aggregation::Distinct;
    });
    const bool may_be =
        std::ranges::any_of(q_.measures, [&](const Measure& m) { return may_be_missing(m); });
    // each period stands against another, and stays there without a figure
    if (counts || !may_be || !q_.periods.empty() || q_.intent == Intent::Growth) return;
    std::vector<std::string> labels;
    for (const Measure& m : q_.measures) labels.push_back(label(m));
    line("empty = result[" + py(labels) + "].isna().all(axis=1)");
    line("result = result[~empty]");
    dropped_empty_ = true;
}

Code write_code(const Question& question, const Schema& schema, bool is_repair) {
    return CodeWriter(question, schema, is_repair).write();
}

}  // namespace atl::offline

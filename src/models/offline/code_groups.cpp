// Figures of all rows or of groups: one key, two across, periods side by side, rankings.
#include "models/offline/code_writer.hpp"

#include <algorithm>

namespace atl::offline {
namespace {

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

}  // namespace

void CodeWriter::aggregate() {
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
    if (by.size() == 2 && one_measure && q_.order == Order::None && !q_.having && fits_across()) {
        across(by);
        return;
    }
    group_rows(by);
    if (q_.having) keep_groups();
    sort_and_cut(label(q_.measures[0]));
    report_groups();
    chart();
}

void CodeWriter::keep_groups() {
    const Having& h = *q_.having;
    line("groups = len(result)");
    line("result = result[result[" + py(label(h.measure)) + "]" +
         comparison(h.kind, h.low, h.high) + "]");
    cut_ = true;
}

void CodeWriter::columns_side_by_side() {
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
        line("result = result.head(" + std::to_string(std::max<std::size_t>(*q_.count, 1)) + ")");
    }
    line("report(result, rows=len(" + rows_ + "))");
    if (q_.chart == ChartKind::None) return;
    begin_chart(value);
    line("axes.bar(result['column'], result[" + py(value) + "])");
    line("axes.set_ylabel(" + py(value) + ")");
    line("axes.tick_params(axis='x', rotation=45)");
    end_chart();
}

void CodeWriter::single() {
    const Measure& m = q_.measures[0];
    const bool is_extreme =
        q_.measures.size() == 1 && m.field && !m.times &&
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

void CodeWriter::averaged() {
    const Measure& m = q_.measures[0];
    const std::string key = py(name_of(q_, schema_, *q_.averaged));
    if (m.aggregation == Aggregation::Count) {
        line("each = " + rows_ + ".groupby(" + key + ").size()");
    } else {
        line("each = " + rows_ + ".groupby(" + key + ")[" + py(value_column(m)) + "]" + call_of(m));
    }
    line(
        "result = pd.DataFrame({'average': [each.mean()], 'lowest': [each.min()], 'highest': "
        "[each.max()],");
    line("                       'groups': [len(each)]})");
    line("report(result, rows=len(" + rows_ + "))");
}

bool CodeWriter::fits_across() const {
    if (!q_.periods.empty()) return true;
    return at(schema_, q_.groups[1].field).distinct <= 12 || q_.groups[1].grain != Grain::None;
}

void CodeWriter::across(const std::vector<std::string>& by) {
    const Measure& m = q_.measures[0];
    const bool has_periods = !q_.periods.empty();
    const std::string down = has_periods ? by[1] : by[0];
    const std::string over = has_periods ? by[0] : by[1];
    const std::string value = value_column(m) == down || value_column(m) == over
                                  ? other_column(down, over)
                                  : value_column(m);
    const std::string pivot = rows_ + ".pivot_table(index=" + py(down) + ", columns=" + py(over) +
                              ", values=" + py(value) + ", aggfunc=";
    line("result = " + pivot + function_text(m) + ")");
    const bool adds_up = m.aggregation == Aggregation::Sum;
    if (m.aggregation == Aggregation::Count || adds_up) line("result = result.fillna(0)");
    // no rows add up to 0, but rows without a value to nothing that is known
    if (adds_up && may_be_missing(m)) { line("result = result.mask(" + pivot + "'count') == 0)"); }
    if (has_periods) line("result = result[" + py(period_labels()) + "]");
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

std::string CodeWriter::other_column(const std::string& a, const std::string& b) const {
    for (const Column& c : table().columns) {
        if (c.name != a && c.name != b && c.missing == 0) return c.name;
    }
    return table().columns[0].name;
}

std::vector<std::string> CodeWriter::period_labels() const {
    std::vector<std::string> out;
    for (const TimeSpan& p : q_.periods) out.push_back(p.label);
    return out;
}

void CodeWriter::sort_and_cut(const std::string& by) {
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
        line("result = result.head(" + std::to_string(std::max<std::size_t>(*q_.count, 1)) + ")");
        cut_ = true;
    }
}

std::string CodeWriter::left_out() const {
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

void CodeWriter::report_groups() {
    std::string figures = ", rows=len(" + rows_ + ")";
    const Measure& m = q_.measures[0];
    if (m.aggregation == Aggregation::Sum || m.aggregation == Aggregation::Count) {
        figures += ", overall=" + scalar(m, rows_);
    } else if (m.aggregation == Aggregation::Mean || m.aggregation == Aggregation::Median ||
               m.aggregation == Aggregation::Rate) {
        figures += ", overall=" + scalar(m, rows_);
    }
    if (cut_) figures += ", groups=groups";
    if (dropped_empty_) figures += ", empty=int(empty.sum())";
    figures += left_out();
    line("report(result" + figures + ")");
}

}  // namespace atl::offline

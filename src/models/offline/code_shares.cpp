// Parts of a whole, one figure over another, and changes from period to period.
#include "models/offline/code_writer.hpp"

namespace atl::offline {

void CodeWriter::share() {
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

void CodeWriter::part_of_whole(const Measure& m) {
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
                       : grouped + "[" + py(value_column(m)) + "]" + call_of(m);
        };
        line("result = pd.DataFrame({'part': " + per("part") + ", 'whole': " + per(rows_) +
             "}).fillna(0).reset_index()");
    }
    line("result[" + py(kShareColumn) + "] = 100 * result['part'] / result['whole']");
    if (!by.empty()) sort_and_cut(std::string(kShareColumn));
    line("report(result, rows=len(" + rows_ + "))");
}

void CodeWriter::ratio() {
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
                   : grouped + "[" + py(value_column(m)) + "]" + call_of(m);
    };
    line("result = pd.DataFrame({'upper': " + figure(upper, "upper") +
         ", 'lower': " + figure(lower, "lower") + "})" + (by.empty() ? "" : ".reset_index()"));
    const std::string label = q_.in_percent ? std::string(kShareColumn) : "ratio";
    line("result[" + py(label) + "] = " + (q_.in_percent ? "100 * " : "") +
         "result['upper'] / result['lower']");
    if (!by.empty()) sort_and_cut(label);
    line("report(result, rows=len(" + rows_ + "))");
}

void CodeWriter::growth() {
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
    line("result[" + py(kChangePercentColumn) + "] = 100 * " + series + ".pct_change(" + lag + ")");
    if (q_.of_growth) {
        line("result = result.dropna(subset=[" + py(kChangeColumn) + "]).sort_values(" +
             py(kChangePercentColumn) +
             ", ascending=" + (q_.order == Order::Lowest ? "True" : "False") + ")");
        if (q_.count) line("result = result.head(" + std::to_string(*q_.count) + ")");
    }
    line("report(result, rows=len(" + rows_ + "))");
    chart();
}

std::string CodeWriter::time_key() const {
    for (const Group& g : q_.groups) {
        if (g.grain != Grain::None) return name_of(q_, schema_, g);
    }
    return "";
}

}  // namespace atl::offline

// How two columns go together, and how one is spread.
#include "models/offline/code_writer.hpp"

namespace atl::offline {

std::vector<std::string> CodeWriter::number_names() const {
    std::vector<std::string> out;
    if (q_.fields.size() > 2) {  // "the correlation matrix of A, B and C"
        for (const Field& field : q_.fields) out.push_back(name(field));
        return out;
    }
    for (const Column& c : table().columns) {
        if (c.is_number() && !c.is_id && c.distinct > 1 && out.size() < 30) {
            out.push_back(c.name);
        }
    }
    return out;
}

std::string CodeWriter::as_number(Field field) const {
    const Column& c = at(schema_, field);
    if (c.is_number()) return column(field);
    return column(field) + ".eq(" + py(c.positive) + ").astype(float)";
}

void CodeWriter::correlation() {
    if (q_.fields.size() == 2) {
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

void CodeWriter::outliers() {
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

void CodeWriter::distribution() {
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
        line("groups = {str(k): v.dropna() for k, v in " + rows_ + ".groupby(" + py(key) + ")[" +
             py(n) + "]}");
        line("axes.boxplot(list(groups.values()), tick_labels=list(groups))");
        line("axes.set_xlabel(" + py(key) + ")");
        line("axes.set_ylabel(" + py(n) + ")");
        line("axes.tick_params(axis='x', rotation=45)");
        end_chart();
        return;
    }
    line("result = " + c + ".describe().rename_axis('statistic').reset_index(name=" + py(n) + ")");
    line("report(result, rows=int(" + c + ".notna().sum()), skew=" + c + ".skew())");
    begin_chart(n);
    if (q_.chart == ChartKind::Box) {
        line("axes.boxplot(" + c + ".dropna())");
        line("axes.set_ylabel(" + py(n) + ")");
    } else {
        line("axes.hist(" + c + ".dropna(), bins=" +
             (at(schema_, q_.fields[0]).distinct <= 12 ? "'auto'" : "30") + ", edgecolor='white')");
        line("axes.set_xlabel(" + py(n) + ")");
        line("axes.set_ylabel(" + py(q_.language == Language::Chinese ? "行数" : "rows") + ")");
    }
    end_chart();
}

}  // namespace atl::offline

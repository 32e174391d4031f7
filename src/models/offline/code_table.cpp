// About the table itself: its shape, columns, rows, values, gaps and copies.
#include "models/offline/code_writer.hpp"

#include <algorithm>

namespace atl::offline {
namespace {

constexpr std::size_t kShownColumnsMax = 10;
constexpr std::size_t kShownRows = 10;

}  // namespace

void CodeWriter::shape() {
    line("result = pd.DataFrame({'rows': [len(" + rows_ + ")], 'columns': [len(df.columns)]})");
    line("report(result)");
}

void CodeWriter::columns() {
    line("result = pd.DataFrame({'column': df.columns, 'type': [str(t) for t in df.dtypes],");
    line(
        "                       'distinct': df.nunique().values, 'missing': "
        "df.isna().sum().values})");
    line("report(result, columns=len(df.columns), rows=len(df))");
}

void CodeWriter::describe() {
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

std::vector<std::string> CodeWriter::shown_columns(std::vector<std::string> first) const {
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

void CodeWriter::show_rows() {
    const std::size_t n = q_.count.value_or(q_.order != Order::None ? 5 : kShownRows);
    std::vector<std::string> first;
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
    line(code + "[" + py(columns) + "].head(" + std::to_string(shown) + ")");
    const std::string sharing =
        q_.rank ? ", sharing=int((place == " + std::to_string(*q_.rank) + ").sum())" : "";
    line("report(result, rows=len(" + rows_ + ")" + sharing + ")");
}

void CodeWriter::place_of(const std::string& frame, const std::string& by) {
    line("place = " + frame + "[" + py(by) + "].rank(method='dense', ascending=" +
         (q_.order == Order::Lowest ? "True" : "False") + ")");
}

void CodeWriter::values() {
    const Field field = q_.fields.empty() ? Field{q_.table, 0} : q_.fields[0];
    line("result = " + column(field) + ".value_counts().rename_axis(" + py(name(field)) +
         ").reset_index(name='rows')");
    line("report(result, distinct=len(result))");
}

void CodeWriter::period() {
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

void CodeWriter::missing() {
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
    line("report(result, total=int(missing.sum()), rows=len(" + rows_ + "), affected=int(" + frame +
         ".isna().any(axis=1).sum()), complete=int((missing == 0).sum()))");
    if (q_.chart == ChartKind::None) return;
    begin_chart("missing");
    line("axes.bar(result['column'], result['missing'])");
    line("axes.tick_params(axis='x', rotation=45)");
    end_chart();
}

void CodeWriter::duplicates() {
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

}  // namespace atl::offline

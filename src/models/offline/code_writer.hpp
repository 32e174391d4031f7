#pragma once
// Writes the code of one question: the lines so far, and the name of the rows they stand at.
// Only write_code.cpp makes one. Each kind of question has a file: code_<kind>.cpp.
#include "models/offline/labels.hpp"
#include "models/offline/python_text.hpp"
#include "models/offline/understand.hpp"
#include "models/offline/write_code.hpp"

#include <string>
#include <vector>

namespace atl::offline {

// As an argument of agg() and pivot_table().
[[nodiscard]] std::string function_text(const Measure& m);
// As a call: .mean(), .quantile(0.9)
[[nodiscard]] std::string call_text(const Measure& m);
// Behind a column of numbers: " > 5", ".between(1, 5)".
[[nodiscard]] std::string comparison(Filter::Kind kind, double low, double high);

class CodeWriter {
public:
    CodeWriter(const Question& q, const Schema& schema, bool is_repair)
        : q_(q), schema_(schema), is_repair_(is_repair) {}

    Code write();

private:
    void line(const std::string& text) { code_ += text + "\n"; }
    [[nodiscard]] const Table& table() const { return schema_.tables[q_.table]; }
    [[nodiscard]] std::string name(Field field) const { return name_of(q_, schema_, field); }
    [[nodiscard]] std::string column(Field field) const {
        return rows_ + "[" + py(name(field)) + "]";
    }
    [[nodiscard]] static std::string load_of(const Table& table);

    void load();
    void repair();

    [[nodiscard]] std::string condition(const Filter& f, const std::string& frame) const;
    [[nodiscard]] static std::string dates(const std::string& c, const TimeSpan& time);
    [[nodiscard]] std::string conditions(const std::vector<Filter>& filters,
                                         const std::string& frame) const;
    void filter();

    // Derived columns that measures and groups need, added once.
    void prepare();
    [[nodiscard]] std::vector<Group> all_groups() const;
    // The column that a measure is made of.
    [[nodiscard]] std::string value_column(const Measure& m) const;
    [[nodiscard]] std::string label(const Measure& m) const { return name_of(q_, schema_, m); }
    [[nodiscard]] std::string scalar(const Measure& m, const std::string& frame) const;
    [[nodiscard]] std::string named_aggregations() const;
    [[nodiscard]] std::vector<std::string> keys() const;
    void split_periods();
    [[nodiscard]] bool is_chronological() const;
    // groupby over the keys, all measures
    void group_rows(const std::vector<std::string>& by);

    // ---- the intents ------------------------------------------------------------------------
    void shape();
    void columns();
    void describe();
    [[nodiscard]] std::vector<std::string> shown_columns(std::vector<std::string> first) const;
    void show_rows();
    // Equal figures share a place.
    void place_of(const std::string& frame, const std::string& by);
    void values();
    void period();

    void aggregate();
    // Only the groups whose figure is as wanted.
    void keep_groups();
    // One row a column: which subject has the best average.
    void columns_side_by_side();
    void single();
    void averaged();
    [[nodiscard]] bool fits_across() const;
    // Two keys: the first down, the second across.
    void across(const std::vector<std::string>& by);
    [[nodiscard]] std::string other_column(const std::string& a, const std::string& b) const;
    [[nodiscard]] std::vector<std::string> period_labels() const;
    void sort_and_cut(const std::string& by);
    [[nodiscard]] bool may_be_missing(const Measure& m) const;
    // ".sum()", where nothing can be missing
    [[nodiscard]] std::string call_of(const Measure& m) const;
    // Groups without a single value have no total, though pandas adds nothing up to 0: they are
    // left out and told.
    void drop_empty_groups();
    // Rows whose group is not known belong to none of them.
    [[nodiscard]] std::string left_out() const;
    void report_groups();

    void share();
    void part_of_whole(const Measure& m);

    // One figure divided by another, for all rows or for each group.
    void ratio();

    void growth();
    [[nodiscard]] std::string time_key() const;

    [[nodiscard]] std::vector<std::string> number_names() const;
    [[nodiscard]] std::string as_number(Field field) const;
    void correlation();
    void outliers();
    void distribution();
    void missing();
    void duplicates();

    // ---- charts -----------------------------------------------------------------------------
    void chart();
    void begin_chart(const std::string& about);
    void end_chart();
    // Readable where the title is ASCII; the number keeps charts of different questions apart.
    [[nodiscard]] std::string file_name() const;

    const Question& q_;
    const Schema& schema_;
    bool is_repair_;
    std::string rows_ = "df";
    std::string code_;
    std::string chart_title_;
    std::string chart_file_;
    bool cut_ = false;
    bool dropped_empty_ = false;
};

}  // namespace atl::offline

#pragma once
// Writes the answer to one question from its result. Only answer.cpp makes one. Each kind of
// question has a file: answer_<kind>.cpp.
#include "models/offline/answer.hpp"
#include "models/offline/labels.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::offline {

[[nodiscard]] std::string bold(const std::string& text);
[[nodiscard]] std::string percent(double value);  // 12.5 as "12.50%"
[[nodiscard]] std::string text_of(const Cell& cell, std::string_view column = {});

inline constexpr std::size_t kTableRowsMax = 60;

class AnswerWriter {
public:
    AnswerWriter(const Question& q, const Schema& schema, const Result& result)
        : q_(q), schema_(schema), result_(result), zh_(q.language == Language::Chinese) {}

    std::string write(const std::string& chart_file);

private:
    [[nodiscard]] std::string say(const std::string& english, const std::string& chinese) const {
        return zh_ ? chinese : english;
    }
    [[nodiscard]] std::string figure(std::string_view name) const;
    [[nodiscard]] double figure_value(std::string_view name) const;
    [[nodiscard]] std::optional<double> number(std::size_t row, std::size_t column) const;
    [[nodiscard]] std::string cell(std::size_t row, std::size_t column) const;
    // The column that names a row: an order's number, a person.
    [[nodiscard]] bool tells_rows(const std::string& column) const;
    [[nodiscard]] std::string who_in_first_row() const;
    [[nodiscard]] std::string heading(std::size_t c) const;
    [[nodiscard]] std::string notices() const;
    [[nodiscard]] bool uses(const std::string& column) const;
    [[nodiscard]] bool is_date(const std::string& column) const;
    // Numbers of ids and years are names: 900007, not 900,007.
    [[nodiscard]] bool is_name_like(const std::string& column) const;
    [[nodiscard]] std::size_t key_count() const;
    [[nodiscard]] std::string name(const Measure& m) const {
        return escaped(name_of(q_, schema_, m));
    }
    [[nodiscard]] std::string name(const Group& g) const {
        return escaped(name_of(q_, schema_, g));
    }
    [[nodiscard]] std::string name(Field f) const { return escaped(name_of(q_, schema_, f)); }

    // ---- conditions in words ----------------------------------------------------------------
    [[nodiscard]] std::string condition(const Filter& f) const;
    // " > 75,000"
    [[nodiscard]] static std::string condition_tail(const Filter& f);
    // 2015 may be a year
    static std::string bound(double value);
    static std::string plain(double value);
    [[nodiscard]] std::string dates(const TimeSpan& time) const;
    [[nodiscard]] std::string conditions(const std::vector<Filter>& filters) const;
    // " (region = North; 120 rows)"
    [[nodiscard]] std::string scope() const;
    [[nodiscard]] std::string unknown_names() const;
    [[nodiscard]] std::string other_sheets() const;
    [[nodiscard]] std::string chosen() const;

    [[nodiscard]] std::string meant_as_well() const;

    // ---- the table --------------------------------------------------------------------------
    [[nodiscard]] std::string table(std::size_t most = kTableRowsMax) const;
    [[nodiscard]] std::string nothing() const;

    // ---- the intents ------------------------------------------------------------------------
    [[nodiscard]] std::string body() const;
    [[nodiscard]] std::string file() const {
        return "`" + escaped(schema_.tables[q_.table].title()) + "`";
    }
    [[nodiscard]] std::string shape() const;
    [[nodiscard]] std::string columns() const;
    [[nodiscard]] std::string describe() const;
    [[nodiscard]] std::string rows() const;
    [[nodiscard]] std::string no_place() const;
    // "second ", where that place of a ranking is asked for; 第 2
    [[nodiscard]] std::string place() const;
    [[nodiscard]] std::string values() const;
    [[nodiscard]] std::string period() const;

    // "3 of 5 dept have average salary > 75,000: Engineering, Sales, Finance."
    [[nodiscard]] std::string having() const;
    [[nodiscard]] std::string aggregate() const;
    [[nodiscard]] bool is_across() const;
    [[nodiscard]] std::string keys_text() const;
    [[nodiscard]] std::string single() const;
    [[nodiscard]] std::string averaged() const;
    [[nodiscard]] std::string periods() const;
    // "; that is 120.00 more (+12.00%)"
    [[nodiscard]] std::string change(std::size_t from, std::size_t to, std::size_t column) const;
    [[nodiscard]] std::string key_text(std::size_t row) const;
    [[nodiscard]] std::string ranking() const;
    [[nodiscard]] bool is_rate() const { return q_.measures[0].aggregation == Aggregation::Rate; }

    [[nodiscard]] std::string share() const;
    [[nodiscard]] std::string operand(const Measure& m, const std::vector<Filter>& filters) const;
    [[nodiscard]] std::string ratio() const;
    [[nodiscard]] std::string growth() const;
    [[nodiscard]] std::string strength(double r) const;
    [[nodiscard]] static std::string r_text(double r);
    [[nodiscard]] std::string correlation() const;
    [[nodiscard]] std::string outliers() const;
    [[nodiscard]] std::string scope_of_filters() const;
    [[nodiscard]] std::string distribution() const;
    [[nodiscard]] std::string missing() const;
    [[nodiscard]] std::string duplicates() const;

    const Question& q_;
    const Schema& schema_;
    const Result& result_;
    bool zh_;
};

}  // namespace atl::offline

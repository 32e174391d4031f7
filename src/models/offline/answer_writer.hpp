#pragma once
// Writes the answer to one question from its result, in the sentences of data/sentences.txt. Only
// answer.cpp makes one. answer_<kind>.cpp has the kinds of questions.
#include "models/offline/answer.hpp"
#include "models/offline/labels.hpp"
#include "models/offline/sentences.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::offline {

[[nodiscard]] std::string bold(const std::string& text);
[[nodiscard]] std::string percent(double value);  // 12.5 as "12.50%"

inline constexpr std::size_t kTableRowsMax = 60;

class AnswerWriter {
public:
    AnswerWriter(const Question& q, const Schema& schema, const Result& result)
        : q_(q), schema_(schema), result_(result), zh_(q.language == Language::Chinese) {}

    std::string write(const std::string& chart_file);

private:
    // A sentence with these values, cells, figures and what the question is about.
    [[nodiscard]] std::string say(std::string_view sentence_name, const Values& values = {}) const;
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
    template <class Named>
    [[nodiscard]] std::string name(const Named& named) const {
        return escaped(name_of(q_, schema_, named));
    }
    [[nodiscard]] std::string colon() const { return zh_ ? ":" : ": "; }
    [[nodiscard]] bool is_low() const { return q_.order == Order::Lowest; }

    // ---- conditions in words
    [[nodiscard]] std::string condition(const Filter& f) const;
    [[nodiscard]] static std::string condition_tail(const Filter& f);  // " > 75,000"
    static std::string bound(double value);                            // 2015 may be a year
    static std::string plain(double value);
    [[nodiscard]] std::string dates(const TimeSpan& time) const;
    [[nodiscard]] std::string conditions(const std::vector<Filter>& filters) const;
    [[nodiscard]] std::string in_brackets(const std::string& text) const;
    [[nodiscard]] std::string scope() const;  // " (region = North; 120 rows)"

    // ---- what is told beside the figures
    [[nodiscard]] std::string remarks() const;
    [[nodiscard]] std::string table(std::size_t most = kTableRowsMax) const;
    [[nodiscard]] std::string nothing() const;

    // ---- the intents
    [[nodiscard]] std::string body() const;
    [[nodiscard]] std::string rows() const;
    [[nodiscard]] std::string period() const;
    [[nodiscard]] std::string aggregate() const;
    [[nodiscard]] bool is_across() const;
    [[nodiscard]] std::string keys_text() const;
    [[nodiscard]] std::string single() const;
    [[nodiscard]] std::string extreme() const;
    [[nodiscard]] std::string periods() const;
    [[nodiscard]] std::string key_text(std::size_t row) const;
    [[nodiscard]] std::string ranking() const;
    [[nodiscard]] std::string first_of_ranking(const std::string& what) const;
    [[nodiscard]] std::string range(std::size_t value) const;
    [[nodiscard]] std::string share() const;
    [[nodiscard]] std::string ratio() const;
    [[nodiscard]] std::string growth() const;
    [[nodiscard]] std::string strength(double r) const;
    [[nodiscard]] std::string correlation() const;
    [[nodiscard]] std::string distribution() const;
    [[nodiscard]] std::string missing() const;
    [[nodiscard]] std::string duplicates() const;

    const Question& q_;
    const Schema& schema_;
    const Result& result_;
    bool zh_;
};

}  // namespace atl::offline

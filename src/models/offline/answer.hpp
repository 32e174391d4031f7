#pragma once
// From figures to sentences: what the code's result says, in the language of the question, as
// Markdown. Every number comes out of the result; nothing is made up where it is missing.
//
// Names and values out of a table are escaped, so that a cell cannot become a link, an image or a
// row of the answer's table.
#include "models/offline/question.hpp"
#include "models/offline/schema.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace atl::offline {

using Cell = std::variant<std::monostate, double, std::string>;

struct Result {
    std::vector<std::string> columns;
    std::vector<std::vector<Cell>> rows;
    std::size_t length = 0;  // rows there were; `rows` may hold fewer
    std::vector<std::pair<std::string, Cell>> figures;

    [[nodiscard]] std::optional<double> figure(std::string_view name) const;
};

// The result in a tool's output, if report() printed one.
[[nodiscard]] std::optional<Result> result_in(std::string_view tool_output);

[[nodiscard]] std::string answer(const Question& question, const Schema& schema,
                                 const Result& result, const std::string& chart_file);

// 1234567.891 as "1,234,567.89"; whole numbers without decimals.
[[nodiscard]] std::string number_text(double value);
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace atl::offline

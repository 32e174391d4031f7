#pragma once
// Lists for people: a table with columns as wide as they need, times as ages. What a server sends
// is made printable (base/text.hpp), so that it cannot control the terminal.
#include <string>
#include <string_view>
#include <vector>

namespace atl::cli {

class Table {
public:
    explicit Table(std::vector<std::string> head) : rows_{std::move(head)} {}
    void add(std::vector<std::string> row);
    [[nodiscard]] std::string text() const;

private:
    std::vector<std::vector<std::string>> rows_;
};

// As much of it as so many columns of a terminal hold.
[[nodiscard]] std::string clipped(std::string_view text, std::size_t columns);
// Of the terminal that stderr is; 80 if it does not say.
[[nodiscard]] std::size_t columns_of_stderr();
// How long ago a time of the API was: "42s", "5m", "3h", "2d"; empty when it is none.
[[nodiscard]] std::string age_of(const std::string& time);

}  // namespace atl::cli

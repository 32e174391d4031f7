#include "models/offline/same_values.hpp"

#include "models/offline/data.hpp"
#include "models/offline/text.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace atl::offline {
namespace {

const std::map<std::string, std::vector<std::size_t>>& rows_of_words() {
    static const auto table = [] {
        std::map<std::string, std::vector<std::size_t>> rows;
        const auto same = data_rows("same_values.txt");
        for (std::size_t row = 0; row < same.size(); ++row) {
            for (const std::string_view word : parts_of(same[row].phrases)) {
                rows[std::string(word)].push_back(row);
            }
        }
        return rows;
    }();
    return table;
}

}  // namespace

bool is_other_word_for(const std::string& said, const std::string& value) {
    const auto a = rows_of_words().find(said);
    const auto b = rows_of_words().find(value);
    if (a == rows_of_words().end() || b == rows_of_words().end()) return false;
    return std::ranges::any_of(a->second, [&](std::size_t row) {
        return std::ranges::find(b->second, row) != b->second.end();
    });
}

}  // namespace atl::offline

#include "models/offline/row_families.hpp"

#include "models/offline/data.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace atl::offline {
namespace {

struct Family {
    std::vector<std::vector<Token>> nouns;
    std::vector<std::vector<Token>> verbs;  // what is done in such a row; they count nothing
};

const std::vector<Family>& families() {
    static const auto table = [] {
        std::vector<Family> out;
        for (const DataRow& row : data_rows("row_families.txt")) {
            const std::size_t arrow = std::min(row.phrases.find(" => "), row.phrases.size());
            out.push_back({phrases_of(row.phrases.substr(0, arrow)), {}});
            if (arrow == row.phrases.size()) continue;
            out.back().verbs = phrases_of(row.phrases.substr(arrow + 4));
        }
        return out;
    }();
    return table;
}

bool is_word(const std::vector<Token>& noun, const Token& word) {
    return noun.size() == 1 && noun[0].is_word() && noun[0].stem == word.stem;
}

bool is_inside(const std::vector<Token>& noun, const std::vector<Token>& name) {
    for (std::size_t i = 0; i + noun.size() <= name.size(); ++i) {
        if (matches_at(name, i, noun)) return true;
    }
    return false;
}

// What the table itself calls a row: its file, what tells its rows apart, its dates.
std::vector<Token> own_words(const Table& table) {
    std::vector<Token> words = table.words;
    words.insert(words.end(), table.row_words.begin(), table.row_words.end());
    for (const Column& column : table.columns) {
        const bool is_unique = (column.distinct + column.missing) * 100 >= table.rows * 98;
        if (!column.is_id || !is_unique) continue;
        words.insert(words.end(), column.strong.begin(), column.strong.end());
    }
    std::erase_if(words, [](const Token& word) { return !word.is_word(); });
    return words;
}

}  // namespace

void add_row_family(Table& table) {
    const auto words = own_words(table);
    for (const Family& family : families()) {
        const auto& nouns = family.nouns;
        const bool is_own = std::ranges::any_of(nouns, [&](const auto& noun) {
            return std::ranges::any_of(words,
                                       [&](const Token& word) { return is_word(noun, word); }) ||
                   std::ranges::any_of(table.row_nouns,
                                       [&](const auto& name) { return is_inside(noun, name); });
        });
        if (!is_own) continue;
        for (const auto& noun : nouns) table.row_names.push_back(noun);
        for (const auto& verb : family.verbs) table.row_verbs.push_back(verb[0]);
    }
}

}  // namespace atl::offline

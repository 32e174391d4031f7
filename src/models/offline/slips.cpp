#include "models/offline/slips.hpp"

#include "models/offline/plain_words.hpp"
#include "models/offline/row_families.hpp"

#include <algorithm>

namespace atl::offline {
namespace {

bool holds(const std::vector<Token>& words, const Token& said) {
    return std::any_of(words.begin(), words.end(), [&](const Token& word) {
        return word.text == said.text || word.stem == said.stem;
    });
}

bool is_of_table(const Table& table, const Token& said) {
    if (holds(table.words, said)) return true;
    return std::any_of(table.columns.begin(), table.columns.end(), [&](const Column& column) {
        return holds(column.words, said) ||
               std::any_of(column.value_words.begin(), column.value_words.end(),
                           [&](const auto& words) { return holds(words, said); });
    });
}

}  // namespace

void correct_slips(std::vector<Token>& tokens, const Schema& schema) {
    for (Token& token : tokens) {
        const std::string meant = meant_by_slip(token);
        if (meant.empty() || is_plain_word(token) || is_concept_word(token) ||
            is_family_word(token)) {
            continue;
        }
        const bool is_explained =
            std::any_of(schema.tables.begin(), schema.tables.end(),
                        [&](const Table& table) { return is_of_table(table, token); });
        if (is_explained) continue;
        token.text = meant;
        token.stem = stem_of(meant);
    }
}

}  // namespace atl::offline

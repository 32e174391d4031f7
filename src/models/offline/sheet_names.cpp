#include "models/offline/sheet_names.hpp"
#include "models/offline/data.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace atl::offline {
namespace {

struct Place {
    std::size_t table = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
};

std::string joined_words(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
    std::string text;
    for (std::size_t i = begin; i < end; ++i) {
        if (!tokens[i].is_sign()) text += tokens[i].text;
    }
    return text;
}

std::string joined_words(const std::vector<Token>& tokens) {
    return joined_words(tokens, 0, tokens.size());
}

bool is_sheet_word(const Token& token) {
    static const std::set<std::string> kWords = {"sheet", "worksheet", "tab", "表", "页", "签"};
    return kWords.contains(token.stem) || kWords.contains(token.text);
}

bool is_one_of(const Token& token, const std::set<std::string>& words) {
    return words.contains(token.text);
}

// Widened over "on the sheet called" before it and "sheet", 工作表 behind it.
bool takes_sheet_words(const std::vector<Token>& tokens, Place& place) {
    static const std::set<std::string> kCalled = {"called", "named", "the", "名", "为", "“", "\""};
    static const std::set<std::string> kBefore = {"工", "作", "子", "分", "标"};
    bool found = false;
    std::size_t begin = place.begin;
    while (begin > 0 && is_one_of(tokens[begin - 1], kCalled)) --begin;
    if (begin > 0 && is_sheet_word(tokens[begin - 1])) {
        found = true;
        place.begin = begin - 1;
        while (place.begin > 0 && is_one_of(tokens[place.begin - 1], kBefore)) --place.begin;
    }
    std::size_t end = place.end;
    while (end < tokens.size() && is_one_of(tokens[end], kBefore)) ++end;
    if (end < tokens.size() && is_sheet_word(tokens[end])) {
        found = true;
        place.end = end + 1;
    }
    return found;
}

bool takes_preposition(const std::vector<Token>& tokens, Place& place) {
    static const auto& kPrepositions = word_list("takes preposition prepositions");
    std::size_t begin = place.begin;
    if (begin > 0 && tokens[begin - 1].text == "the") --begin;
    if (begin == 0 || !is_one_of(tokens[begin - 1], kPrepositions)) return false;
    place.begin = begin - 1;
    return true;
}

// A column or a value that is called so is meant rather than the sheet.
bool is_in_tables(const std::string& name, const Schema& schema) {
    for (const Table& table : schema.tables) {
        for (const Column& column : table.columns) {
            if (joined_words(column.words) == name) return true;
            for (const auto& value : column.value_words) {
                if (joined_words(value) == name) return true;
            }
        }
    }
    return false;
}

// Said without the word "sheet": only what hardly means anything else.
bool is_telling(const std::string& name) {
    const bool has_digit = name.find_first_of("0123456789") != std::string::npos;
    const bool has_letter = name.find_first_not_of("0123456789") != std::string::npos;
    return (has_digit && has_letter) || (has_han(name) && name.size() >= 6);
}

std::optional<Place> place_of(const std::vector<Token>& tokens, const Schema& schema,
                              std::size_t table) {
    const std::string name = joined_words(tokens_of(schema.tables[table].sheet));
    if (name.empty()) return std::nullopt;
    for (std::size_t begin = 0; begin < tokens.size(); ++begin) {
        for (std::size_t end = begin + 1; end <= std::min(begin + 12, tokens.size()); ++end) {
            if (joined_words(tokens, begin, end) != name) continue;
            Place place{table, begin, end};
            const bool says_sheet = takes_sheet_words(tokens, place);
            const bool is_led = takes_preposition(tokens, place);
            if (says_sheet) return place;
            if ((is_led || is_telling(name)) && !is_in_tables(name, schema)) return place;
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::size_t> take_sheet(std::vector<Token>& tokens, const Schema& schema) {
    std::optional<Place> found;
    for (std::size_t t = 0; t < schema.tables.size(); ++t) {
        if (schema.tables[t].sheet.empty() || schema.tables[t].columns.empty()) continue;
        const auto place = place_of(tokens, schema, t);
        if (!place) continue;
        // "2024" stands in "Costs 2024", too: the longer name is meant
        const bool overlaps = found && place->begin < found->end && found->begin < place->end;
        if (found && !overlaps) return std::nullopt;  // two sheets in one question
        if (!found || place->end - place->begin > found->end - found->begin) found = place;
    }
    if (!found) return std::nullopt;
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(found->begin),
                 tokens.begin() + static_cast<std::ptrdiff_t>(found->end));
    return found->table;
}

}  // namespace atl::offline

#include "models/offline/abbreviations.hpp"

#include <algorithm>
#include <cctype>

namespace atl::offline {
namespace {

constexpr std::size_t kShortMin = 2;
constexpr std::size_t kShortMax = 5;
constexpr std::size_t kLongMin = 5;

bool is_letters(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](unsigned char c) { return std::islower(c) != 0; });
}

// "fg" of "field goal"
bool are_initials(std::string_view name, const std::vector<Token>& tokens, std::size_t begin,
                  std::size_t end) {
    if (name.size() < 2 || end - begin < name.size()) return false;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const Token& token = tokens[begin + i];
        if (token.kind != Token::Kind::Word || token.text.size() < 3) return false;
        if (token.text.front() != name[i]) return false;
    }
    return true;
}

struct Reading {
    const std::vector<Token>& name;
    const std::vector<Token>& tokens;
    std::size_t end;

    // From this word of the name and this token on. Something must have been shortened.
    [[nodiscard]] bool goes(std::size_t word, std::size_t at, bool is_shortened) const {
        if (word == name.size()) return at == end && is_shortened;
        if (at == end) return false;
        const Token& part = name[word];
        if ((part.stem == tokens[at].stem) && goes(word + 1, at + 1, is_shortened)) return true;
        if (is_short_for(part.text, tokens[at].text) && goes(word + 1, at + 1, true)) return true;
        return are_initials(part.text, tokens, at, end) &&
               goes(word + 1, at + part.text.size(), true);
    }
};

}  // namespace

bool is_short_for(std::string_view name, std::string_view word) {
    if (name.size() < kShortMin || name.size() > kShortMax) return false;
    if (word.size() < kLongMin || word.size() < name.size() + 2) return false;
    if (!is_letters(name) || !is_letters(word) || name.front() != word.front()) return false;
    if (word.starts_with(name)) return name.size() >= 3;
    std::size_t at = 1;
    for (std::size_t i = 1; i < name.size(); ++i) {
        const auto found = word.find(name[i], at);
        if (found == std::string_view::npos) return false;
        at = found + 1;
    }
    return name.size() >= 3;
}

int short_likeness(std::string_view name, std::string_view word) {
    if (word.starts_with(name)) return 2;
    const auto without_plural = [](std::string_view text) {
        return text.size() > 2 && text.ends_with('s') ? text.substr(0, text.size() - 1) : text;
    };
    return without_plural(name).back() == without_plural(word).back() ? 1 : 0;
}

bool is_name_shortened(const std::vector<Token>& name, const std::vector<Token>& tokens,
                       std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        if (tokens[i].kind != Token::Kind::Word) return false;
    }
    return !name.empty() && Reading{name, tokens, end}.goes(0, begin, false);
}

}  // namespace atl::offline

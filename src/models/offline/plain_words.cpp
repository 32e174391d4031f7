#include "models/offline/plain_words.hpp"

#include "models/offline/data.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

namespace atl::offline {
namespace {

// English and Chinese words alike; those of several characters are joined.
const std::set<std::string>& plain() {
    static const auto words = [] {
        std::set<std::string> out;
        for (const DataRow& row : data_rows("plain_words.txt")) {
            std::istringstream in{row.phrases};
            for (std::string word; in >> word;) {
                out.insert(stem_of(word));
                out.insert(word);
            }
        }
        return out;
    }();
    return words;
}

// ran, running, runs: the endings of a verb apart
bool is_form(const std::string& word) {
    static constexpr std::array<std::string_view, 4> kEndings = {"ing", "ed", "es", "ly"};
    return std::ranges::any_of(kEndings, [&](std::string_view ending) {
        if (word.size() < ending.size() + 3 || !word.ends_with(ending)) return false;
        std::string stem = word.substr(0, word.size() - ending.size());
        if (plain().contains(stem) || plain().contains(stem + "e")) return true;
        const bool is_double = stem.size() > 3 && stem[stem.size() - 1] == stem[stem.size() - 2];
        if (is_double) stem.pop_back();
        return is_double && plain().contains(stem);
    });
}

}  // namespace

bool is_plain_word(const Token& token) {
    return plain().contains(token.text) || plain().contains(token.stem) || is_form(token.text);
}

std::size_t plain_length(const std::vector<Token>& tokens, std::size_t at) {
    constexpr std::size_t kLongest = 4;
    std::string word;
    std::size_t found = 0;
    for (std::size_t n = 1; n <= kLongest && at + n <= tokens.size(); ++n) {
        word += tokens[at + n - 1].text;
        if (plain().contains(word)) found = n;
    }
    return found;
}

}  // namespace atl::offline

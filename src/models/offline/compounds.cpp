#include "models/offline/compounds.hpp"

#include "models/offline/vocabulary.hpp"

#include <algorithm>

namespace atl::offline {
namespace {

constexpr std::size_t kTokensOfName = 8;

struct Pairing {
    const std::vector<Token>& name;
    const std::vector<Token>& tokens;
    std::size_t end;

    // Units and weak words: (kg), _name
    [[nodiscard]] bool is_over(std::size_t word) const {
        return std::all_of(
            name.begin() + static_cast<std::ptrdiff_t>(word), name.end(), [&](const Token& rest) {
                return is_weak(rest) || rest.kind == Token::Kind::Sign || rest.kind != name[0].kind;
            });
    }

    [[nodiscard]] bool goes(std::size_t word, std::size_t at, std::size_t parts) const {
        if (at == end) return parts > 1 && is_over(word);
        if (word >= name.size()) return false;
        return std::any_of(concepts().begin(), concepts().end(),
                           [&](const Concept& about) { return goes_by(about, word, at, parts); });
    }

    [[nodiscard]] bool goes_by(const Concept& about, std::size_t word, std::size_t at,
                               std::size_t parts) const {
        for (const auto& named : about.phrases) {
            if (named[0].kind != name[0].kind || word + named.size() > name.size()) continue;
            if (!matches_at(name, word, named)) continue;
            for (const auto& said : about.phrases) {
                if (said[0].kind != tokens[at].kind || at + said.size() > end) continue;
                if (!matches_at(tokens, at, said)) continue;
                if (goes(word + named.size(), at + said.size(), parts + 1)) return true;
            }
        }
        return false;
    }
};

}  // namespace

bool is_compound_of(const std::vector<Token>& name, const std::vector<Token>& tokens,
                    std::size_t begin, std::size_t end) {
    if (name.size() < 2 || end - begin < 2 || end - begin > kTokensOfName) return false;
    const Token::Kind said = tokens[begin].kind;
    const bool is_other = (said == Token::Kind::Word && name[0].kind == Token::Kind::Han) ||
                          (said == Token::Kind::Han && name[0].kind == Token::Kind::Word);
    if (!is_other) return false;
    for (std::size_t i = begin; i < end; ++i) {
        if (tokens[i].kind != said) return false;
    }
    return Pairing{name, tokens, end}.goes(0, begin, 0);
}

}  // namespace atl::offline

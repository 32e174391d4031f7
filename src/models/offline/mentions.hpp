#pragma once
// Which columns and values of the tables a question speaks of, matched loosely: other spellings,
// plurals, synonyms, parts of a name, typing errors. Each place keeps all that it may mean with a
// score; who reads the question chooses (understand.hpp).
#include "models/offline/dates.hpp"
#include "models/offline/schema.hpp"

#include <string>
#include <vector>

namespace atl::offline {

struct Candidate {
    Field field;
    int score = 0;
    std::string value;  // of a value mention
};

struct Mention {
    bool is_value = false;
    std::size_t begin = 0;  // tokens
    std::size_t end = 0;
    std::vector<Candidate> candidates;  // the best first
};

// A score from here on is the column's own name; below it a synonym, a part or a typing error.
inline constexpr int kOwnName = 90;

[[nodiscard]] std::vector<Mention> mentions_of(const std::vector<Token>& tokens,
                                               const std::vector<Tag>& tags,
                                               const std::vector<TimeSpan>& times,
                                               const Schema& schema);

}  // namespace atl::offline

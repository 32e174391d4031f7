#pragma once
// A question as tokens: English words with their stems, Chinese as single characters, numbers and
// written-out dates as values. Phrases of both languages are then sequences of tokens alike.
//
// Pure functions on UTF-8; bytes that are none are passed over. No limit of its own on the length:
// the caller cuts the question first (conversation.hpp).
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::offline {

struct Token {
    enum class Kind { Word, Han, Number, Date, Sign };
    Kind kind = Kind::Word;
    std::string text;  // lower case; full-width signs as ASCII
    std::string stem;  // what is compared
    std::string as_written;
    double number = 0;  // Number; years and counts alike
    std::string date;   // Date: "2024-03-05" or "2024-03"
    bool is_quoted = false;
    bool is_bracketed = false;

    [[nodiscard]] bool is_word() const { return kind == Kind::Word; }
    [[nodiscard]] bool is_han() const { return kind == Kind::Han; }
    [[nodiscard]] bool is_number() const { return kind == Kind::Number; }
    [[nodiscard]] bool is_date() const { return kind == Kind::Date; }
    [[nodiscard]] bool is_sign() const { return kind == Kind::Sign; }
};

[[nodiscard]] std::vector<Token> tokens_of(std::string_view text);
// A column's name: also split at capitals and underscores.
[[nodiscard]] std::vector<Token> tokens_of_name(std::string_view name);

// The words and phrases of a list, "sum|in total|合计": as they stand there, and as tokens.
[[nodiscard]] std::vector<std::string_view> parts_of(std::string_view list);
[[nodiscard]] std::vector<std::vector<Token>> phrases_of(std::string_view list);

[[nodiscard]] std::string stem_of(std::string_view word);
[[nodiscard]] bool has_han(std::string_view text);
// "three" and 三 as 3.
[[nodiscard]] std::optional<double> number_word(const Token& token);

// Where `phrase` stands in `tokens` from `at` on, compared by stems.
[[nodiscard]] bool matches_at(const std::vector<Token>& tokens, std::size_t at,
                              const std::vector<Token>& phrase);

}  // namespace atl::offline

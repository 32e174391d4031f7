#pragma once
// What was said earlier in a conversation, as a model is told it: quoted lines behind the question
// that they were found for. One format, written by agent and read by models/offline.
//
//     What is the budget?
//
//     [From earlier in this conversation, found for this question. …]
//     > [turn 3] user: remember that the budget is 4711,
//     >   for marketing
//     > [turn 3] answer: Noted.
//
// Pure functions. Trusts nothing: whatever a quoted text holds, it cannot end its quotation or
// begin another one, for every line of it stands behind "> " and the later ones are indented.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace atl::core {

struct Quote {
    std::uint64_t turn = 0;
    std::string who;  // user, answer, output
    std::string text;

    bool operator==(const Quote&) const = default;
};

// As it stands in a block, with the ends of its lines.
[[nodiscard]] std::string quoted(const Quote& quote);
// What opens the block behind a question, empty lines before it included.
[[nodiscard]] std::string_view quotes_opening() noexcept;

// The question without the block behind it, and what the block holds.
[[nodiscard]] std::string_view without_quotes(std::string_view message) noexcept;
[[nodiscard]] std::vector<Quote> quotes_in(std::string_view message);

}  // namespace atl::core

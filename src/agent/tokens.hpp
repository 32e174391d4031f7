#pragma once
// How many tokens a text has, about: what budgets are made of before a provider has counted.
//
// Tokenizers differ, and none of them is here. A letter of a Latin text is a quarter of a token, a
// character of any other script one: a little above what the common ones make of it, so that what
// fits by this estimate fits.
#include "core/chat.hpp"

#include <cstdint>
#include <string_view>

namespace atl::agent {

[[nodiscard]] std::uint64_t estimate_tokens(std::string_view text) noexcept;
// Includes what a message costs in addition to its text.
[[nodiscard]] std::uint64_t estimate_tokens(const core::ChatMessage& message) noexcept;
[[nodiscard]] std::uint64_t estimate_tokens(const core::ChatRequest& request) noexcept;

}  // namespace atl::agent

#pragma once
// Estimates how many tokens a text has, for budgets, before a provider has counted them.
//
// Tokenizers differ, and none is used here. A letter of a Latin script counts as a quarter of a
// token, a character of any other script as one. That is slightly more than common tokenizers
// count, so a text that fits by this estimate fits.
#include "core/chat.hpp"

#include <cstdint>
#include <string_view>

namespace atl::agent {

[[nodiscard]] std::uint64_t estimate_tokens(std::string_view text) noexcept;
// Includes what a message costs in addition to its text.
[[nodiscard]] std::uint64_t estimate_tokens(const core::ChatMessage& message) noexcept;
[[nodiscard]] std::uint64_t estimate_tokens(const core::ChatRequest& request) noexcept;

}  // namespace atl::agent

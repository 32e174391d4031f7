#pragma once
// What the analyst does next, as a pure function of the conversation: look at the files, run code,
// or answer. It keeps nothing between calls; what it did before it reads in the messages.
#include "core/chat.hpp"

#include <optional>
#include <string>

namespace atl::offline {

struct Step {
    std::string code;    // to be run with run_python; empty: `answer` is final
    std::string answer;  // Markdown
};

[[nodiscard]] Step next_step(const core::ChatRequest& request);

}  // namespace atl::offline

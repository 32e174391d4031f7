#pragma once
// A summary of some turns: written by the model, or made of sentences that are taken out of the
// text where there is no language model or it fails.
//
// Without a model, it takes what the user asked to remember first, then sentences with numbers and
// names. Each line has its turn and its speaker, so summaries can be summarised in the same way.
//
// Threads   one, the executor's.
// Trusts    nothing in the texts: they are quoted to the model and labelled as material. Its answer
//           is truncated, and used as lines of a summary only.
// On failure of the model, the other summary is used; there is no error.
#include "agent/cancellation.hpp"
#include "agent/memory.hpp"
#include "agent/past_turns.hpp"
#include "core/chat_provider.hpp"
#include "core/quotes.hpp"

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace atl::agent {

// What a summary is made of: texts of turns, cut where they are long.
using Material = std::vector<core::Quote>;
[[nodiscard]] Material material_of(const std::vector<PastTurn>& turns);
[[nodiscard]] Material material_of(const std::vector<Summary>& summaries);

// Lines "[turn 3] user: …" with about so many tokens, in the order of the turns.
[[nodiscard]] std::string extracted(const Material& material, std::uint64_t tokens_max);

// What the model is asked, and its answer as lines of a summary; empty: it is of no use.
[[nodiscard]] core::ChatRequest summary_request(const Material& material);
[[nodiscard]] std::string lines_of_answer(std::string_view answer);

class Summariser {
public:
    // The model is borrowed; null, or one that is called offline: there is no language model.
    Summariser(core::ChatModel* model, std::chrono::milliseconds time_max)
        : model_(model), time_max_(time_max) {}

    [[nodiscard]] bool has_model() const {
        return model_ != nullptr && model_->info().provider != core::kOffline;
    }
    // Text and by_model are set; what it covers is the caller's.
    boost::asio::awaitable<Summary> make(Material material, bool by_model,
                                         Cancellation& cancellation) const;

private:
    core::ChatModel* model_;
    std::chrono::milliseconds time_max_;
};

}  // namespace atl::agent

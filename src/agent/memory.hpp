#pragma once
// What a thread remembers of turns that are no longer sent: summaries in layers, as
// ThreadRecord::memory_json keeps them.
//
//     layer 2 ┌──────────────────────────────┐
//     layer 1                                ┌─────────┬─────────┐
//     layer 0                                                    ┌──┬──┬──┐
//     turns   1 …                                                          │ … the latest
//
// Summaries cover the messages from the first on without a gap, the old ones in high layers. When a
// layer has kFold of them they are folded into one of the next, so there are a few for each layer,
// and as many layers as the thread's length has digits: what is kept is bounded, however long it
// is.
//
// A summary names the messages that it covers, and nothing else depends on it: one that is lost or
// written twice (by two servers) costs work, never a message. Summaries that cannot be read are
// created again.
//
// Pure functions. Trusts nothing that stands in memory_json.
#include "schema/json.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::agent {

inline constexpr std::size_t kFold = 6;
inline constexpr std::uint64_t kSummaryTokens = 300;        // of one
inline constexpr std::size_t kSummaryBytesMax = 2u << 10;   // of one
inline constexpr std::size_t kMemoryBytesMax = 128u << 10;  // of all

struct Summary {
    std::uint64_t layer = 0;
    std::uint64_t first = 0, last = 0;  // sequences of its messages
    std::uint64_t first_turn = 0, last_turn = 0;
    bool by_model = false;  // else: sentences taken out of the text
    std::string text;       // lines
};
ATOLL_DESCRIBED(Summary);

struct Memory {
    std::uint64_t version = 1;
    std::vector<Summary> summaries;  // the oldest first

    // The last message that a summary covers, 0: none.
    [[nodiscard]] std::uint64_t covered() const noexcept {
        return summaries.empty() ? 0 : summaries.back().last;
    }
    // A run of kFold summaries of one layer, to be folded: where it begins.
    [[nodiscard]] std::optional<std::size_t> due() const noexcept;
    // Puts a summary of these kFold in their place; its range and layer are set here.
    void fold(std::size_t from, Summary folded);
};
ATOLL_DESCRIBED(Memory);

[[nodiscard]] std::string text_of(const Memory& memory);
// Of a thread with so many messages. Empty when it is none, or of another thread's length.
[[nodiscard]] Memory memory_in(std::string_view json, std::uint64_t messages);

}  // namespace atl::agent

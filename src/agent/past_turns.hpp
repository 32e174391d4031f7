#pragma once
// The turns of a thread as contexts, summaries and the index take them: read in bounded pieces,
// from the end backwards or from a place on, and told to a model in three forms.
//
//     Whole     as it was
//     Short     outputs of tools and long arguments cut in the middle, with a note
//     Brief     the question and the last answer, cut as well; no tools
//
// Threads   one, the executor's. Trusts    the store.
// On failure ErrorException of the store.
#include "core/chat.hpp"
#include "core/threads.hpp"

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <optional>
#include <vector>

namespace atl::agent {

struct PastTurn {
    std::uint64_t number = 0;
    std::vector<core::ThreadMessage> messages;  // at least one

    [[nodiscard]] std::uint64_t first() const { return messages.front().sequence; }
    [[nodiscard]] std::uint64_t last() const { return messages.back().sequence; }
};

// Turn by turn, the latest first.
class TurnsBack {
public:
    // Messages below `before`. The store is borrowed.
    TurnsBack(core::Threads& threads, ThreadId id, std::uint64_t before)
        : threads_(threads), id_(std::move(id)), before_(before) {}

    // Nothing: the beginning is reached.
    boost::asio::awaitable<std::optional<PastTurn>> next();

private:
    boost::asio::awaitable<void> read_window();

    core::Threads& threads_;
    ThreadId id_;
    std::uint64_t before_;  // what is not read yet ends here
    std::vector<core::ThreadMessage> window_;
};

struct TurnsQuery {
    ThreadId id{""};
    std::uint64_t from = 1;   // the first message of a turn
    std::uint64_t until = 0;  // the last message of a turn
    std::size_t turns_max = 0;
    std::size_t bytes_max = 0;  // about
};
struct SomeTurns {
    std::vector<PastTurn> turns;
    bool all = false;  // up to `until`
};
// In their order; whole turns, and at least one if there is one, though a huge one may lack its
// end.
boost::asio::awaitable<SomeTurns> read_turns(core::Threads& threads, TurnsQuery query);

using Chat = std::vector<core::ChatMessage>;

// The messages of a thread as a model is told them. A call without an answer (its turn was cut off)
// gets one that says so: providers refuse a conversation with a loose end.
[[nodiscard]] Chat as_chat(const std::vector<core::ThreadMessage>& messages);
// Neither has more tokens than the form before it.
[[nodiscard]] Chat shortened(const Chat& whole);
[[nodiscard]] Chat brief(const Chat& whole);
[[nodiscard]] std::uint64_t estimate_tokens(const Chat& chat) noexcept;

// How many tokens the forms of a turn have.
struct TurnSizes {
    std::uint64_t whole = 0;
    std::uint64_t shortened = 0;
    std::uint64_t brief = 0;
};
enum class Form { Whole, Short, Brief };

// Both take the latest turn first, and answer so. Outputs are shortened before a turn is left out.
//
// All turns, the older ones short as far as they must be; nothing when they do not fit even so.
[[nodiscard]] std::optional<std::vector<Form>> fit_all(const std::vector<TurnSizes>& latest_first,
                                                       std::uint64_t tokens_max);
// As many as fit: the latest whole, the ones before them short; the answer ends where the room
// does. Of the very latest the brief form is taken where no other fits.
[[nodiscard]] std::vector<Form> fit_latest(const std::vector<TurnSizes>& latest_first,
                                           std::uint64_t tokens_max);

}  // namespace atl::agent

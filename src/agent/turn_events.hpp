#pragma once
// What clients hear of a turn, as JSON: the data of its events. `code_start`, `code_output`,
// `code_end` and `code_run` are those of message_details.hpp, `image` is an ImageLink, `table` a
// TableData, `result` a TurnResult.
#include "agent/live_output.hpp"
#include "agent/live_turn.hpp"
#include "agent/message_details.hpp"

namespace atl::agent {

struct TextEvent {  // status, token, reasoning
    std::string text;
};
ATOLL_DESCRIBED(TextEvent);

// A tool that runs no code.
struct ToolEvent {
    std::string tool;
    std::string arguments;
    std::string output;
    double exec_ms = 0;
    bool failed = false;
};
ATOLL_DESCRIBED(ToolEvent);

struct DoneEvent {
    TurnTimings timings_ms;
    std::string container_state;
    std::string thread_id;
    std::uint64_t turn = 0;
    std::string answer;
    std::vector<ImageLink> images;
    TurnUsage usage;
    std::string model;
    std::optional<std::string> stopped;
};
ATOLL_DESCRIBED(DoneEvent);

struct ErrorEvent {
    std::string message;
};
ATOLL_DESCRIBED(ErrorEvent);

// {"text": …}, the one that is made for each token.
[[nodiscard]] std::string text_event(std::string_view text);
[[nodiscard]] CodeStart start_of(std::uint64_t run, std::string_view code,
                                 std::string_view language);
// {"run": 1, "stream": …}: while code runs, up to ten a second.
[[nodiscard]] std::string output_event(std::uint64_t run, const LiveOutput::Piece& piece);
// {"run": 1, "data": {…}}
[[nodiscard]] std::string result_event(std::uint64_t run, const StoredResult& result);
[[nodiscard]] DoneEvent done_event(const LiveTurn& turn);

}  // namespace atl::agent

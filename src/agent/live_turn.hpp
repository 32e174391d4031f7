#pragma once
// A turn while it goes on, and for a while after: what its clients follow.
//
// Shared by the turn itself and by everybody who watches it: whoever leaves last ends it.
// Threads   one, the executor's.
#include "agent/message_details.hpp"
#include "agent/stop.hpp"
#include "agent/turn_log.hpp"
#include "core/threads.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace atl::agent {

// How a turn ended, for who waited for one answer.
struct TurnOutcome {
    std::string answer;  // all that was said, as the tokens were
    std::vector<CodeRun> code_runs;
    std::vector<ImageLink> images;
    std::vector<TableData> tables;
    TurnTimings timings_ms;
    std::string container_state = "cold";
    TurnUsage usage;
    std::string model;
    std::string stopped;
    std::optional<Error> error;  // a sentence for a person
};

class LiveTurn {
public:
    using Clock = std::chrono::steady_clock;

    LiveTurn(boost::asio::any_io_executor executor, ThreadId id)
        : thread(std::move(id)), log(std::move(executor)) {}

    const ThreadId thread;
    std::uint64_t number = 0;  // 0 until it has begun
    // From its beginning to its end in the store: meanwhile its sandbox stays at this server. One
    // that waits for a turn elsewhere holds nothing, for that turn may need the sandbox.
    bool holds = false;
    // From the store, so its events are not those that a client saw when it happened.
    bool told_again = false;
    TurnLog log;
    Stop stop;
    TurnOutcome outcome;  // grows; whole when the log has ended
    Clock::time_point asked_at = Clock::now();
    Clock::time_point ended_at{};
};

}  // namespace atl::agent

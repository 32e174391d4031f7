#pragma once
// A running turn, and for a while after its end: the state that its clients follow.
//
// Shared by the turn itself and by all clients that follow it; the last one destroys it.
// Threads   one, the executor's.
#include "agent/cancellation.hpp"
#include "agent/message_details.hpp"
#include "agent/turn_log.hpp"
#include "core/threads.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace atl::agent {

inline constexpr std::size_t kCellBytes = 48;  // of a table, about

struct ShownResult {
    std::uint64_t run = 0;  // of the turn
    StoredResult result;
};

// How a turn ended, for who waited for one answer.
struct TurnOutcome {
    std::string answer;  // all that was said, as the tokens were
    std::vector<CodeRun> code_runs;
    std::vector<ImageLink> images;
    std::vector<MadeFile> files;  // other ones that code left in /data/outputs
    std::vector<TableData> tables;
    std::vector<ShownResult> results;
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

    class [[nodiscard]] Awaited {
    public:
        explicit Awaited(LiveTurn& turn) : turn_(turn) { ++turn_.awaited; }
        Awaited(const Awaited&) = delete;
        Awaited& operator=(const Awaited&) = delete;
        ~Awaited() { --turn_.awaited; }

    private:
        LiveTurn& turn_;
    };

    // What it takes, about.
    [[nodiscard]] std::size_t bytes() const {
        std::size_t sum = 1024 + log.bytes() + outcome.answer.size();
        for (const auto& run : outcome.code_runs) sum += run.code.size() + run.output.size();
        for (const auto& shown : outcome.results) sum += 128 + shown.result.json.size();
        for (const auto& table : outcome.tables) {
            sum += table.rows.size() * (64 + table.columns.size() * kCellBytes);
        }
        return sum;
    }
    void forget() {
        log.drop();
        outcome.answer = {};
        outcome.code_runs = {};
        outcome.images = {};
        outcome.files = {};
        outcome.tables = {};
        outcome.results = {};
        forgotten = true;
    }

    const ThreadId thread;
    std::uint64_t number = 0;  // 0 until it has begun
    // From its beginning to its end in the store: meanwhile its sandbox stays at this server. One
    // that waits for a turn elsewhere holds nothing, for that turn may need the sandbox.
    bool holds = false;
    // From the store, so its events are not those that a client saw when it happened.
    bool told_again = false;
    TurnLog log;
    Cancellation cancellation;
    TurnOutcome outcome;  // grows; whole when the log has ended
    // Its events and its outcome were let go of after its end, for others needed the memory. The
    // store has them.
    bool forgotten = false;
    std::size_t awaited = 0;  // by so many who want its outcome in one piece; not forgotten then
    Clock::time_point asked_at = Clock::now();
    Clock::time_point ended_at{};
};

}  // namespace atl::agent

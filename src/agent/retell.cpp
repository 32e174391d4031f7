#include "agent/retell.hpp"

#include "agent/message_details.hpp"
#include "agent/pause.hpp"
#include "agent/run_results.hpp"
#include "agent/turn_events.hpp"

namespace atl::agent {

namespace asio = boost::asio;

namespace {

constexpr std::uint64_t kHistoryPageBytes = 8u << 20;
constexpr std::chrono::milliseconds kLookAgain{300};

// Turns are numbered in the order of their messages: halving finds one.
asio::awaitable<std::uint64_t> first_of_turn(core::Threads& store, core::ThreadRecord thread,
                                             std::uint64_t number) {
    std::uint64_t low = 1, high = thread.messages + 1;
    while (low < high) {
        const auto middle = low + (high - low) / 2;
        const auto found = co_await store.read(core::Whose::anyones(), thread.id, middle, 1);
        if (!found.empty() && found.front().turn < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    co_return low;
}

}  // namespace

asio::awaitable<std::optional<Error>> retell(core::Threads& store, std::shared_ptr<LiveTurn> turn,
                                             core::ThreadRecord thread, std::uint64_t number,
                                             std::function<bool()> given_up) {
    turn->number = number;
    auto& outcome = turn->outcome;
    std::uint64_t next = co_await first_of_turn(store, thread, number);
    core::ThreadMessage last;
    for (;;) {
        const auto now = co_await store.get_thread(core::Whose::anyones(), thread.id);
        // A lease that has run out is one of a server that was killed.
        const bool held = now.lease && core::lives(*now.lease, core::time_now());
        const bool over = now.turns > number || !held;
        auto some = co_await store.read(core::Whose::anyones(), thread.id, next, kHistoryPageBytes);
        for (auto& message : some) {
            next = message.sequence + 1;
            if (message.turn != number) continue;
            auto details = details_of(message);
            if (message.role == core::MessageRole::Assistant && !message.content.empty()) {
                if (!outcome.answer.empty()) {
                    outcome.answer += "\n\n";
                    turn->log.add("token", text_event("\n\n"));
                }
                outcome.answer += message.content;
                turn->log.add("token", text_event(message.content));
            }
            if (message.role == core::MessageRole::Tool && details.run) {
                if (const auto end = end_of(*details.run)) {
                    const auto start = start_of(end->run, *details.run->code, end->language);
                    turn->log.add("code_start", schema::to_json(start));
                    turn->log.add("code_end", schema::to_json(*end));
                    CodeRun run{*details.run->code, message.content, details.run->exec_ms};
                    turn->log.add("code_run", schema::to_json(run));
                    outcome.code_runs.push_back(std::move(run));
                }
                for (auto& shown : take_results(*details.run)) {
                    const auto run = details.run->run.value_or(0);
                    turn->log.add("result", result_event(run, shown));
                    outcome.results.push_back({run, std::move(shown)});
                }
                for (const auto& image : details.run->images) {
                    turn->log.add("image", schema::to_json(image));
                    outcome.images.push_back(image);
                }
                if (details.run->table) {
                    turn->log.add("table", schema::to_json(*details.run->table));
                    outcome.tables.push_back(*details.run->table);
                }
            }
            if (details.timings_ms) outcome.timings_ms = *details.timings_ms;
            if (details.usage) outcome.usage = *details.usage;
            if (details.model) outcome.model = *details.model;
            if (details.stopped) outcome.stopped = *details.stopped;
            last = std::move(message);
        }
        if (over || turn->cancellation.requested() || given_up()) break;
        co_await pause(kLookAgain);
    }
    if (last.role == core::MessageRole::Note && outcome.stopped != "cancelled") {
        co_return Error{Code::Unavailable, last.content};
    }
    if (last.role == core::MessageRole::User) {
        co_return Error{Code::Unavailable,
                        "this question has no answer: its server ended; ask it again"};
    }
    co_return std::nullopt;
}

}  // namespace atl::agent

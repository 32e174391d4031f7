// A conversation of 2,000 turns through the stores that the server has: SQLite for the threads, the
// index for what was said. Here and not beside LayeredModelContexts, because only this room knows
// them all.
#include "agent/layered_model_contexts.hpp"
#include "agent/tokens.hpp"
#include "core/threads_bench.hpp"
#include "stores/recall/recall.hpp"
#include "stores/sqlite/store.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

namespace atl::main {

namespace {

namespace asio = boost::asio;
using core::contract::await;
using core::contract::says;
using Clock = std::chrono::steady_clock;

class Folder {
public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "atoll-long-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
        path_ = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

double median(std::vector<double> times, std::size_t from, std::size_t to) {
    const auto begin = times.begin() + static_cast<std::ptrdiff_t>(from);
    const auto end = times.begin() + static_cast<std::ptrdiff_t>(to);
    std::nth_element(begin, begin + (end - begin) / 2, end);
    return *(begin + (end - begin) / 2);
}

}  // namespace

// Goal: what is sent fits at every turn, a fact of turn 3 is there at turn 2,000, nothing is lost.
// The times are printed, not judged: a busy machine is no failure.
TEST(LongContext, TwoThousandTurns) {
    constexpr std::uint64_t kTurns = 2'000, kTokens = 4'000;
    asio::io_context loop;
    const Folder folder;
    sqlite::StoreOptions options;
    options.path = folder.file("atoll.db");
    const auto store = sqlite::SqliteStore::open(std::move(options)).value();
    auto& threads = store->threads();
    recall::RecallOptions index;
    index.path = folder.file("recall.db");
    recall::SqliteRecall recall(std::move(index));
    agent::LayeredModelContexts contexts({threads, recall, nullptr, nullptr}, {kTokens, {}, {}});
    await(loop, threads.create_thread(core::contract::thread("t1", "ann"), 0));

    std::vector<double> build_ms, after_ms;
    std::uint64_t most = 0;
    std::size_t memory = 0;
    agent::ModelContext context;
    const auto ms_since = [](Clock::time_point from) {
        return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
    };
    for (std::uint64_t i = 1; i <= kTurns; ++i) {
        std::string question = "What about row " + std::to_string(i) + " of the table, is it fine?";
        if (i == 3) question = "Remember that the budget for marketing is 4711.";
        if (i == kTurns) question = "What was the budget for marketing?";
        auto begun =
            await(loop, threads.begin_turn(core::contract::turn_request("t1", "a", question)));
        agent::ModelContextInput input;
        input.thread = begun.thread;
        input.question = begun.question;
        input.question_text = question;
        input.system = "You are an analyst.";
        input.tokens_max = kTokens;
        auto from = Clock::now();
        context = await(loop, contexts.build(std::move(input)));
        build_ms.push_back(ms_since(from));
        most = std::max(most, agent::estimate_tokens(context.request));
        ASSERT_LE(agent::estimate_tokens(context.request), kTokens) << "turn " << i;
        std::string answer = "Row " + std::to_string(i) + " is as it should be.";
        if (i % 5 == 0) answer += std::string(600, 'x');
        await(loop, threads.end_turn(begun.hold, says(answer)));
        auto now = await(loop, threads.get_thread(core::Whose::anyones(), ThreadId("t1")));
        from = Clock::now();
        await(loop, contexts.turn_ended(std::move(now)));
        after_ms.push_back(ms_since(from));
    }
    const auto& asked = context.request.messages.back().text;
    EXPECT_NE(asked.find("> [turn 3] user: Remember that the budget for marketing is 4711."),
              std::string::npos)
        << asked;
    const auto thread = await(loop, threads.get_thread(core::Whose::anyones(), ThreadId("t1")));
    EXPECT_EQ(thread.messages, 2 * kTurns);
    memory = thread.memory_json.size();
    EXPECT_LE(memory, agent::kMemoryBytesMax);
    std::printf(
        "most tokens %llu of %llu; memory %zu bytes; build p50 %.1f ms at turn 100, %.1f at 1,000, "
        "%.1f at 2,000; afterwards %.1f, %.1f, %.1f\n",
        static_cast<unsigned long long>(most), static_cast<unsigned long long>(kTokens), memory,
        median(build_ms, 50, 150), median(build_ms, 950, 1050), median(build_ms, 1900, 1999),
        median(after_ms, 50, 150), median(after_ms, 950, 1050), median(after_ms, 1900, 1999));
    await(loop, contexts.forget(ThreadId("t1")));
    EXPECT_EQ(await(loop, recall.indexed(ThreadId("t1"))), 0u);
}

}  // namespace atl::main

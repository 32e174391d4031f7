// The contract of core::Threads, kept by SQLite; and what only one server's store promises.
#include "core/threads_contract.hpp"
#include "stores/sqlite/test_support.hpp"

namespace atl::core::contract {

namespace {

class SqliteBench final : public Bench {
public:
    asio::io_context& loop() override { return loop_; }
    Threads& one() override { return store_->threads(); }
    Threads& other() override { return store_->threads(); }

private:
    asio::io_context loop_;
    sqlite::testing::Folder folder_;
    std::unique_ptr<sqlite::SqliteStore> store_ = sqlite::testing::open_store(folder_.file());
};

std::unique_ptr<Bench> make_sqlite() { return std::make_unique<SqliteBench>(); }

}  // namespace

INSTANTIATE_TEST_SUITE_P(Sqlite, ThreadsContract, ::testing::Values(&make_sqlite),
                         [](const auto&) { return std::string("Threads"); });

}  // namespace atl::core::contract

namespace atl::sqlite::testing {

namespace {

using core::contract::says;
using core::contract::thread;
using core::contract::turn_request;

// Goal: a server that starts again need not wait for the leases of its former life.
TEST(SqliteThreads, AfterARestartATurnIsTakenOverAtOnce) {
    Folder folder;
    core::TurnHold lost;
    {
        auto store = open_store(folder.file());
        await(store->threads().create_thread(thread("t1", "ann"), 0));
        lost =
            await(store->threads().begin_turn(turn_request("t1", "first life", "question", "c1")))
                .hold;
        await(store->threads().append(lost, says("half")));
    }
    auto store = open_store(folder.file());
    const auto begun =
        await(store->threads().begin_turn(turn_request("t1", "second life", "question", "c1")));
    EXPECT_TRUE(begun.took_over);
    EXPECT_EQ(begun.question, 1u);
    EXPECT_EQ(error_of(store->threads().append(lost, says("more"))).code, Code::Conflict);
    EXPECT_EQ(await(store->threads().end_turn(begun.hold, says("whole"))), 4u);
}

// Goal: what was answered is there after kill -9, and nothing is there twice or out of order.
TEST(SqliteThreads, WhatWasAnsweredSurvivesAKill) {
    Folder folder;
    for (int life = 0; life < 5; ++life) {
        Child child([&](int out) {
            auto store = open_store(folder.file());
            auto& threads = store->threads();
            if (life == 0) await(threads.create_thread(thread("t1", "ann"), 0));
            for (int i = 0;; ++i) {
                const std::string name = std::to_string(life) + "-" + std::to_string(i);
                const auto begun = await(threads.begin_turn(turn_request("t1", "x", name, name)));
                say(out, "q" + name + "\n");
                await(threads.append(begun.hold, says("some of " + name)));
                await(threads.end_turn(begun.hold, says("answer to " + name)));
                say(out, "a" + name + "\n");
            }
        });
        std::string heard;
        char piece[4096];
        while (heard.size() < 2000) {
            const auto n = ::read(child.heard(), piece, sizeof piece);
            ASSERT_GT(n, 0) << heard;
            heard.append(piece, static_cast<std::size_t>(n));
        }
        child.kill();
        heard += child.listen();
        ASSERT_EQ(heard.find("thrown"), std::string::npos) << heard;

        auto store = open_store(folder.file());
        std::map<std::string, int> contents;
        std::uint64_t expected = 1;
        while (true) {
            const auto more = await(
                store->threads().read(core::Whose::of("ann"), ThreadId("t1"), expected, 1u << 20));
            if (more.empty()) break;
            for (const auto& message : more) {
                EXPECT_EQ(message.sequence, expected++);
                ++contents[message.content];
            }
        }
        std::size_t lines = 0;
        for (std::size_t from = 0, to = 0; (to = heard.find('\n', from)) != std::string::npos;
             from = to + 1) {
            const std::string line = heard.substr(from, to - from);
            const std::string written =
                line[0] == 'q' ? line.substr(1) : "answer to " + line.substr(1);
            EXPECT_EQ(contents[written], 1) << written;
            ++lines;
        }
        EXPECT_GT(lines, 10u);
    }
}

}  // namespace

}  // namespace atl::sqlite::testing

// Numbers, not verdicts: left out unless asked for, and then with a release build.
//
//     stores_sqlite_tests --gtest_also_run_disabled_tests --gtest_filter='*Speed*'
//
// ATOLL_STORE_POWER=1 measures Durability::Power.
#include "stores/sqlite/store.hpp"
#include "stores/sqlite/test_support.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace atl::sqlite {

using namespace testing;
using core::Whose;
using Clock = std::chrono::steady_clock;

namespace {

StoreOptions options() {
    StoreOptions chosen;
    if (std::getenv("ATOLL_STORE_POWER") != nullptr) chosen.durability = Durability::Power;
    return chosen;
}

double seconds_since(Clock::time_point began) {
    return std::chrono::duration<double>(Clock::now() - began).count();
}

void tell(const char* what, std::vector<double> us, double seconds, const SqliteStore& store,
          StoreCounts before) {
    std::sort(us.begin(), us.end());
    const auto commits = store.counts().commits - before.commits;
    std::printf("%-34s %8.0f /s   p50 %7.0f us   p99 %7.0f us   %5.1f a commit\n", what,
                static_cast<double>(us.size()) / seconds, us[us.size() / 2],
                us[us.size() * 99 / 100],
                static_cast<double>(us.size()) / static_cast<double>(commits));
}

}  // namespace

TEST(Speed, DISABLED_AcknowledgedWrites) {
    for (const int writers : {1, 8, 64, 256}) {
        const Folder folder;
        const auto store = open_store(folder.file(), options());
        asio::io_context loop;
        for (int i = 0; i < writers; ++i) {
            const auto record = session("s-" + std::to_string(i), "alice", i);
            await(store->create_session(record, 0));
        }
        std::vector<double> us;
        const auto end = Clock::now() + std::chrono::seconds(3);
        auto write = [&](int i) -> asio::awaitable<void> {
            core::SessionPatch patch;
            const SessionId id("s-" + std::to_string(i));
            const auto whose = Whose::of("alice");
            const std::optional<std::uint64_t> any_generation;
            while (Clock::now() < end) {
                patch.state_note = std::to_string(us.size());
                const auto began = Clock::now();
                co_await store->patch_session(whose, id, patch, any_generation);
                us.push_back(seconds_since(began) * 1e6);
            }
        };
        const auto before = store->counts();
        const auto began = Clock::now();
        for (int i = 0; i < writers; ++i) asio::co_spawn(loop, write(i), asio::detached);
        loop.run();
        const auto what = "session update, " + std::to_string(writers) + " writers";
        tell(what.c_str(), std::move(us), seconds_since(began), *store, before);
    }
}

TEST(Speed, DISABLED_TakeAJob) {
    const Folder folder;
    const auto store = open_store(folder.file(), options());
    constexpr int kJobs = 20'000;
    asio::io_context loop;
    std::vector<double> us;
    int next = 0;
    auto add = [&]() -> asio::awaitable<void> {
        while (next < kJobs) {
            const auto record = job("j-" + std::to_string(next), "alice", next);
            ++next;
            const auto began = Clock::now();
            co_await store->add_job(record, 0);
            us.push_back(seconds_since(began) * 1e6);
        }
    };
    auto before = store->counts();
    auto began = Clock::now();
    for (int i = 0; i < 64; ++i) asio::co_spawn(loop, add, asio::detached);
    loop.run();
    tell("add a job, 64 at once", std::move(us), seconds_since(began), *store, before);
    us.clear();
    int takes = 0;
    auto take = [&](int most) -> asio::awaitable<void> {
        const auto wanted = job_request("one", 1);
        while (takes < most) {
            ++takes;
            const auto start = Clock::now();
            const auto taken = co_await store->take_job(wanted);
            us.push_back(seconds_since(start) * 1e6);
            if (!taken) co_return;
        }
    };
    for (const auto& [takers, most] : {std::pair(1, kJobs / 4), std::pair(64, kJobs)}) {
        us.clear();
        before = store->counts();
        began = Clock::now();
        loop.restart();
        for (int i = 0; i < takers; ++i) asio::co_spawn(loop, take(most), asio::detached);
        loop.run();
        const auto what = "take a job, " + std::to_string(takers) + " takers";
        tell(what.c_str(), std::move(us), seconds_since(began), *store, before);
    }
}

TEST(Speed, DISABLED_AppendToALog) {
    const Folder folder;
    const auto store = open_store(folder.file(), options());
    await(store->add_job(job("j", "alice", 1), 0));
    const auto taken = await(store->take_job(job_request("one", 1)));
    const auto hold = hold_of(*taken);
    std::vector<double> us;
    const std::vector<core::LogPiece> pieces{{core::LogStream::Stdout, std::string(4096, 'x')}};
    asio::io_context loop;
    auto append = [&]() -> asio::awaitable<void> {
        const auto now = at(1);
        while (us.size() < 20'000) {
            const auto began = Clock::now();
            co_await store->append_log(hold, pieces, now, 1u << 30);
            us.push_back(seconds_since(began) * 1e6);
        }
    };
    const auto before = store->counts();
    const auto began = Clock::now();
    for (int i = 0; i < 16; ++i) asio::co_spawn(loop, append, asio::detached);
    loop.run();
    tell("append 4 KiB to a log, 16 at once", std::move(us), seconds_since(began), *store, before);
}

TEST(Speed, DISABLED_OpenAndCheck) {
    const Folder folder;
    {
        const auto store = open_store(folder.file());
        asio::io_context loop;
        auto write = [&](int i) -> asio::awaitable<void> {
            auto record = session("s-" + std::to_string(i), "alice", i);
            record.spec_json = std::string(2000, 'x');
            co_await store->create_session(record, 0);
        };
        for (int part = 0; part < 20; ++part) {
            for (int i = 0; i < 3000; ++i) {
                asio::co_spawn(loop, write(part * 3000 + i), asio::detached);
            }
            loop.run();
            loop.restart();
        }
        core::SessionQuery query{Whose::of("alice"), {}, {}, {}, 1000};
        const auto began = Clock::now();
        EXPECT_EQ(await(store->list_sessions(query)).sessions.size(), 1000u);
        std::printf("list 1000 of 60000 sessions: %.1f ms\n", seconds_since(began) * 1e3);
        query.metadata = {{"nobody", "has this"}};
        const auto again = Clock::now();
        EXPECT_TRUE(await(store->list_sessions(query)).sessions.empty());
        std::printf("look for metadata in all of them: %.1f ms\n", seconds_since(again) * 1e3);
    }
    const auto began = Clock::now();
    const auto store = open_store(folder.file());
    std::printf("open and check %.0f MB: %.0f ms\n",
                static_cast<double>(std::filesystem::file_size(folder.file())) / 1e6,
                seconds_since(began) * 1e3);
}

}  // namespace atl::sqlite

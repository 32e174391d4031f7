// Goal: each call of core::Store keeps its promise, for its owner and for nobody else.
#include "stores/sqlite/store.hpp"

#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/test_support.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>

namespace atl::sqlite {

using namespace testing;
using core::JobState;
using core::SessionState;
using core::Whose;

struct StoreTest : ::testing::Test {
    Folder folder;
    std::unique_ptr<SqliteStore> store = open_store(folder.file());
    void reopen() {
        store.reset();
        store = open_store(folder.file());
    }
};

// ---- Sessions ----

TEST_F(StoreTest, ASessionIsReadAsItWasWritten) {
    auto record = session("s-1", "alice", 1000);
    record.metadata = {{"project", "reef"}, {"empty", ""}, {std::string("n\0l", 3), "\xff\xfe"}};
    record.expires_at = at(9000);
    record.idle_to_warm = std::chrono::seconds(60);
    record.idle_to_cold = std::chrono::seconds(600);
    record.state_note = "lost: a generator";
    record.disk_bytes = 123456;
    const auto made = await(store->create_session(record, 0));
    record.generation = 1;
    EXPECT_EQ(made, record);
    EXPECT_EQ(await(store->get_session(Whose::of("alice"), record.id)), record);
    reopen();
    EXPECT_EQ(await(store->get_session(Whose::anyones(), record.id)), record);
    EXPECT_EQ(error_of(store->create_session(record, 0)).code, Code::Conflict);
}

TEST_F(StoreTest, NamesAreUniqueAmongAnOwnersSessions) {
    auto first = session("s-1", "alice", 1), second = session("s-2", "alice", 2);
    auto others = session("s-3", "bob", 3);
    first.name = second.name = others.name = "taxi";
    await(store->create_session(first, 0));
    EXPECT_EQ(error_of(store->create_session(second, 0)).code, Code::Conflict);
    await(store->create_session(others, 0));
    EXPECT_EQ(await(store->session_named("alice", "taxi")).id, first.id);
    EXPECT_EQ(await(store->session_named("bob", "taxi")).id, others.id);
    EXPECT_EQ(error_of(store->session_named("carol", "taxi")).code, Code::NotFound);
    second.name = "";
    await(store->create_session(second, 0));
    EXPECT_EQ(error_of(store->session_named("alice", "")).code, Code::NotFound);
    core::SessionPatch patch;
    patch.name = "taxi";
    EXPECT_EQ(error_of(store->patch_session(Whose::anyones(), second.id, patch, {})).code,
              Code::Conflict);
    await(store->patch_session(Whose::anyones(), first.id, patch, {}));  // its own
    core::SessionPatch leaving;
    leaving.state = core::SessionState::Deleting;
    await(store->patch_session(Whose::anyones(), first.id, leaving, {}));
    EXPECT_EQ(error_of(store->session_named("alice", "taxi")).code, Code::NotFound);
    await(store->patch_session(Whose::anyones(), second.id, patch, {}));
    EXPECT_EQ(await(store->session_named("alice", "taxi")).id, second.id);
}

TEST_F(StoreTest, NobodyFindsTheSessionOfAnother) {
    const auto record = await(store->create_session(session("s-1", "alice", 1), 0));
    const auto mallory = Whose::of("mallory");
    core::SessionPatch patch;
    patch.name = "mine now";
    EXPECT_EQ(error_of(store->get_session(mallory, record.id)).code, Code::NotFound);
    EXPECT_EQ(error_of(store->patch_session(mallory, record.id, patch, {})).code, Code::NotFound);
    EXPECT_EQ(error_of(store->remove_session(mallory, record.id)).code, Code::NotFound);
    auto stolen = record;
    stolen.owner = "mallory";
    EXPECT_EQ(error_of(store->update_session(stolen)).code, Code::NotFound);
    EXPECT_EQ(await(store->get_session(Whose::of("alice"), record.id)), record);
    core::SessionQuery query{Whose::of("mallory"), {}, {}, {}, 10};
    EXPECT_TRUE(await(store->list_sessions(query)).sessions.empty());
}

TEST_F(StoreTest, AnUpdateOfAnOldGenerationIsAConflict) {
    const auto first = await(store->create_session(session("s-1", "alice", 1), 0));
    auto mine = first;
    mine.state = SessionState::Warm;
    mine.metadata = {{"a", "b"}};
    const auto second = await(store->update_session(mine));
    EXPECT_EQ(second.generation, 2u);
    auto theirs = first;
    theirs.state = SessionState::Cold;
    const auto error = error_of(store->update_session(theirs));
    EXPECT_EQ(error.code, Code::Conflict);
    EXPECT_NE(error.message.find("generation 2, not 1"), std::string::npos) << error.message;
    EXPECT_EQ(await(store->get_session(Whose::anyones(), first.id)), second);
    core::SessionPatch patch;
    patch.state_note = "x";
    EXPECT_EQ(error_of(store->patch_session(Whose::anyones(), first.id, patch, 1)).code,
              Code::Conflict);
    EXPECT_EQ(await(store->patch_session(Whose::anyones(), first.id, patch, 2)).generation, 3u);
}

TEST_F(StoreTest, ATouchMakesNobodysUpdateAConflictAndNeverGoesBack) {
    const auto first = await(store->create_session(session("s-1", "alice", 1000), 0));
    core::SessionPatch touch;
    touch.last_used_at = at(5000);
    touch.disk_bytes = 42;
    const auto touched = await(store->patch_session(Whose::of("alice"), first.id, touch, {}));
    EXPECT_EQ(touched.generation, first.generation);
    touch.last_used_at = at(3000);
    EXPECT_EQ(await(store->patch_session(Whose::of("alice"), first.id, touch, {})).last_used_at,
              at(5000));
    auto update = first;  // still says that it was used at 1000
    update.name = "new";
    EXPECT_EQ(await(store->update_session(update)).last_used_at, at(5000));
}

TEST_F(StoreTest, APatchChangesWhatItNamesAndNothingElse) {
    auto record = session("s-1", "alice", 1);
    record.metadata = {{"a", "1"}};
    record.expires_at = at(100);
    record = await(store->create_session(record, 0));
    core::SessionPatch patch;
    patch.expires_at = std::optional<core::Time>();
    patch.metadata = std::map<std::string, std::string>{{"b", "2"}};
    auto expected = record;
    expected.expires_at.reset();
    expected.metadata = {{"b", "2"}};
    expected.generation = 2;
    EXPECT_EQ(await(store->patch_session(Whose::of("alice"), record.id, patch, {})), expected);
    EXPECT_EQ(await(store->get_session(Whose::of("alice"), record.id)), expected);
}

TEST_F(StoreTest, SessionsArePagedNewestFirstEachOnce) {
    for (int i = 0; i < 57; ++i) {
        // Many share a millisecond, so that the id must break the tie.
        await(store->create_session(session("s-" + std::to_string(i), "alice", i / 10), 0));
    }
    await(store->create_session(session("other", "bob", 3), 0));
    core::SessionQuery query{Whose::of("alice"), {}, {}, {}, 10};
    std::vector<std::pair<core::Time, std::string>> seen;
    int pages = 0;
    do {
        const auto page = await(store->list_sessions(query));
        for (const auto& found : page.sessions) {
            seen.emplace_back(found.created_at, found.id.text());
        }
        query.cursor = page.next_cursor;
        ++pages;
    } while (!query.cursor.empty());
    EXPECT_EQ(pages, 6);
    EXPECT_EQ(seen.size(), 57u);
    EXPECT_TRUE(std::is_sorted(seen.rbegin(), seen.rend()));
    EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), 57u);
}

TEST_F(StoreTest, SessionsAreFoundByStateAndMetadata) {
    for (int i = 0; i < 12; ++i) {
        auto record = session("s-" + std::to_string(i), "alice", i);
        record.metadata = {{"even", i % 2 == 0 ? "yes" : "no"}, {"third", std::to_string(i % 3)}};
        record.state = i < 6 ? SessionState::Cold : SessionState::Warm;
        await(store->create_session(record, 0));
    }
    core::SessionQuery query{Whose::anyones(), {}, {}, {}, 100};
    query.metadata = {{"even", "yes"}, {"third", "0"}};
    EXPECT_EQ(await(store->list_sessions(query)).sessions.size(), 2u);
    query.states = {SessionState::Warm, SessionState::Hot};
    const auto page = await(store->list_sessions(query));
    ASSERT_EQ(page.sessions.size(), 1u);
    EXPECT_EQ(page.sessions[0].id.text(), "s-6");
    EXPECT_EQ(page.sessions[0].metadata.at("third"), "0");
    query.metadata = {{"even", "' OR 1=1 --"}};
    EXPECT_TRUE(await(store->list_sessions(query)).sessions.empty());
}

TEST_F(StoreTest, AListRefusesWhatItCannotBound) {
    struct Row {
        const char* name;
        std::uint32_t limit;
        std::string cursor;
        std::size_t filters;
    };
    const Row rows[] = {
        {"no limit", 0, "", 0},           {"over the limit", 1001, "", 0},
        {"odd cursor", 10, "abc", 0},     {"not hexadecimal", 10, "zz", 0},
        {"no colon", 10, "3131", 0},      {"no number", 10, "3a61", 0},
        {"too many filters", 10, "", 17}, {"huge cursor", 10, std::string(100'000, '3'), 0},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        core::SessionQuery query{Whose::anyones(), {}, {}, row.cursor, row.limit};
        for (std::size_t i = 0; i < row.filters; ++i) query.metadata[std::to_string(i)] = "x";
        EXPECT_EQ(error_of(store->list_sessions(query)).code, Code::InvalidArgument);
    }
    EXPECT_EQ(error_of(store->create_session(session("", "alice", 1), 0)).code,
              Code::InvalidArgument);
    EXPECT_EQ(error_of(store->create_session(session(std::string(129, 'x'), "a", 1), 0)).code,
              Code::InvalidArgument);
}

TEST_F(StoreTest, APageIsBoundedInBytesToo) {
    for (int i = 0; i < 30; ++i) {
        auto record = session("s-" + std::to_string(i), "alice", i);
        record.spec_json = std::string(1u << 20, 'x');
        await(store->create_session(record, 0));
    }
    core::SessionQuery query{Whose::of("alice"), {}, {}, {}, 1000};
    std::size_t seen = 0;
    int pages = 0;
    do {
        const auto page = await(store->list_sessions(query));
        EXPECT_LE(page.sessions.size(), 9u);
        seen += page.sessions.size();
        query.cursor = page.next_cursor;
        ++pages;
    } while (!query.cursor.empty() && pages < 100);
    EXPECT_EQ(seen, 30u);
}

TEST_F(StoreTest, ARecordBeyondTheBackstopIsTooLargeAndHarmsNobody) {
    auto record = session("s-huge", "alice", 1);
    record.spec_json = std::string(65u << 20, 'x');
    EXPECT_EQ(error_of(store->create_session(record, 0)).code, Code::TooLarge);
    EXPECT_EQ(store->health().state, core::StoreHealth::State::Ok);
    await(store->create_session(session("s-1", "alice", 1), 0));
}

TEST_F(StoreTest, AnOwnersLimitHoldsAlsoForThoseWhoAskAtOnce) {
    asio::io_context loop;
    int made = 0;
    int refused = 0;
    for (int i = 0; i < 50; ++i) {
        auto one = [&, i]() -> asio::awaitable<void> {
            auto record = session("s-" + std::to_string(i), "alice", i);
            try {
                co_await store->create_session(record, 7);
                ++made;
            } catch (const ErrorException& e) {
                if (e.error.code == Code::Exhausted) ++refused;
            }
        };
        asio::co_spawn(loop, one, asio::detached);
    }
    loop.run();
    EXPECT_EQ(made, 7);
    EXPECT_EQ(refused, 43);
    core::SessionPatch going;
    going.state = SessionState::Deleting;
    core::SessionQuery query{Whose::of("alice"), {}, {}, {}, 1};
    const auto id = await(store->list_sessions(query)).sessions.at(0).id;
    await(store->patch_session(Whose::of("alice"), id, going, {}));
    await(store->create_session(session("s-more", "alice", 100), 7));
    await(store->create_session(session("s-bob", "bob", 100), 7));
}

TEST_F(StoreTest, ARemovedSessionIsGoneWithItsMetadata) {
    auto record = session("s-1", "alice", 1);
    record.metadata = {{"a", "1"}};
    await(store->create_session(record, 0));
    await(store->remove_session(Whose::of("alice"), record.id));
    EXPECT_EQ(error_of(store->get_session(Whose::anyones(), record.id)).code, Code::NotFound);
    EXPECT_EQ(error_of(store->remove_session(Whose::anyones(), record.id)).code, Code::NotFound);
    record.metadata = {{"a", "2"}};  // would collide with what was left behind
    EXPECT_EQ(await(store->create_session(record, 0)).metadata.at("a"), "2");
}

TEST_F(StoreTest, TheMostOverdueSessionsComeFirst) {
    for (int i = 0; i < 5; ++i) {
        auto record = session("s-" + std::to_string(i), "alice", i);
        if (i != 2) record.expires_at = at(1000 - i);
        if (i == 4) record.state = SessionState::Deleting;
        await(store->create_session(record, 0));
    }
    const auto found = await(store->expired_sessions(at(999), 10));
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].id.text(), "s-3");
    EXPECT_EQ(found[1].id.text(), "s-1");
}

// ---- Jobs ----

TEST_F(StoreTest, AJobGoesFromQueueToEnd) {
    auto asked = job("j-1", "alice", 1000);
    asked.session_id = SessionId("s-9");
    asked.timeout = std::chrono::milliseconds(1500);
    asked.state = JobState::Succeeded;  // not for the caller to say
    asked.attempts = 99;
    const auto added = await(store->add_job(asked, 0));
    EXPECT_EQ(added.state, JobState::Queued);
    EXPECT_EQ(added.attempts, 0u);
    EXPECT_EQ(await(store->get_job(Whose::of("alice"), asked.id)), added);
    EXPECT_EQ(error_of(store->add_job(asked, 0)).code, Code::Conflict);

    const auto taken = await(store->take_job(job_request("one", 2000)));
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->state, JobState::Running);
    EXPECT_EQ(taken->attempts, 1u);
    EXPECT_EQ(taken->started_at, at(2000));
    EXPECT_EQ(taken->lease, (core::Lease{"one", at(32000)}));
    EXPECT_EQ(taken->code, "echo hello");
    EXPECT_FALSE(await(store->take_job(job_request("two", 2000))));

    EXPECT_FALSE(await(store->renew_job(hold_of(*taken), at(50000))));
    core::JobEnd end{JobState::Failed, at(3000), 3, "exit status 3"};
    const auto ended = await(store->finish_job(hold_of(*taken), end));
    EXPECT_EQ(ended.state, JobState::Failed);
    EXPECT_EQ(ended.exit_code, 3);
    EXPECT_EQ(ended.ended_at, at(3000));
    EXPECT_FALSE(ended.lease);
    reopen();
    EXPECT_EQ(await(store->get_job(Whose::of("alice"), asked.id)), ended);
    EXPECT_EQ(error_of(store->finish_job(hold_of(*taken), end)).code, Code::Conflict);
    EXPECT_EQ(error_of(store->renew_job(hold_of(*taken), at(1))).code, Code::Conflict);
}

TEST_F(StoreTest, HighestPriorityFirstThenOldest) {
    struct Row {
        const char* id;
        int priority;
        int created;
    };
    const Row rows[] = {{"c", 0, 5}, {"a", 0, 5}, {"b", 0, 4}, {"urgent", 9, 9}, {"late", -1, 0}};
    for (const auto& row : rows) {
        auto record = job(row.id, "alice", row.created);
        record.priority = row.priority;
        await(store->add_job(record, 0));
    }
    std::string order;
    while (const auto taken = await(store->take_job(job_request("one", 10)))) {
        order += taken->id.text() + " ";
    }
    EXPECT_EQ(order, "urgent b c a late ");  // c before a: it came first in the same millisecond
}

TEST_F(StoreTest, AWishForKindsAndFairSharesIsHeard) {
    for (int i = 0; i < 4; ++i) await(store->add_job(job("a" + std::to_string(i), "alice", i), 0));
    auto gui = job("g", "bob", 100);
    gui.kind = core::JobKind::Gui;
    await(store->add_job(gui, 0));
    auto fair = job_request("one", 10);
    fair.owner_running_max = 2;
    fair.kinds = {core::JobKind::Shell, core::JobKind::Python};
    EXPECT_EQ(await(store->take_job(fair))->id.text(), "a0");
    EXPECT_EQ(await(store->take_job(fair))->id.text(), "a1");
    EXPECT_FALSE(await(store->take_job(fair)));
    fair.kinds.clear();
    EXPECT_EQ(await(store->take_job(fair))->id.text(), "g");
    EXPECT_FALSE(await(store->take_job(fair)));
    EXPECT_EQ(error_of(store->take_job(job_request("", 1))).code, Code::InvalidArgument);
}

TEST_F(StoreTest, WhoHasQueuedThousandsHoldsNobodyUp) {
    for (int i = 0; i < 4; ++i) {
        auto record = job("a" + std::to_string(i), "alice", i);
        record.priority = 1000;
        await(store->add_job(record, 0));
    }
    await(store->add_job(job("b0", "bob", 9), 0));
    await(store->add_job(job("b1", "bob", 9), 0));
    std::string order;
    for (int i = 0; i < 4; ++i)
        order += await(store->take_job(job_request("one", 10)))->id.text() + " ";
    EXPECT_EQ(order, "a0 b0 a1 a2 ");  // one each, then by priority
}

TEST_F(StoreTest, AQueueOfOneOwnerIsBounded) {
    for (int i = 0; i < 3; ++i) await(store->add_job(job("a" + std::to_string(i), "alice", i), 3));
    EXPECT_EQ(error_of(store->add_job(job("a9", "alice", 9), 3)).code, Code::Exhausted);
    await(store->add_job(job("b", "bob", 9), 3));
    ASSERT_TRUE(await(store->take_job(job_request("one", 10))));
    await(store->add_job(job("a9", "alice", 9), 3));
}

TEST_F(StoreTest, NoTwoTakersGetTheSameJob) {
    constexpr int kJobs = 300;
    for (int i = 0; i < kJobs; ++i) {
        await(store->add_job(job("j" + std::to_string(i), "alice", i), 0));
    }
    std::mutex mutex;
    std::multiset<std::string> taken;
    const auto take_all = [&](const std::string& instance) {
        asio::io_context loop;
        auto runner = [&]() -> asio::awaitable<void> {
            const auto wanted = job_request(instance, 1);
            while (true) {
                const auto got = co_await store->take_job(wanted);
                if (!got) co_return;
                const std::lock_guard guard(mutex);
                taken.insert(got->id.text());
            }
        };
        for (int i = 0; i < 8; ++i) asio::co_spawn(loop, runner, asio::detached);
        loop.run();
    };
    std::vector<std::thread> threads;
    for (const char* name : {"one", "two", "three"}) threads.emplace_back(take_all, name);
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(taken.size(), static_cast<std::size_t>(kJobs));
    EXPECT_EQ(std::set(taken.begin(), taken.end()).size(), static_cast<std::size_t>(kJobs));
}

TEST_F(StoreTest, CancelEndsWhatWaitsAndMarksWhatRuns) {
    await(store->add_job(job("waits", "alice", 2), 0));
    const auto cancelled = await(store->cancel_job(Whose::of("alice"), JobId("waits"), at(7)));
    EXPECT_EQ(cancelled.state, JobState::Cancelled);
    EXPECT_EQ(cancelled.ended_at, at(7));
    EXPECT_FALSE(await(store->take_job(job_request("one", 10))));

    await(store->add_job(job("runs", "alice", 3), 0));
    const auto taken = await(store->take_job(job_request("one", 10)));
    EXPECT_EQ(error_of(store->cancel_job(Whose::of("bob"), taken->id, at(8))).code, Code::NotFound);
    const auto marked = await(store->cancel_job(Whose::of("alice"), taken->id, at(8)));
    EXPECT_EQ(marked.state, JobState::Running);
    EXPECT_TRUE(marked.cancel_requested);
    EXPECT_TRUE(await(store->renew_job(hold_of(*taken), at(99))));
    EXPECT_EQ(error_of(store->remove_job(Whose::of("alice"), taken->id)).code, Code::Conflict);
    core::JobEnd end{JobState::Cancelled, at(9), {}, "cancelled"};
    EXPECT_EQ(await(store->finish_job(hold_of(*taken), end)).state, JobState::Cancelled);
    EXPECT_EQ(error_of(store->cancel_job(Whose::of("alice"), taken->id, at(10))).code,
              Code::Conflict);
    await(store->remove_job(Whose::of("alice"), taken->id));
    EXPECT_EQ(error_of(store->get_job(Whose::of("alice"), taken->id)).code, Code::NotFound);
}

TEST_F(StoreTest, AfterACrashEachJobGetsWhatItAskedFor) {
    struct Row {
        const char* id;
        core::AfterCrash policy;
        std::uint32_t attempts_max;
        bool cancelled;
        JobState becomes;
    };
    const Row rows[] = {
        {"again", core::AfterCrash::RunAgain, 3, false, JobState::Queued},
        {"not counted", core::AfterCrash::RunAgain, 1, false, JobState::Queued},
        {"not twice", core::AfterCrash::Fail, 3, false, JobState::Failed},
        {"was to end", core::AfterCrash::RunAgain, 3, true, JobState::Cancelled},
    };
    for (const auto& row : rows) {
        auto record = job(row.id, "alice", 1);
        record.after_crash = row.policy;
        record.attempts_max = row.attempts_max;
        await(store->add_job(record, 0));
        ASSERT_TRUE(await(store->take_job(job_request("dead", 10))));
        if (row.cancelled) await(store->cancel_job(Whose::anyones(), record.id, at(11)));
    }
    await(store->add_job(job("mine", "alice", 1), 0));
    const auto mine = await(store->take_job(job_request("alive", 10)));
    reopen();
    const auto recovered = await(store->recover("alive", at(20)));
    EXPECT_EQ(recovered.queued_again.size(), 2u);
    EXPECT_EQ(recovered.failed.size(), 1u);
    EXPECT_EQ(recovered.cancelled.size(), 1u);
    for (const auto& row : rows) {
        SCOPED_TRACE(row.id);
        const auto found = await(store->get_job(Whose::anyones(), JobId(row.id)));
        EXPECT_EQ(found.state, row.becomes);
        EXPECT_FALSE(found.lease);
        EXPECT_EQ(found.error.empty(), row.becomes == JobState::Queued);
        const auto log = await(store->read_log(Whose::anyones(), found.id, 0, 1000));
        ASSERT_EQ(log.chunks.size(), 1u);
        EXPECT_EQ(log.chunks[0].stream, core::LogStream::Mark);
    }
    EXPECT_EQ(await(store->get_job(Whose::anyones(), mine->id)).state, JobState::Running);
    // The dead one's words count no more, even if it was only slow.
    core::JobHold old{JobId("again"), "dead", 1};
    core::JobEnd end{JobState::Succeeded, at(30), 0, ""};
    EXPECT_EQ(error_of(store->finish_job(old, end)).code, Code::Conflict);
    const auto second = await(store->take_job(job_request("alive", 30)));
    EXPECT_EQ(second->id.text(), "again");
    EXPECT_EQ(second->attempts, 2u);
    EXPECT_EQ(error_of(store->finish_job(old, end)).code, Code::Conflict);
    EXPECT_TRUE(await(store->recover("alive", at(40))).failed.empty());
}

TEST_F(StoreTest, AJobThatTakesTheServerDownIsGivenUp) {
    auto record = job("poison", "alice", 1);
    record.after_crash = core::AfterCrash::RunAgain;
    await(store->add_job(record, 0));
    for (std::uint32_t i = 0; i <= core::kInterruptionsMax; ++i) {
        ASSERT_TRUE(await(store->take_job(job_request("dead", 10))));
        await(store->recover("alive", at(20)));
    }
    EXPECT_FALSE(await(store->take_job(job_request("alive", 30))));
    EXPECT_EQ(await(store->get_job(Whose::anyones(), record.id)).state, JobState::Failed);
}

TEST_F(StoreTest, AReturnedJobWaitsForItsTimeAndKeepsItsSpec) {
    auto record = job("j", "alice", 1);
    record.spec_json = R"({"template":"default"})";
    record.attempts_max = 3;
    await(store->add_job(record, 0));
    auto taken = await(store->take_job(job_request("one", 10)));
    core::JobReturn back{at(20), at(100), "it failed; it is tried again", false};
    const auto waiting = await(store->return_job(hold_of(*taken), back));
    EXPECT_EQ(waiting.state, JobState::Queued);
    EXPECT_EQ(waiting.not_before, at(100));
    EXPECT_EQ(waiting.interruptions, 0u);
    EXPECT_EQ(error_of(store->return_job(hold_of(*taken), back)).code, Code::Conflict);
    EXPECT_FALSE(await(store->take_job(job_request("one", 99))));
    reopen();
    taken = await(store->take_job(job_request("one", 100)));
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->attempts, 2u);
    EXPECT_EQ(taken->spec_json, record.spec_json);
    EXPECT_FALSE(taken->not_before);
    back = {at(110), {}, "the server stopped", true};
    EXPECT_EQ(await(store->return_job(hold_of(*taken), back)).interruptions, 1u);
    taken = await(store->take_job(job_request("one", 120)));
    await(store->cancel_job(Whose::anyones(), record.id, at(121)));
    EXPECT_EQ(await(store->return_job(hold_of(*taken), back)).state, JobState::Cancelled);
    const auto log = await(store->read_log(Whose::anyones(), record.id, 0, 1000));
    EXPECT_EQ(log.chunks.size(), 3u);
    EXPECT_TRUE(log.complete);
}

TEST_F(StoreTest, ALeaseThatRanOutFreesTheJob) {
    auto record = job("j", "alice", 1);
    record.after_crash = core::AfterCrash::RunAgain;
    record.attempts_max = 2;
    await(store->add_job(record, 0));
    const auto taken = await(store->take_job(job_request("one", 1000)));
    EXPECT_TRUE(await(store->expire_leases(at(31000))).queued_again.empty());
    EXPECT_EQ(await(store->expire_leases(at(31001))).queued_again.size(), 1u);
    EXPECT_EQ(error_of(store->renew_job(hold_of(*taken), at(99999))).code, Code::Conflict);
}

TEST_F(StoreTest, JobsArePagedWithoutTheirCode) {
    for (int i = 0; i < 25; ++i) {
        await(store->add_job(job("j" + std::to_string(i), i % 5 == 0 ? "bob" : "alice", i), 0));
    }
    core::JobQuery query{Whose::of("alice"), {JobState::Queued}, {}, 8, false, {}};
    std::set<std::string> seen;
    do {
        const auto page = await(store->list_jobs(query));
        for (const auto& found : page.jobs) {
            EXPECT_TRUE(found.code.empty());
            EXPECT_TRUE(seen.insert(found.id.text()).second);
        }
        query.cursor = page.next_cursor;
    } while (!query.cursor.empty());
    EXPECT_EQ(seen.size(), 20u);
    query.with_code = true;
    EXPECT_EQ(await(store->list_jobs(query)).jobs.at(0).code, "echo hello");
}

TEST_F(StoreTest, JobsAreFoundByTheirMetadata) {
    for (int i = 0; i < 12; ++i) {
        auto record = job("j" + std::to_string(i), "alice", i);
        record.metadata = {{"even", i % 2 == 0 ? "yes" : "no"}, {"third", std::to_string(i % 3)}};
        EXPECT_EQ(await(store->add_job(record, 0)).metadata, record.metadata);
    }
    core::JobQuery query{Whose::of("alice"), {}, {}, 100, false, {}};
    query.metadata = {{"even", "yes"}, {"third", "0"}};
    const auto page = await(store->list_jobs(query));
    ASSERT_EQ(page.jobs.size(), 2u);
    EXPECT_EQ(page.jobs[0].id.text(), "j6");
    EXPECT_EQ(page.jobs[0].metadata.at("third"), "0");
    query.metadata = {{"even", "' OR 1=1 --"}};
    EXPECT_TRUE(await(store->list_jobs(query)).jobs.empty());
    query.metadata.clear();
    for (int i = 0; i < 17; ++i) query.metadata[std::to_string(i)] = "x";
    EXPECT_EQ(error_of(store->list_jobs(query)).code, Code::InvalidArgument);
    // With the job goes its metadata: the same id can come again.
    await(store->remove_job(Whose::of("alice"), JobId("j0")));
    auto again = job("j0", "alice", 0);
    again.metadata = {{"even", "once more"}};
    await(store->add_job(again, 0));
    const auto found = await(store->get_job(Whose::of("alice"), JobId("j0")));
    EXPECT_EQ(found.metadata, again.metadata);
}

TEST_F(StoreTest, OldJobsAreForgottenWithTheirLogs) {
    for (int i = 0; i < 6; ++i) {
        await(store->add_job(job("j" + std::to_string(i), "alice", i), 0));
        const auto taken = await(store->take_job(job_request("one", i)));
        std::vector<core::LogPiece> pieces{{core::LogStream::Stdout, "x"}};
        await(store->append_log(hold_of(*taken), pieces, at(i), 1000));
        if (i == 5) break;  // still runs
        core::JobEnd end{JobState::Succeeded, at(i), 0, ""};
        await(store->finish_job(hold_of(*taken), end));
    }
    EXPECT_EQ(await(store->forget_jobs(at(4), 3)), 3u);
    EXPECT_EQ(await(store->forget_jobs(at(4), 3)), 1u);
    EXPECT_EQ(await(store->forget_jobs(at(1'000'000), 100)), 1u);
    EXPECT_EQ(await(store->get_job(Whose::anyones(), JobId("j5"))).state, JobState::Running);
    EXPECT_EQ(error_of(store->read_log(Whose::anyones(), JobId("j0"), 0, 1)).code, Code::NotFound);
}

// Goal: the sum of an owner follows every way in which a job comes, grows and goes.
TEST_F(StoreTest, WhatJobsTakeIsSummedUpByOwner) {
    EXPECT_EQ(await(store->job_bytes("alice")), 0u);
    auto record = job("j0", "alice", 0);
    record.code = "print('ä')";
    record.spec_json = "{\"x\": 1}";
    const auto each = record.code.size() + record.spec_json.size();
    await(store->add_job(record, 0));
    EXPECT_EQ(await(store->job_bytes("alice")), each);
    EXPECT_EQ(await(store->job_bytes("bob")), 0u);
    for (int i = 1; i < 4; ++i) {
        record.id = JobId("j" + std::to_string(i));
        record.created_at = at(i);
        await(store->add_job(record, 0));
    }
    const auto taken = await(store->take_job(job_request("one", 10)));
    std::vector<core::LogPiece> pieces{{core::LogStream::Stdout, std::string(70'000, 'x')},
                                       {core::LogStream::Stderr, "y"}};
    await(store->append_log(hold_of(*taken), pieces, at(11), 1'000'000));
    EXPECT_EQ(await(store->job_bytes("alice")), 4 * each + 70'001);
    reopen();
    EXPECT_EQ(await(store->job_bytes("alice")), 4 * each + 70'001);
    const auto recovered = await(store->recover("two", at(12)));  // and a mark in its log
    EXPECT_EQ(recovered.failed.size(), 1u);
    await(store->remove_job(Whose::of("alice"), JobId("j3")));
    await(store->cancel_job(Whose::of("alice"), JobId("j2"), at(13)));
    await(store->cancel_job(Whose::of("alice"), JobId("j1"), at(13)));
    EXPECT_GE(await(store->job_bytes("alice")), 3 * each + 70'001);
    EXPECT_EQ(await(store->forget_jobs(at(1000), 100)), 3u);
    EXPECT_EQ(await(store->job_bytes("alice")), 0u);
}

// ---- Logs ----

TEST_F(StoreTest, ALogIsReadOnFromAnySequenceNumber) {
    await(store->add_job(job("j", "alice", 1), 0));
    const auto taken = await(store->take_job(job_request("one", 1)));
    const auto hold = hold_of(*taken);
    for (int i = 0; i < 10; ++i) {
        std::vector<core::LogPiece> pieces{{core::LogStream::Stdout, "out " + std::to_string(i)},
                                           {core::LogStream::Stderr, std::string("\0\xff", 2)},
                                           {core::LogStream::Stdout, ""}};
        const auto appended = await(store->append_log(hold, pieces, at(i), 1'000'000));
        EXPECT_EQ(appended.next_sequence, static_cast<std::uint64_t>(2 * i + 2));
    }
    auto read = await(store->read_log(Whose::of("alice"), taken->id, 0, 1'000'000));
    ASSERT_EQ(read.chunks.size(), 20u);
    EXPECT_FALSE(read.complete);
    EXPECT_EQ(read.chunks[18].bytes, "out 9");
    EXPECT_EQ(read.chunks[19].bytes, std::string("\0\xff", 2));
    EXPECT_EQ(read.chunks[19].stream, core::LogStream::Stderr);
    // In small steps, as a slow client would.
    std::uint64_t next = 7;
    std::size_t steps = 0;
    while (next < 20) {
        read = await(store->read_log(Whose::of("alice"), taken->id, next, 1));
        ASSERT_EQ(read.chunks.size(), 1u);
        EXPECT_EQ(read.chunks[0].sequence, next);
        next = read.next_sequence;
        ++steps;
    }
    EXPECT_EQ(steps, 13u);
    read = await(store->read_log(Whose::of("alice"), taken->id, 20, 1000));
    EXPECT_TRUE(read.chunks.empty());
    EXPECT_FALSE(read.complete);
    core::JobEnd end{JobState::Succeeded, at(50), 0, ""};
    await(store->finish_job(hold, end));
    EXPECT_FALSE(await(store->read_log(Whose::of("alice"), taken->id, 0, 1)).complete);
    EXPECT_TRUE(await(store->read_log(Whose::of("alice"), taken->id, 20, 1)).complete);
    // A number from a client that is beyond the end is the end.
    read = await(store->read_log(Whose::of("alice"), taken->id, ~0ull, 1000));
    EXPECT_TRUE(read.complete);
    EXPECT_EQ(read.next_sequence, 20u);
    EXPECT_EQ(error_of(store->read_log(Whose::of("bob"), taken->id, 0, 1)).code, Code::NotFound);
    std::vector<core::LogPiece> late{{core::LogStream::Stdout, "late"}};
    EXPECT_EQ(error_of(store->append_log(hold, late, at(60), 1000)).code, Code::Conflict);
}

TEST_F(StoreTest, ALogIsCutAtItsLimitOnce) {
    await(store->add_job(job("j", "alice", 1), 0));
    const auto taken = await(store->take_job(job_request("one", 1)));
    const auto hold = hold_of(*taken);
    std::vector<core::LogPiece> flood{{core::LogStream::Stdout, std::string(200'000, 'x')}};
    for (int i = 0; i < 5; ++i) await(store->append_log(hold, flood, at(i), 300'000));
    const auto record = await(store->get_job(Whose::of("alice"), taken->id));
    EXPECT_TRUE(record.log_truncated);
    EXPECT_EQ(record.log_bytes, 300'000u);
    std::string kept;
    int marks = 0;
    const auto read = await(store->read_log(Whose::of("alice"), taken->id, 0, 1'000'000));
    for (const auto& chunk : read.chunks) {
        EXPECT_LE(chunk.bytes.size(), 65536u);
        if (chunk.stream == core::LogStream::Mark) {
            ++marks;
        } else {
            kept += chunk.bytes;
        }
    }
    EXPECT_EQ(kept, std::string(300'000, 'x'));
    EXPECT_EQ(marks, 1);
    EXPECT_EQ(read.chunks.back().stream, core::LogStream::Mark);
}

TEST_F(StoreTest, AMillionTinyPiecesAreBoundedAsWell) {
    await(store->add_job(job("j", "alice", 1), 0));
    const auto taken = await(store->take_job(job_request("one", 1)));
    std::vector<core::LogPiece> pieces(5000, core::LogPiece{core::LogStream::Stdout, "x"});
    const auto appended = await(store->append_log(hold_of(*taken), pieces, at(1), 64'000));
    EXPECT_TRUE(appended.truncated);
    EXPECT_LE(appended.next_sequence, 1002u);
}

// ---- Keys ----

TEST_F(StoreTest, AKeyOpensWithItsSecretOnly) {
    core::KeyRecord key;
    key.id = KeyId("ak_1");
    key.secret_sha256.fill(7);
    key.owner = "alice";
    key.name = "laptop";
    key.scopes = {"sessions:read", "jobs:write"};
    key.created_at = at(1);
    key.expires_at = at(100);
    await(store->add_key(key));
    EXPECT_EQ(error_of(store->add_key(key)).code, Code::Conflict);
    EXPECT_EQ(await(store->check_key(key.id, key.secret_sha256, at(99))), key);
    core::Sha256 wrong = key.secret_sha256;
    wrong[31] ^= 1;
    const auto bad = error_of(store->check_key(key.id, wrong, at(99)));
    const auto late = error_of(store->check_key(key.id, key.secret_sha256, at(100)));
    const auto none = error_of(store->check_key(KeyId("ak_2"), core::Sha256{}, at(99)));
    EXPECT_EQ(bad.code, Code::Unauthenticated);
    EXPECT_EQ(late.code, Code::Unauthenticated);
    EXPECT_EQ(none.code, Code::Unauthenticated);
    EXPECT_EQ(bad.message, late.message);
    EXPECT_EQ(bad.message, none.message);

    await(store->touch_key(key.id, at(50)));
    await(store->touch_key(key.id, at(40)));
    await(store->touch_key(KeyId("unknown"), at(40)));
    EXPECT_EQ(await(store->get_key(Whose::of("alice"), key.id)).last_used_at, at(50));
    EXPECT_EQ(error_of(store->get_key(Whose::of("bob"), key.id)).code, Code::NotFound);
    EXPECT_EQ(error_of(store->revoke_key(Whose::of("bob"), key.id, at(60))).code, Code::NotFound);
    EXPECT_EQ(await(store->revoke_key(Whose::of("alice"), key.id, at(60))).revoked_at, at(60));
    EXPECT_EQ(await(store->revoke_key(Whose::of("alice"), key.id, at(70))).revoked_at, at(60));
    reopen();
    EXPECT_EQ(error_of(store->check_key(key.id, key.secret_sha256, at(61))).code,
              Code::Unauthenticated);
    core::KeyQuery query{Whose::anyones(), {}, 10};
    const auto page = await(store->list_keys(query));
    ASSERT_EQ(page.keys.size(), 1u);
    EXPECT_EQ(page.keys[0].scopes, key.scopes);
    key.id = KeyId("ak_3");
    key.scopes = {"two words"};
    EXPECT_EQ(error_of(store->add_key(key)).code, Code::InvalidArgument);
}

// ---- Audit ----

TEST_F(StoreTest, TheAuditLogOnlyGrows) {
    for (int i = 0; i < 25; ++i) {
        core::AuditRecord record;
        record.time = at(i);
        record.owner = i % 2 == 0 ? "alice" : "bob";
        record.key_id = "ak_1";
        record.action = "session.create";
        record.object = "s-" + std::to_string(i);
        record.outcome = "ok";
        record.request_id = "r-1";
        await(store->append_audit(record));
    }
    core::AuditQuery query{Whose::of("alice"), {}, {}, {}, 5};
    std::vector<std::string> objects;
    do {
        const auto page = await(store->list_audit(query));
        for (const auto& record : page.records) objects.push_back(record.object);
        query.cursor = page.next_cursor;
    } while (!query.cursor.empty());
    ASSERT_EQ(objects.size(), 13u);
    EXPECT_EQ(objects.front(), "s-24");
    EXPECT_EQ(objects.back(), "s-0");
    query.cursor = "313a61";  // 1:a
    EXPECT_EQ(error_of(store->list_audit(query)).code, Code::InvalidArgument);
    core::AuditQuery window{Whose::anyones(), at(10), at(12), {}, 100};
    EXPECT_EQ(await(store->list_audit(window)).records.size(), 2u);

    // Not through the interface, which has no way: as somebody with the file in hand.
    store.reset();
    auto raw = Connection::open(folder.file(), Connection::Mode::ReadWrite, 100).value();
    for (const char* sql : {"UPDATE audit SET outcome = 'denied'", "DELETE FROM audit",
                            "INSERT OR REPLACE INTO audit SELECT 1, 0, '', '', '', '', '', '', ''"
                            " FROM audit LIMIT 1"}) {
        SCOPED_TRACE(sql);
        EXPECT_THROW(raw->script(sql), ErrorException);
        raw->script("PRAGMA recursive_triggers = OFF");  // as any other program has it
        EXPECT_THROW(raw->script(sql), ErrorException);
        raw->script("PRAGMA recursive_triggers = ON");
    }
}

// ---- Use ----

TEST_F(StoreTest, UseAddsUpByDayAndNeverWraps) {
    const auto monday = core::day_of(at(1'700'000'000'000));
    core::UsageCounters more{10, 1, 0, 5};
    await(store->add_usage("alice", monday, more));
    EXPECT_EQ(await(store->add_usage("alice", monday, more)), (core::UsageCounters{20, 2, 0, 10}));
    await(store->add_usage("alice", monday + std::chrono::days(2), more));
    await(store->add_usage("bob", monday, more));
    reopen();
    const auto days = await(store->get_usage("alice", monday, monday + std::chrono::days(6)));
    ASSERT_EQ(days.size(), 2u);
    EXPECT_EQ(days[0].counters.cpu_us, 20u);
    EXPECT_EQ(days[1].day, monday + std::chrono::days(2));
    core::UsageCounters huge{~0ull, ~0ull, 0, 1};
    await(store->add_usage("alice", monday, huge));
    const auto top = await(store->add_usage("alice", monday, huge));
    EXPECT_EQ(top.cpu_us, static_cast<std::uint64_t>(INT64_MAX));
    EXPECT_EQ(top.egress_bytes, 12u);
    EXPECT_EQ(error_of(store->get_usage("alice", monday, monday + std::chrono::days(366))).code,
              Code::InvalidArgument);
    EXPECT_EQ(error_of(store->get_usage("alice", monday, monday - std::chrono::days(1))).code,
              Code::InvalidArgument);
}

}  // namespace atl::sqlite

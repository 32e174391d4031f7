// Goal: the engine under the store. Many share one commit and none is undone by another's failure;
// the queue is bounded; one server a folder; a schema only goes forward.
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/schema.hpp"
#include "stores/sqlite/store.hpp"
#include "stores/sqlite/test_support.hpp"

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <sys/stat.h>
#include <thread>
#include <tuple>

namespace atl::sqlite {

using namespace testing;
using core::Whose;

namespace {

std::unique_ptr<Connection> raw(const std::string& file) {
    return Connection::open(file, Connection::Mode::ReadWrite, 100).value();
}

}  // namespace

TEST(Engine, ThoseWhoWaitShareACommit) {
    const Folder folder;
    const auto store = open_store(folder.file());
    const auto before = store->counts();
    asio::io_context loop;
    int done = 0;
    auto write = [&](int i) -> asio::awaitable<void> {
        const auto record = session("s-" + std::to_string(i), "alice", i);
        co_await store->create_session(record, 0);
        ++done;
    };
    for (int i = 0; i < 1000; ++i) asio::co_spawn(loop, write(i), asio::detached);
    loop.run();
    EXPECT_EQ(done, 1000);
    const auto after = store->counts();
    EXPECT_EQ(after.requests - before.requests, 1000u);
    EXPECT_LT(after.commits - before.commits, 500u);
    EXPECT_EQ(after.waiting, 0u);
}

TEST(Engine, OneFailureInAGroupUndoesItselfAndNothingElse) {
    const Folder folder;
    StoreOptions options;
    options.queue_bytes_max = 256u << 20;
    auto store = open_store(folder.file(), options);
    await(store->create_session(session("taken", "alice", 1), 0));
    asio::io_context loop;
    int conflicts = 0;
    int too_large = 0;
    auto write = [&](int i) -> asio::awaitable<void> {
        auto record = session(i % 3 == 0 ? "taken" : "s-" + std::to_string(i), "alice", i);
        record.metadata = {{"n", std::to_string(i)}};
        // This one fails halfway: its row is written when the second metadata value is refused.
        if (i == 100) record.metadata["x"] = std::string(65u << 20, 'x');
        try {
            co_await store->create_session(record, 0);
        } catch (const ErrorException& e) {
            if (e.error.code == Code::Conflict) ++conflicts;
            if (e.error.code == Code::TooLarge) ++too_large;
        }
    };
    for (int i = 0; i < 300; ++i) asio::co_spawn(loop, write(i), asio::detached);
    loop.run();
    EXPECT_EQ(conflicts, 100);
    EXPECT_EQ(too_large, 1);
    store.reset();
    store = open_store(folder.file());
    core::SessionQuery query{Whose::anyones(), {}, {}, {}, 1000};
    EXPECT_EQ(await(store->list_sessions(query)).sessions.size(), 200u);
    EXPECT_EQ(error_of(store->get_session(Whose::anyones(), SessionId("s-100"))).code,
              Code::NotFound);
}

TEST(Engine, AnswersComeOnTheCallersExecutor) {
    const Folder folder;
    const auto store = open_store(folder.file());
    asio::io_context loop;
    const auto mine = std::this_thread::get_id();
    bool same = true;
    auto ask = [&]() -> asio::awaitable<void> {
        for (int i = 0; i < 50; ++i) {
            const auto record = session("s-" + std::to_string(i), "alice", i);
            co_await store->create_session(record, 0);
            same = same && std::this_thread::get_id() == mine;
        }
    };
    asio::co_spawn(loop, ask, asio::detached);
    loop.run();  // and it did not run out of work while the store was busy
    EXPECT_TRUE(same);
    EXPECT_EQ(store->counts().requests, 50u);
}

TEST(Engine, TheLoopIsNeverBlocked) {
    const Folder folder;
    const auto store = open_store(folder.file());
    // Another program holds the writer's lock for half a second.
    auto other = raw(folder.file());
    other->script("BEGIN IMMEDIATE");
    asio::io_context loop;
    int ticks = 0;
    bool written = false;
    auto write = [&]() -> asio::awaitable<void> {
        const auto record = session("s", "alice", 1);
        co_await store->create_session(record, 0);
        written = true;
    };
    auto tick = [&]() -> asio::awaitable<void> {
        asio::steady_timer timer(loop);
        for (; ticks < 50; ++ticks) {
            timer.expires_after(std::chrono::milliseconds(10));
            co_await timer.async_wait(asio::use_awaitable);
        }
        EXPECT_FALSE(written);
        other->script("ROLLBACK");
    };
    asio::co_spawn(loop, write, asio::detached);
    asio::co_spawn(loop, tick, asio::detached);
    loop.run();
    EXPECT_TRUE(written);
    EXPECT_EQ(store->health().state, core::StoreHealth::State::Ok);
}

TEST(Engine, AnotherProgramsLockFailsWritesAndNotReads) {
    const Folder folder;
    StoreOptions options;
    options.busy_ms = 50;
    const auto store = open_store(folder.file(), options);
    await(store->create_session(session("s", "alice", 1), 0));
    auto other = raw(folder.file());
    other->script("BEGIN IMMEDIATE");
    asio::io_context loop;
    int unavailable = 0;
    int read = 0;
    auto write = [&](int i) -> asio::awaitable<void> {
        const auto record = session("s-" + std::to_string(i), "alice", 1);
        try {
            co_await store->create_session(record, 0);
        } catch (const ErrorException& e) {
            if (e.error.code == Code::Unavailable) ++unavailable;
        }
    };
    auto look = [&]() -> asio::awaitable<void> {
        const auto whose = Whose::of("alice");
        const SessionId id("s");
        co_await store->get_session(whose, id);
        ++read;
    };
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < 20; ++i) {
        asio::co_spawn(loop, write(i), asio::detached);
        asio::co_spawn(loop, look, asio::detached);
    }
    loop.run();
    // Not 20 times the wait: who is in one group waits once.
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(800));
    EXPECT_EQ(unavailable, 20);
    EXPECT_EQ(read, 20);
    EXPECT_EQ(store->health().state, core::StoreHealth::State::Failing);
    other->script("ROLLBACK");
    await(store->create_session(session("s-more", "alice", 1), 0));
    EXPECT_EQ(store->health().state, core::StoreHealth::State::Ok);
}

TEST(Engine, AQueueThatIsFullSaysSoAtOnce) {
    struct Row {
        const char* name;
        std::size_t bytes;
        int asked;
        int fit;
    };
    // Ten requests, or 1 MiB, may wait.
    const Row rows[] = {{"in requests", 10, 40, 10}, {"in bytes", 300'000, 8, 3}};
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        const Folder folder;
        StoreOptions options;
        options.queue_tasks_max = 10;
        options.queue_bytes_max = 1u << 20;
        const auto store = open_store(folder.file(), options);
        auto other = raw(folder.file());
        other->script("BEGIN IMMEDIATE");  // so that nothing moves
        asio::io_context loop;
        int done = 0;
        int behind = 0;
        auto write = [&](int i, std::size_t bytes) -> asio::awaitable<void> {
            auto record = session("s-" + std::to_string(i), "alice", 1);
            record.spec_json = std::string(bytes, 'x');
            try {
                co_await store->create_session(record, 0);
                ++done;
            } catch (const ErrorException& e) {
                if (e.error.message.find("the store is behind") != std::string::npos) ++behind;
            }
        };
        // The first is taken by the worker, and must be out of the queue before the others come.
        asio::co_spawn(loop, write(0, 10), asio::detached);
        loop.run_for(std::chrono::milliseconds(100));
        for (int i = 1; i <= row.asked; ++i)
            asio::co_spawn(loop, write(i, row.bytes), asio::detached);
        loop.run_for(std::chrono::milliseconds(100));
        EXPECT_EQ(behind, row.asked - row.fit);
        EXPECT_EQ(store->counts().refused, static_cast<std::uint64_t>(behind));
        EXPECT_EQ(done, 0);
        other->script("ROLLBACK");
        loop.run();
        EXPECT_EQ(done, row.fit + 1);
        // One that is larger than the whole queue goes when nothing else waits.
        await(write(100, 2u << 20));
        EXPECT_EQ(done, row.fit + 2);
    }
}

TEST(Engine, ManyThreadsMayAskAtOnce) {
    const Folder folder;
    const auto store = open_store(folder.file());
    asio::thread_pool pool(4);
    std::atomic<int> done = 0;
    auto ask = [&](int i) -> asio::awaitable<void> {
        const auto record = session("s-" + std::to_string(i), "alice", i);
        const auto made = co_await store->create_session(record, 0);
        core::SessionPatch patch;
        patch.state_note = "seen";
        const auto whose = Whose::anyones();
        co_await store->patch_session(whose, made.id, patch, made.generation);
        ++done;
    };
    for (int i = 0; i < 400; ++i) asio::co_spawn(pool, ask(i), asio::detached);
    pool.join();
    EXPECT_EQ(done.load(), 400);
}

TEST(Engine, WhatWasAskedIsDoneBeforeItCloses) {
    const Folder folder;
    asio::io_context loop;
    int done = 0;
    auto write = [&done](SqliteStore& into, int i) -> asio::awaitable<void> {
        const auto record = session("s-" + std::to_string(i), "alice", i);
        co_await into.create_session(record, 0);
        ++done;
    };
    {
        const auto store = open_store(folder.file());
        for (int i = 0; i < 200; ++i) asio::co_spawn(loop, write(*store, i), asio::detached);
        loop.poll();  // all have asked, few were answered
    }
    loop.run();
    EXPECT_EQ(done, 200);
    const auto store = open_store(folder.file());
    core::SessionQuery query{Whose::anyones(), {}, {}, {}, 1000};
    EXPECT_EQ(await(store->list_sessions(query)).sessions.size(), 200u);
}

TEST(Engine, TheWriteAheadLogDoesNotGrowForEver) {
    const Folder folder;
    const auto store = open_store(folder.file());
    auto record = session("s", "alice", 1);
    record.spec_json = std::string(100'000, 'x');
    record = await(store->create_session(record, 0));
    for (int i = 0; i < 400; ++i) {  // 40 MB of changes
        record.state_note = std::to_string(i);
        record = await(store->update_session(record));
    }
    EXPECT_LT(std::filesystem::file_size(folder.file() + "-wal"), 10u << 20);
}

TEST(Engine, TheFilesAreForTheServersEyesOnly) {
    const Folder folder;
    const std::string file = folder.path() + "/data/atoll.db";
    const auto store = open_store(file);
    await(store->create_session(session("s", "alice", 1), 0));
    for (const char* name : {"", "-wal", "-shm", ".lock"}) {
        SCOPED_TRACE(name);
        struct stat there {};
        ASSERT_EQ(::stat((file + name).c_str(), &there), 0);
        EXPECT_EQ(there.st_mode & 0777, 0600u);
    }
    struct stat there {};
    ASSERT_EQ(::stat((folder.path() + "/data").c_str(), &there), 0);
    EXPECT_EQ(there.st_mode & 0777, 0700u);
}

// ---- One server a folder ----

TEST(DataLock, ASecondServerIsTurnedAway) {
    const Folder folder;
    Child first([&](int fd) {
        const auto store = open_store(folder.file());
        say(fd, "open\n");
        ::pause();
    });
    char word[5];
    ASSERT_EQ(::read(first.heard(), word, 5), 5);
    auto second = SqliteStore::open({.path = folder.file()});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Code::Conflict);
    EXPECT_NE(second.error().message.find("process " + std::to_string(first.pid())),
              std::string::npos)
        << second.error().message;
    first.kill();
    EXPECT_TRUE(SqliteStore::open({.path = folder.file()}));
}

TEST(DataLock, TheSameProcessCannotTakeItTwiceNorLoseItByTrying) {
    const Folder folder;
    const auto store = open_store(folder.file());
    for (int i = 0; i < 2; ++i) {
        auto again = SqliteStore::open({.path = folder.path() + "/./atoll.db"});
        ASSERT_FALSE(again);
        EXPECT_EQ(again.error().code, Code::Conflict);
    }
    Child other([&](int fd) {
        auto opened = SqliteStore::open({.path = folder.file()});
        say(fd, opened ? "opened" : "refused");
    });
    EXPECT_EQ(other.listen(), "refused");
}

TEST(DataLock, AChildThatOutlivesAKilledServerKeepsNobodyOut) {
    const Folder folder;
    Child server([&](int fd) {
        const auto store = open_store(folder.file());
        const pid_t sandbox = ::fork();
        if (sandbox == 0) {
            ::sleep(20);
            ::_exit(0);
        }
        say(fd, std::to_string(sandbox) + "\n");
        ::pause();
    });
    char text[32] = {};
    ASSERT_GT(::read(server.heard(), text, sizeof text - 1), 0);
    const pid_t sandbox = std::atoi(text);
    server.kill();
    EXPECT_EQ(::kill(sandbox, 0), 0);  // it lives
    EXPECT_TRUE(SqliteStore::open({.path = folder.file()}));
    ::kill(sandbox, SIGKILL);
}

// ---- Schema ----

TEST(Schema, ANewerOneIsRefusedAndLeftAlone) {
    const Folder folder;
    open_store(folder.file()).reset();
    raw(folder.file())->script("PRAGMA user_version = 99");
    auto opened = SqliteStore::open({.path = folder.file()});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, Code::Unsupported);
    EXPECT_NE(opened.error().message.find("newer Atoll (schema 99"), std::string::npos)
        << opened.error().message;
}

TEST(Schema, SomebodyElsesDatabaseIsRefusedAndLeftAlone) {
    const Folder folder;
    std::filesystem::create_directories(folder.path());
    std::fclose(std::fopen(folder.file().c_str(), "w"));
    raw(folder.file())->script("CREATE TABLE theirs (x); PRAGMA user_version = 1");
    auto opened = SqliteStore::open({.path = folder.file()});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, Code::Conflict);
    EXPECT_NE(opened.error().message.find("not one of Atoll's"), std::string::npos);
}

TEST(Schema, JobsFromBeforeTheirSumAreInIt) {
    const Folder folder;
    std::fclose(std::fopen(folder.file().c_str(), "w"));
    constexpr std::size_t kBefore = 5;  // steps that know no sum
    auto db = raw(folder.file());
    ASSERT_TRUE(migrate(*db, schema_steps().first(kBefore)));
    db->script(
        "INSERT INTO jobs (id, owner, kind, code, state, priority, attempts, attempts_max,"
        " after_crash, timeout_ms, created_at, error, cancel_requested, log_bytes, log_cost,"
        " log_next, log_truncated, spec) VALUES"
        " ('a', 'ann', 'python', 'ä', 'queued', 0, 0, 1, 'fail', 0, 1, '', 0, 100, 0, 0, 0, '{}'),"
        " ('b', 'ann', 'python', '12', 'queued', 0, 0, 1, 'fail', 0, 1, '', 0, 0, 0, 0, 0, '{}')");
    ASSERT_TRUE(migrate(*db, schema_steps()));
    auto sum = db->query("SELECT owner, bytes FROM job_use");
    ASSERT_TRUE(sum.next());
    EXPECT_EQ(sum.text(), "ann");
    EXPECT_EQ(sum.number(), 2 + 2 + 100 + 2 + 2);
    EXPECT_FALSE(sum.next());
}

TEST(Schema, AThreadFromBeforeHasTheModelOfItsLastQuestion) {
    const Folder folder;
    std::fclose(std::fopen(folder.file().c_str(), "w"));
    constexpr std::size_t kBefore = 8;  // steps that know no model
    auto db = raw(folder.file());
    ASSERT_TRUE(migrate(*db, schema_steps().first(kBefore)));
    struct Row {
        const char* id;
        const char* details;  // of its last question
        const char* model;
    };
    const Row rows[] = {{"a", R"({"model":"large"})", "large"},
                        {"b", "{}", ""},
                        {"c", "no JSON", ""},
                        {"d", R"({"model":7})", ""}};
    for (const auto& row : rows) {
        db->query(
              "INSERT INTO threads (id, owner, title, session, home, created_at, updated_at,"
              " messages, turns, turn_client_id, memory) VALUES (?, 'ann', '', 's', '', 1, 1, 3, 2,"
              " '', '{}')")
            .bind(row.id)
            .run();
        const std::int64_t number = sqlite3_last_insert_rowid(db->raw());
        const std::tuple<std::int64_t, const char*, const char*> messages[] = {
            {1, "user", R"({"model":"small"})"},
            {2, "user", row.details},
            {3, "assistant", R"({"model":"openai/large"})"}};
        for (const auto& [sequence, role, details] : messages) {
            db->query("INSERT INTO thread_messages VALUES (?, ?, 1, ?, '', ?, '', 1)")
                .bind(number)
                .bind(sequence)
                .bind(role)
                .bind(details)
                .run();
        }
    }
    db->script(
        "INSERT INTO threads (id, owner, title, session, home, created_at, updated_at, messages,"
        " turns, turn_client_id, memory) VALUES ('e', 'ann', '', 's', '', 1, 1, 0, 0, '', '{}')");
    ASSERT_TRUE(migrate(*db, schema_steps()));
    auto found = db->query("SELECT id, model FROM threads ORDER BY id");
    for (const auto& row : rows) {
        ASSERT_TRUE(found.next());
        EXPECT_EQ(found.text(), row.id);
        EXPECT_EQ(found.text(), row.model) << row.id;
    }
    ASSERT_TRUE(found.next());
    EXPECT_EQ(found.text(), "e");
    EXPECT_EQ(found.text(), "");
}

TEST(Schema, StepsAreTakenInOrderEachWholeOrNotAtAll) {
    const Folder folder;
    std::fclose(std::fopen(folder.file().c_str(), "w"));
    const auto version = [](Connection& db) {
        auto query = db.query("PRAGMA user_version");
        return query.next() ? query.number() : -1;
    };
    const char* const good[] = {"CREATE TABLE a (x); INSERT INTO a VALUES (1);",
                                "ALTER TABLE a ADD COLUMN y; UPDATE a SET y = x + 1;"};
    const char* const bad[] = {good[0], good[1],
                               "CREATE TABLE b (x); INSERT INTO nowhere VALUES (1);"};
    auto db = raw(folder.file());
    ASSERT_TRUE(migrate(*db, std::span(good).first(1)));
    EXPECT_EQ(version(*db), 1);
    ASSERT_TRUE(migrate(*db, good));
    ASSERT_TRUE(migrate(*db, good));  // nothing to do
    EXPECT_EQ(version(*db), 2);
    auto failed = migrate(*db, bad);
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().message.find("to schema 3"), std::string::npos);
    EXPECT_EQ(version(*db), 2);
    EXPECT_TRUE(db->outside_transaction());
    auto tables = db->query("SELECT count(*) FROM sqlite_schema WHERE name = 'b'");
    ASSERT_TRUE(tables.next());
    EXPECT_EQ(tables.number(), 0);
    auto y = db->query("SELECT y FROM a");
    ASSERT_TRUE(y.next());
    EXPECT_EQ(y.number(), 2);
}

}  // namespace atl::sqlite

// Goal: what was acknowledged survives SIGKILL, and no job is ever run by two at once. A server in
// a process of its own writes, says what was acknowledged, and is killed at a random moment; then
// the next one finds the files.
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/store.hpp"
#include "stores/sqlite/test_support.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <iostream>
#include <map>
#include <poll.h>
#include <random>
#include <set>
#include <sstream>

namespace atl::sqlite {

using namespace testing;
using core::JobState;
using core::Whose;

namespace {

// One life of a server: four clients that make and change sessions, one that adds jobs, three that
// run them. Each line is said after the answer, so a line is a promise.
void live(const std::string& file, int round, int fd) {
    const auto store = open_store(file);
    const std::string instance = "server-" + std::to_string(round);
    await(store->recover(instance, core::time_now()));
    asio::io_context loop;
    auto client = [&](int number) -> asio::awaitable<void> {
        const auto name = std::to_string(round) + "." + std::to_string(number) + ".";
        for (int i = 0;; ++i) {
            auto record = session("s" + name + std::to_string(i), "alice", round);
            record.spec_json = std::string(300, 'x');
            record.metadata = {{"i", std::to_string(i)}};
            record = co_await store->create_session(record, 0);
            say(fd, "session " + record.id.text() + " 1\n");
            record.state = core::SessionState::Warm;
            record = co_await store->update_session(record);
            say(fd, "session " + record.id.text() + " 2\n");
            core::AuditRecord deed;
            deed.action = "session.update";
            deed.object = record.id.text();
            co_await store->append_audit(deed);
            say(fd, "audit " + record.id.text() + "\n");
        }
    };
    auto adder = [&]() -> asio::awaitable<void> {
        for (int i = 0;; ++i) {
            auto record =
                job("j" + std::to_string(round) + "." + std::to_string(i), "alice", round);
            record.after_crash = i % 2 == 0 ? core::AfterCrash::RunAgain : core::AfterCrash::Fail;
            record.attempts_max = 5;
            co_await store->add_job(record, 0);
            say(fd, "job " + record.id.text() + "\n");
        }
    };
    auto runner = [&]() -> asio::awaitable<void> {
        while (true) {
            const auto wanted = job_request(instance, core::time_now().time_since_epoch().count());
            const auto taken = co_await store->take_job(wanted);
            if (!taken) {
                asio::steady_timer pause(loop, std::chrono::milliseconds(1));
                co_await pause.async_wait(asio::use_awaitable);
                continue;
            }
            const auto hold = hold_of(*taken);
            const auto id = taken->id.text();
            say(fd, "take " + id + " " + std::to_string(hold.attempt) + "\n");
            std::vector<core::LogPiece> pieces{{core::LogStream::Stdout, "hello from " + id}};
            const auto now = core::time_now();
            const auto written = co_await store->append_log(hold, pieces, now, 100'000);
            say(fd, "log " + id + " " + std::to_string(written.next_sequence) + "\n");
            const core::JobEnd end{JobState::Succeeded, core::time_now(), 0, ""};
            co_await store->finish_job(hold, end);
            say(fd, "end " + id + "\n");
        }
    };
    for (int i = 0; i < 4; ++i) asio::co_spawn(loop, client(i), asio::detached);
    asio::co_spawn(loop, adder, asio::detached);
    for (int i = 0; i < 3; ++i) asio::co_spawn(loop, runner, asio::detached);
    loop.run();
}

// What it says until the moment comes, and then what was left in the pipe.
std::string listen_and_kill(Child& child, std::chrono::microseconds lifetime) {
    std::string said;
    const auto end = std::chrono::steady_clock::now() + lifetime;
    char piece[65536];
    while (true) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            end - std::chrono::steady_clock::now());
        if (left.count() <= 0) break;
        pollfd ready{child.heard(), POLLIN, 0};
        if (::poll(&ready, 1, static_cast<int>(left.count())) <= 0) continue;
        const ssize_t n = ::read(child.heard(), piece, sizeof piece);
        if (n <= 0) break;
        said.append(piece, static_cast<std::size_t>(n));
    }
    child.kill();
    return said + child.listen();
}

}  // namespace

TEST(Crash, WhatWasAcknowledgedIsThereAndNoJobRunsTwiceAtOnce) {
    const Folder folder;
    std::mt19937 random(std::random_device{}());
    std::map<std::string, std::uint64_t> sessions;  // acknowledged generation
    std::set<std::string> audited;
    std::set<std::string> jobs;
    std::set<std::string> ended;
    std::map<std::string, std::uint32_t> attempts;  // of the last take
    std::map<std::string, std::uint64_t> logged;
    std::size_t lines = 0;
    for (int round = 0; round < 30; ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        const auto lifetime = std::chrono::microseconds(5000 + random() % 195'000);
        Child server([&](int fd) { live(folder.file(), round, fd); });
        std::istringstream said(listen_and_kill(server, lifetime));
        std::set<std::string> taken_now;
        for (std::string line; std::getline(said, line);) {
            if (said.eof()) break;  // cut off in the middle: no promise
            ++lines;
            std::istringstream words(line);
            std::string what, id;
            std::uint64_t number = 0;
            words >> what >> id >> number;
            if (what == "session") {
                sessions[id] = number;
            } else if (what == "audit") {
                audited.insert(id);
            } else if (what == "job") {
                jobs.insert(id);
            } else if (what == "take") {
                EXPECT_TRUE(taken_now.insert(id).second) << id << " was given out twice at once";
                EXPECT_FALSE(ended.count(id)) << id << " had ended and ran again";
                EXPECT_GT(number, attempts[id]) << id << ": the same attempt twice";
                attempts[id] = static_cast<std::uint32_t>(number);
            } else if (what == "log") {
                logged[id] = number;
            } else if (what == "end") {
                ended.insert(id);
            } else {
                ADD_FAILURE() << line;
            }
        }
        // What the next server finds. Read here without one, to check all of it quickly.
        auto db = Connection::open(folder.file(), Connection::Mode::ReadWrite, 1000);
        if (!db) continue;                    // killed before the file was made
        (*db)->keep_files_as_they_are(true);  // the log is for the next server to find
        std::map<std::string, std::uint64_t> stored;
        std::set<std::string> with_metadata;
        try {
            auto rows = (*db)->query("SELECT id, generation FROM sessions");
            while (rows.next()) {
                auto id = rows.text();
                stored[id] = rows.count();
            }
            auto names = (*db)->query("SELECT session FROM session_metadata");
            while (names.next()) with_metadata.insert(names.text());
        } catch (const ErrorException& e) {
            EXPECT_TRUE(sessions.empty()) << e.what();  // killed before the tables were made
            continue;
        }
        for (const auto& [id, generation] : sessions) {
            ASSERT_TRUE(stored.count(id)) << id << " was acknowledged and is gone";
            ASSERT_GE(stored[id], generation) << id;
        }
        EXPECT_EQ(stored.size(), with_metadata.size());  // never half a session
        std::set<std::string> deeds;
        auto audit = (*db)->query("SELECT object FROM audit");
        while (audit.next()) deeds.insert(audit.text());
        for (const auto& id : audited) ASSERT_TRUE(deeds.count(id)) << id;
        std::set<std::string> seen;
        auto rows = (*db)->query(
            "SELECT id, state, attempts, log_next, after_crash,"
            " (SELECT count(*) FROM job_log WHERE job = number),"
            " (SELECT coalesce(max(sequence) + 1, 0) FROM job_log WHERE job = number) FROM jobs");
        while (rows.next()) {
            const auto id = rows.text();
            seen.insert(id);
            const auto state = rows.word<JobState>();
            const auto tried = rows.small();
            const auto log_next = rows.count();
            const auto policy = rows.word<core::AfterCrash>();
            ASSERT_EQ(log_next, rows.count()) << id << ": a gap in its log";
            ASSERT_EQ(log_next, rows.count()) << id << ": a gap in its log";
            ASSERT_GE(tried, attempts[id]) << id;
            ASSERT_GE(log_next, logged[id]) << id;
            ASSERT_TRUE(policy == core::AfterCrash::RunAgain || tried <= 1) << id << " ran again";
            ASSERT_TRUE(state == JobState::Succeeded || !ended.count(id)) << id;
        }
        for (const auto& id : jobs) ASSERT_TRUE(seen.count(id)) << id;
    }
    EXPECT_GT(sessions.size(), 100u);
    EXPECT_GT(ended.size(), 100u);
    std::size_t again = 0;
    for (const auto& [id, attempt] : attempts) again += attempt > 1 ? 1 : 0;
    RecordProperty("acknowledgements", static_cast<int>(lines));
    std::cout << lines << " acknowledgements, " << ended.size() << " jobs ended, " << again
              << " ran again after a crash\n";
    // And the store itself, whole.
    const auto store = open_store(folder.file());
    EXPECT_EQ(store->health().state, core::StoreHealth::State::Ok) << store->health().sentence;
    await(store->recover("last", core::time_now()));
    core::JobQuery running{Whose::anyones(), {JobState::Running}, {}, 10, false, {}};
    EXPECT_TRUE(await(store->list_jobs(running)).jobs.empty());
}

TEST(Crash, AStoreThatIsKilledWhileItIsMadeCanBeMade) {
    std::mt19937 random(std::random_device{}());
    for (int round = 0; round < 40; ++round) {
        SCOPED_TRACE(round);
        const Folder folder;
        Child server([&](int fd) {
            const auto store = open_store(folder.file());
            await(store->create_session(session("s", "alice", 1), 0));
            say(fd, "done\n");
            ::pause();
        });
        ::usleep(static_cast<useconds_t>(random() % 12'000));
        server.kill();
        const bool promised = server.listen() == "done\n";
        auto opened = SqliteStore::open({.path = folder.file()});
        ASSERT_TRUE(opened) << opened.error().message;
        EXPECT_EQ((*opened)->health().state, core::StoreHealth::State::Ok);
        const auto found = error_of((*opened)->get_session(Whose::anyones(), SessionId("s")));
        EXPECT_TRUE(!promised || found.message.empty()) << found.message;
        EXPECT_EQ(error_of((*opened)->create_session(session("t", "alice", 1), 0)).message, "");
    }
}

}  // namespace atl::sqlite

// What several servers on one Redis promise one another, and what happens when Redis goes away.
#include "stores/redis/test_support.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace atl::redis::testing {

namespace {

using core::time_now;
using core::Whose;
using core::contract::message;
using core::contract::says;
using core::contract::thread;
using core::contract::turn_request;
using std::chrono::milliseconds;
using std::chrono::seconds;

template <class T>
Error error_of(asio::io_context& loop, asio::awaitable<T> what) {
    try {
        if constexpr (std::is_void_v<T>) {
            await(loop, std::move(what));
        } else {
            (void)await(loop, std::move(what));
        }
    } catch (const ErrorException& thrown) { return thrown.error; }
    return {Code::Internal, ""};
}

// Until it works again; a test that waits for ever fails by await's own limit.
template <class Call>
void await_recovery(asio::io_context& loop, Call call) {
    for (int i = 0; i < 200; ++i) {
        if (error_of(loop, call()).message.empty()) return;
        sleep_ms(50);
    }
    FAIL() << "it did not come back";
}

// ---- Cancelling ----

TEST(RedisThreads, ATurnIsCancelledFromAnotherServerAndNoLaterOne) {
    RedisServer server;
    asio::io_context loop;
    RedisThreads a(loop.get_executor(), options_of(server));
    RedisThreads b(loop.get_executor(), options_of(server));
    const ThreadId id("t1");
    await(loop, a.create_thread(thread("t1", "ann"), 0));
    EXPECT_FALSE(await(loop, b.cancel_turn(id)));  // nothing to cancel
    const auto first = await(loop, a.begin_turn(turn_request("t1", "a", "first")));
    EXPECT_FALSE(await(loop, a.renew_turn(first.hold, time_now() + seconds(60))));
    EXPECT_TRUE(await(loop, b.cancel_turn(id)));
    EXPECT_TRUE(await(loop, a.renew_turn(first.hold, time_now() + seconds(60))));
    await(loop, a.end_turn(first.hold, says("cut short")));
    EXPECT_FALSE(await(loop, b.cancel_turn(id)));
    const auto second = await(loop, a.begin_turn(turn_request("t1", "a", "second")));
    EXPECT_FALSE(await(loop, a.renew_turn(second.hold, time_now() + seconds(60))));
    EXPECT_EQ(error_of(loop, b.cancel_turn(ThreadId("nobody"))).code, Code::NotFound);
}

// ---- Homes ----

TEST(RedisThreads, AHomeIsAskedForAndLetGo) {
    RedisServer server;
    asio::io_context loop;
    RedisThreads a(loop.get_executor(), options_of(server));
    RedisThreads b(loop.get_executor(), options_of(server));
    const ThreadId id("t1");
    await(loop, a.create_thread(thread("t1", "ann"), 0));
    await(loop, a.live("a", time_now() + seconds(60)));
    await(loop, b.live("b", time_now() + seconds(60)));
    EXPECT_EQ(await(loop, a.take_home(id, "a")).instance, "a");
    EXPECT_EQ(await(loop, b.take_home(id, "b")).instance, "a");
    await(loop, b.ask_for_home(id, "b"));
    await(loop, b.ask_for_home(id, "b"));
    EXPECT_EQ(await(loop, a.asked_of("a")), std::vector<ThreadId>{id});
    EXPECT_EQ(await(loop, a.asked_of("a")), std::vector<ThreadId>{id});  // until it has left
    EXPECT_TRUE(await(loop, b.asked_of("b")).empty());
    await(loop, a.leave_home(id, "a"));
    EXPECT_TRUE(await(loop, a.asked_of("a")).empty());
    const auto taken = await(loop, b.take_home(id, "b"));
    EXPECT_EQ(taken.instance, "b");
    EXPECT_FALSE(taken.was_abandoned);
    EXPECT_EQ(await(loop, a.take_home(id, "a")).instance, "b");
    // Nobody is asked for what is nobody's, or one's own.
    await(loop, b.ask_for_home(id, "b"));
    EXPECT_TRUE(await(loop, b.asked_of("b")).empty());
    EXPECT_EQ(error_of(loop, a.ask_for_home(ThreadId("t2"), "a")).code, Code::NotFound);
}

TEST(RedisThreads, TheHomeOfTheDeadIsTaken) {
    RedisServer server;
    asio::io_context loop;
    RedisThreads a(loop.get_executor(), options_of(server));
    RedisThreads b(loop.get_executor(), options_of(server));
    const ThreadId id("t1");
    await(loop, a.create_thread(thread("t1", "ann"), 0));
    await(loop, a.live("a", time_now() + milliseconds(150)));
    EXPECT_EQ(await(loop, a.take_home(id, "a")).instance, "a");
    sleep_ms(250);
    const auto taken = await(loop, b.take_home(id, "b"));
    EXPECT_EQ(taken.instance, "b");
    EXPECT_TRUE(taken.was_abandoned);
    // To say goodbye is quicker than to be given up.
    await(loop, b.live("b", time_now() + seconds(60)));
    EXPECT_EQ(await(loop, a.take_home(id, "a")).instance, "b");
    await(loop, b.live("b", time_now() - seconds(1)));
    EXPECT_EQ(await(loop, a.take_home(id, "a")).instance, "a");
}

// Goal: leases go by Redis' clock. A server whose own is an hour ahead takes nothing over.
TEST(RedisThreads, AWrongClockStealsNothing) {
    RedisServer server;
    asio::io_context loop;
    RedisThreads a(loop.get_executor(), options_of(server));
    await(loop, a.create_thread(thread("t1", "ann"), 0));
    const auto begun = await(loop, a.begin_turn(turn_request("t1", "a", "question", "", 20000)));
    auto ahead = turn_request("t1", "b", "mine");
    ahead.now = time_now() + std::chrono::hours(1);
    EXPECT_EQ(error_of(loop, a.begin_turn(ahead)).code, Code::Conflict);
    EXPECT_EQ(error_of(loop, a.remove_thread(Whose::of("ann"), ThreadId("t1"), ahead.now)).code,
              Code::Conflict);
    EXPECT_EQ(await(loop, a.end_turn(begun.hold, says("answer"))), 2u);
}

// ---- Records that others have damaged ----

// Asks Redis itself, as another program would.
class Stranger {
public:
    Stranger(asio::io_context& loop, const RedisServer& server)
        : loop_(loop), connection_(loop.get_executor(), options_of(server), {}) {}
    Reply ask(std::vector<std::string> words) {
        return await(loop_, connection_.ask(std::move(words)));
    }

private:
    asio::io_context& loop_;
    Connection connection_;
};

std::set<std::string> listed(asio::io_context& loop, RedisThreads& threads) {
    std::set<std::string> ids;
    core::ThreadQuery query{Whose::of("ann"), "", 2};
    do {
        const auto page = await(loop, threads.list_threads(query));
        for (const auto& each : page.threads) ids.insert(each.id.text());
        query.cursor = page.next_cursor;
    } while (!query.cursor.empty());
    return ids;
}

// Goal: one damaged record costs its owner that record: the list has the others, and it can be
// removed. The log hears of it, not of each time.
TEST(RedisThreads, ADamagedRecordIsLeftOutAndCanBeRemoved) {
    RedisServer server;
    asio::io_context loop;
    std::vector<std::string> told;
    auto options = options_of(server);
    options.tell = [&](const std::string& sentence) { told.push_back(sentence); };
    RedisThreads threads(loop.get_executor(), options);
    Stranger stranger(loop, server);
    await(loop, threads.add_upload(core::contract::upload("u1", "ann", 10), 0));
    const std::vector<std::vector<std::string>> damages{
        {"HSET", "atoll:thread:bad", "messages", "many"},
        {"HSET", "atoll:thread:bad", "created", "99999999999999999999"},
        {"HDEL", "atoll:thread:bad", "turns"},
        {"HSET", "atoll:thread:bad", "files", "7:x"},
        {"HSET", "atoll:thread:bad", "title", std::string(1u << 20, 'x')},
        {"HSET", "atoll:thread:bad", "lease_instance", "a", "lease_until", "soon"},
        {"HSET", "atoll:thread:bad", "lease_instance", "a", "lease_until", "9999999999999999"},
        {"HSET", "atoll:thread:bad", "owner", std::string(1u << 20, 'x')},
        {"SET", "atoll:thread:bad", "no hash"},
    };
    await(loop, threads.create_thread(thread("good1", "ann"), 0));
    await(loop, threads.create_thread(thread("good2", "ann"), 0));
    for (const auto& damage : damages) {
        SCOPED_TRACE(damage[2]);
        auto record = thread("bad", "ann");
        record.files = {UploadId("u1")};
        await(loop, threads.create_thread(record, 0));
        ASSERT_NE(stranger.ask(damage).kind, Reply::Kind::Refusal);
        const auto ids = listed(loop, threads);
        EXPECT_TRUE(ids.count("good1") == 1 && ids.count("good2") == 1);
        // A lease that nobody can hold is none; the rest of that record is sound.
        EXPECT_EQ(ids.count("bad"), damage.back() == "9999999999999999" ? 1u : 0u);
        EXPECT_EQ(
            error_of(loop, threads.remove_thread(Whose::of("bob"), ThreadId("bad"), time_now()))
                .code,
            Code::NotFound);
        await(loop, threads.remove_thread(Whose::of("ann"), ThreadId("bad"), time_now()));
        EXPECT_EQ(stranger.ask({"EXISTS", "atoll:thread:bad"}).number, 0);
        EXPECT_EQ(listed(loop, threads).size(), 2u);
    }
    EXPECT_EQ(told.size(), 1u);
    EXPECT_NE(told.at(0).find("cannot be read"), std::string::npos);
    // An upload of the damaged ones can go where its name could be read; it is damaged itself now.
    ASSERT_NE(stranger.ask({"HSET", "atoll:upload:u1", "bytes", "x", "uses", "0"}).kind,
              Reply::Kind::Refusal);
    EXPECT_TRUE(await(loop, threads.list_uploads({Whose::of("ann"), "", 10})).uploads.empty());
    EXPECT_EQ(error_of(loop, threads.remove_upload(Whose::of("bob"), UploadId("u1"))).code,
              Code::NotFound);
    await(loop, threads.remove_upload(Whose::of("ann"), UploadId("u1")));
    EXPECT_EQ(stranger.ask({"EXISTS", "atoll:upload:u1"}).number, 0);
}

// Goal: what is larger than anything we write never comes over the connection that all share.
TEST(RedisThreads, AHugeFieldCutsNobodysConnection) {
    RedisServer server({"--appendonly", "no"});  // it is not the disk that is tried
    asio::io_context loop;
    auto options = options_of(server);
    options.reply_bytes_max = (16u << 20) + (512u << 10);  // a message has 16 MiB at most
    RedisThreads threads(loop.get_executor(), options);
    Connection stranger(loop.get_executor(), options_of(server), {});
    const auto tell = [&](std::vector<std::string> words) {
        EXPECT_NE(await(loop, stranger.ask(std::move(words))).kind, Reply::Kind::Refusal);
    };
    const std::string huge(17u << 20, 'x');
    await(loop, threads.create_thread(thread("good", "ann"), 0));
    await(loop, threads.create_thread(thread("bad", "ann"), 0));
    await(loop, threads.add_upload(core::contract::upload("u1", "ann", 10), 0));
    const auto begun = await(loop, threads.begin_turn(turn_request("good", "a", "question")));
    await(loop, threads.end_turn(begun.hold, says("answer")));
    tell({"XADD", "atoll:messages:good", "3-0", "turn", "1", "content", huge});
    tell({"HSET", "atoll:thread:good", "messages", "3"});
    tell({"HSET", "atoll:upload:u1", "name", huge});
    tell({"ZADD", "atoll:owner:ann", "1", huge});
    for (const char* field : {"title", "memory", "owner", "home", "files", "session"}) {
        SCOPED_TRACE(field);
        tell({"HSET", "atoll:thread:bad", field, huge});
        const bool only_alone = std::string(field) == "memory";  // lists do not tell it
        EXPECT_EQ(listed(loop, threads).size(), only_alone ? 2u : 1u);
        EXPECT_NE(error_of(loop, threads.get_thread(Whose::of("ann"), ThreadId("bad"))).code,
                  Code::Unavailable);
        EXPECT_NE(error_of(loop, threads.begin_turn(turn_request("bad", "a", "question"))).code,
                  Code::Unavailable);
        EXPECT_NE(error_of(loop, threads.take_home(ThreadId("bad"), "a")).code, Code::Unavailable);
        EXPECT_NE(error_of(loop, threads.ask_for_home(ThreadId("bad"), "a")).code,
                  Code::Unavailable);
        tell({"HSET", "atoll:thread:bad", field, std::string(field) == "owner" ? "ann" : ""});
    }
    EXPECT_TRUE(await(loop, threads.list_uploads({Whose::of("ann"), "", 10})).uploads.empty());
    const auto read = await(loop, threads.read(Whose::of("ann"), ThreadId("good"), 1, 1u << 20));
    ASSERT_EQ(read.size(), 3u);
    EXPECT_EQ(read[1].content, "answer");
    EXPECT_EQ(read[2].role, core::MessageRole::Note);
    EXPECT_EQ(read[2].sequence, 3u);
    // All of it over the connection of the beginning.
    EXPECT_EQ(static_cast<int>(threads.health().state),
              static_cast<int>(core::StoreHealth::State::Ok));
}

// ---- Writes whose answers get lost ----

// Goal: a turn that Redis ended after we had given up waiting is known to have ended.
TEST(RedisThreads, AWriteThatWasLateIsKnownByItsMark) {
    RedisServer server;
    asio::io_context loop;
    auto options = options_of(server);
    options.answer_timeout = milliseconds(300);
    RedisThreads a(loop.get_executor(), options);
    RedisThreads b(loop.get_executor(), options_of(server));
    await(loop, a.create_thread(thread("t1", "ann"), 0));
    auto hold = await(loop, a.begin_turn(turn_request("t1", "a", "question"))).hold;
    hold.mark = "step";
    EXPECT_EQ(await(loop, a.append(hold, says("step"))), 2u);
    EXPECT_EQ(await(loop, a.append(hold, says("step"))), 2u);
    hold.mark = "end";
    ::kill(server.pid(), SIGSTOP);
    EXPECT_EQ(error_of(loop, a.end_turn(hold, says("answer"))).code, Code::Unavailable);
    ::kill(server.pid(), SIGCONT);
    await_recovery(loop, [&] { return a.get_thread(Whose::of("ann"), ThreadId("t1")); });
    EXPECT_EQ(await(loop, a.end_turn(hold, says("answer"))), 3u);
    // Also when the next turn has begun meanwhile, and under no other mark.
    const auto next = await(loop, b.begin_turn(turn_request("t1", "b", "next")));
    EXPECT_EQ(await(loop, a.end_turn(hold, says("answer"))), 3u);
    hold.mark = "another";
    EXPECT_EQ(error_of(loop, a.end_turn(hold, says("answer"))).code, Code::Conflict);
    hold.mark = "";
    EXPECT_EQ(error_of(loop, a.end_turn(hold, says("answer"))).code, Code::Conflict);
    EXPECT_EQ(await(loop, b.end_turn(next.hold, says("more"))), 5u);
    EXPECT_EQ(await(loop, b.read(Whose::of("ann"), ThreadId("t1"), 1, 1u << 20)).size(), 5u);
}

// ---- Clocks ----

// Goal: Redis' clock was put back after a lease was taken: nobody waits for as long as it jumped,
// and the old holder finds out at its next write.
TEST(RedisThreads, AClockThatWasPutBackKeepsNoThreadBusy) {
    RedisServer server;
    asio::io_context loop;
    RedisThreads threads(loop.get_executor(), options_of(server));
    Stranger stranger(loop, server);
    const ThreadId id("t1");
    await(loop, threads.create_thread(thread("t1", "ann"), 0));
    const auto first = await(loop, threads.begin_turn(turn_request("t1", "a", "first")));
    const auto in_a_day =
        std::to_string((time_now() + std::chrono::hours(24)).time_since_epoch().count());
    stranger.ask({"HSET", "atoll:thread:t1", "lease_until", in_a_day});
    stranger.ask({"ZADD", "atoll:live", in_a_day, "a"});
    // Its holder is there still, and puts it right.
    EXPECT_FALSE(await(loop, threads.renew_turn(first.hold, time_now() + seconds(20))));
    EXPECT_EQ(error_of(loop, threads.begin_turn(turn_request("t1", "b", "second"))).code,
              Code::Conflict);
    // Its holder has gone.
    stranger.ask({"HSET", "atoll:thread:t1", "lease_until", in_a_day});
    EXPECT_FALSE(await(loop, threads.cancel_turn(id)));
    const auto second = await(loop, threads.begin_turn(turn_request("t1", "b", "second")));
    EXPECT_TRUE(second.took_over);
    EXPECT_EQ(error_of(loop, threads.append(first.hold, says("late"))).code, Code::Conflict);
    EXPECT_EQ(error_of(loop, threads.renew_turn(first.hold, time_now() + seconds(20))).code,
              Code::Conflict);
    stranger.ask({"HSET", "atoll:thread:t1", "home", "a"});
    EXPECT_TRUE(await(loop, threads.take_home(id, "b")).was_abandoned);
}

// ---- Redis goes away ----

TEST(RedisThreads, NobodyWaitsForARedisThatIsNotThere) {
    asio::io_context loop;
    RedisOptions options;
    options.port = free_port();
    RedisThreads threads(loop.get_executor(), options);
    for (int i = 0; i < 3; ++i) {
        const auto said = error_of(loop, threads.get_thread(Whose::of("ann"), ThreadId("t1")));
        EXPECT_EQ(said.code, Code::Unavailable);
        EXPECT_NE(said.message.find("Redis at 127.0.0.1:" + std::to_string(options.port)),
                  std::string::npos)
            << said.message;
    }
    EXPECT_EQ(threads.health().state, core::StoreHealth::State::Failing);

    // And when it comes, it is found.
    RedisServer server({"--port", std::to_string(options.port), "--bind", "127.0.0.1"});
    await_recovery(loop, [&] { return threads.create_thread(thread("t1", "ann"), 0); });
    EXPECT_EQ(threads.health().state, core::StoreHealth::State::Ok);
    EXPECT_EQ(await(loop, threads.get_thread(Whose::of("ann"), ThreadId("t1"))).owner, "ann");
}

TEST(RedisThreads, ANameThatIsNoneIsSaid) {
    asio::io_context loop;
    RedisOptions options;
    options.socket = "/nowhere/" + std::string(200, 'x');
    RedisThreads threads(loop.get_executor(), options);
    EXPECT_EQ(error_of(loop, threads.look()).code, Code::Unavailable);
}

// Goal: whatever listens there instead, nobody hangs and nothing is believed.
TEST(RedisThreads, AStrangerAtThePortIsGivenUp) {
    const std::string speeches[] = {"",
                                    "HTTP/1.1 400 Bad Request\r\n\r\n",
                                    "-DENIED\r\n",
                                    "+OK\r\n+OK\r\n+OK\r\n",
                                    "*2147483647\r\n",
                                    "*1000000\r\n*1000000\r\n*1000000\r\n"};
    for (const auto& speech : speeches) {
        SCOPED_TRACE(speech);
        asio::io_context loop;
        asio::ip::tcp::acceptor door(loop, {asio::ip::address_v4::loopback(), 0});
        std::vector<std::unique_ptr<asio::ip::tcp::socket>> guests;
        std::function<void()> open = [&] {
            guests.push_back(std::make_unique<asio::ip::tcp::socket>(loop));
            door.async_accept(*guests.back(), [&](boost::system::error_code failed) {
                if (failed) return;
                boost::system::error_code ignored;
                guests.back()->write_some(asio::buffer(speech), ignored);
                open();
            });
        };
        open();
        RedisOptions options;
        options.port = door.local_endpoint().port();
        options.connect_timeout = milliseconds(300);
        options.reply_bytes_max = 1u << 20;
        RedisThreads threads(loop.get_executor(), options);
        const auto said = error_of(loop, threads.get_thread(Whose::of("ann"), ThreadId("t1")));
        EXPECT_EQ(said.code, Code::Unavailable) << said.message;
    }
}

TEST(RedisThreads, ARedisThatFallsSilentIsGivenUpAndComesBack) {
    RedisServer server;
    asio::io_context loop;
    auto options = options_of(server);
    options.answer_timeout = milliseconds(300);
    options.connect_timeout = milliseconds(300);
    RedisThreads threads(loop.get_executor(), options);
    await(loop, threads.create_thread(thread("t1", "ann"), 0));
    ::kill(server.pid(), SIGSTOP);
    const auto said = error_of(loop, threads.get_thread(Whose::of("ann"), ThreadId("t1")));
    EXPECT_EQ(said.code, Code::Unavailable);
    EXPECT_NE(said.message.find("did not answer in time"), std::string::npos) << said.message;
    ::kill(server.pid(), SIGCONT);
    await_recovery(loop, [&] { return threads.get_thread(Whose::of("ann"), ThreadId("t1")); });
}

TEST(RedisThreads, TooManyAtOnceAreRefused) {
    RedisServer server;
    asio::io_context loop;
    auto options = options_of(server);
    options.requests_max = 10;
    RedisThreads threads(loop.get_executor(), options);
    int fine = 0;
    int refused = 0;
    for (int i = 0; i < 50; ++i) {
        asio::co_spawn(loop, threads.live("a", time_now() + seconds(9)),
                       [&](std::exception_ptr failed) { ++(failed ? refused : fine); });
    }
    while (fine + refused < 50) loop.run_one_for(seconds(10));
    EXPECT_GE(fine, 10);
    EXPECT_GE(refused, 1);
    await(loop, threads.live("a", time_now() + seconds(9)));
}

TEST(RedisThreads, ItsEndAnswersWhoeverWaits) {
    RedisServer server;
    asio::io_context loop;
    auto threads = std::make_unique<RedisThreads>(loop.get_executor(), options_of(server));
    await(loop, threads->live("a", time_now() + seconds(9)));
    ::kill(server.pid(), SIGSTOP);
    int ended = 0;
    for (int i = 0; i < 5; ++i) {
        asio::co_spawn(loop, threads->live("a", time_now() + seconds(9)),
                       [&](std::exception_ptr failed) { ended += failed ? 1 : 0; });
    }
    loop.restart();
    loop.run_for(milliseconds(50));
    threads.reset();
    // With nothing left to do, the loop comes to its end by itself.
    loop.restart();
    loop.run_for(seconds(5));
    EXPECT_TRUE(loop.stopped());
    EXPECT_EQ(ended, 5);
    ::kill(server.pid(), SIGCONT);
}

TEST(RedisThreads, ScriptsThatRedisForgotAreSentAgain) {
    RedisServer server;
    asio::io_context loop;
    RedisThreads threads(loop.get_executor(), options_of(server));
    await(loop, threads.create_thread(thread("t1", "ann"), 0));
    Connection other(loop.get_executor(), options_of(server), {});
    std::vector<std::string> flush{"SCRIPT", "FLUSH"};
    EXPECT_EQ(await(loop, other.ask(flush)).text, "OK");
    EXPECT_EQ(await(loop, threads.begin_turn(turn_request("t1", "a", "question"))).question, 1u);
}

// Goal: what was answered is there after Redis was killed, in order and once; what was refused says
// so in words; and everybody goes on when it is back. Two servers, ten threads.
TEST(RedisThreads, WhatWasAnsweredSurvivesAKilledRedis) {
    RedisServer server;
    asio::io_context loop;
    RedisThreads a(loop.get_executor(), options_of(server));
    RedisThreads b(loop.get_executor(), options_of(server));
    constexpr int kThreads = 10;
    for (int i = 0; i < kThreads; ++i) {
        await(loop, a.create_thread(thread("t" + std::to_string(i), "ann"), 0));
    }
    struct Tally {
        std::map<std::string, std::vector<std::string>> acknowledged;  // by thread
        std::set<std::string> complaints;
        int failures = 0;
        int writers = 0;
        bool stop = false;
    } tally;
    auto write = [](RedisThreads* threads, std::string id, std::string instance,
                    Tally* out) -> asio::awaitable<void> {
        const auto executor = co_await asio::this_coro::executor;
        asio::steady_timer pause(executor);
        for (int i = 0; !out->stop; ++i) {
            const std::string name = instance + "-" + std::to_string(i);
            // The same question until it is answered, as a client would.
            for (bool done = false; !done && !out->stop;) {
                std::optional<Error> failed;
                try {
                    auto wanted = turn_request(id, instance, "q" + name, name, 150);
                    const auto begun = co_await threads->begin_turn(std::move(wanted));
                    if (!begun.repeated) {
                        out->acknowledged[id].push_back("q" + name);
                        auto part = says("p" + name + "-" + std::to_string(begun.hold.turn));
                        co_await threads->append(begun.hold, part);
                        out->acknowledged[id].push_back(part[0].content);
                        auto answer = says("a" + name + "-" + std::to_string(begun.hold.turn));
                        co_await threads->end_turn(begun.hold, answer);
                        out->acknowledged[id].push_back(answer[0].content);
                    }
                    done = true;
                } catch (const ErrorException& thrown) { failed = thrown.error; }
                if (!failed) continue;
                if (failed->code == Code::Unavailable) {
                    ++out->failures;
                    out->complaints.insert(failed->message);
                } else if (failed->code != Code::Conflict) {
                    ADD_FAILURE() << failed->message;
                }
                pause.expires_after(milliseconds(20));
                co_await pause.async_wait(asio::use_awaitable);
            }
        }
        --out->writers;
    };
    for (int i = 0; i < kThreads; ++i) {
        for (auto* threads : {&a, &b}) {
            ++tally.writers;
            const std::string instance = threads == &a ? "a" : "b";
            asio::co_spawn(loop, write(threads, "t" + std::to_string(i), instance, &tally),
                           [](std::exception_ptr failed) {
                               if (failed) std::rethrow_exception(failed);
                           });
        }
    }
    std::mt19937 random(20260);
    loop.restart();
    for (int round = 0; round < 4; ++round) {
        loop.run_for(milliseconds(300 + static_cast<int>(random() % 200)));
        server.kill();
        loop.run_for(milliseconds(100));
        server.start();
    }
    loop.run_for(milliseconds(600));
    tally.stop = true;
    const auto end = std::chrono::steady_clock::now() + seconds(20);
    while (tally.writers > 0 && std::chrono::steady_clock::now() < end) {
        loop.run_for(milliseconds(20));
    }
    ASSERT_EQ(tally.writers, 0);
    EXPECT_GT(tally.failures, 0);
    await_recovery(loop, [&] { return b.live("b", time_now() + seconds(9)); });
    for (const auto& sentence : tally.complaints) {
        EXPECT_NE(sentence.find("conversations are out of reach: Redis at "), std::string::npos)
            << sentence;
    }
    std::size_t acknowledged = 0;
    std::size_t there = 0;
    for (const auto& [id, contents] : tally.acknowledged) {
        std::map<std::string, std::size_t> positions;  // of what stands in the history
        std::uint64_t next = 1;
        while (true) {
            const auto more = await(loop, b.read(Whose::of("ann"), ThreadId(id), next, 1u << 20));
            if (more.empty()) break;
            for (const auto& each : more) {
                EXPECT_EQ(each.sequence, next++);
                if (each.role == core::MessageRole::Note) continue;
                EXPECT_TRUE(positions.emplace(each.content, next).second)
                    << each.content << " is there twice";
            }
        }
        there += next - 1;
        // Questions may have been begun anew; of the rest the order is that of the answers.
        std::size_t last = 0;
        for (const auto& content : contents) {
            ++acknowledged;
            ASSERT_TRUE(positions.contains(content)) << content << " is lost";
            if (content[0] == 'q') continue;
            EXPECT_GT(positions[content], last) << content;
            last = positions[content];
        }
    }
    std::printf("%zu acknowledged over 4 kills, %zu in the histories, %d requests failed\n",
                acknowledged, there, tally.failures);
    EXPECT_GT(acknowledged, 100u);
}

// ---- Settings ----

TEST(RedisThreads, APasswordAndADatabase) {
    RedisServer server({"--requirepass", "s3cret word"});
    asio::io_context loop;
    auto options = options_of(server);
    {
        RedisThreads threads(loop.get_executor(), options);
        const auto said = error_of(loop, threads.look());
        EXPECT_EQ(said.code, Code::Unavailable);
        EXPECT_NE(said.message.find("REDIS_PASSWORD"), std::string::npos) << said.message;
    }
    options.password = "wrong";
    {
        RedisThreads threads(loop.get_executor(), options);
        const auto said = error_of(loop, threads.look());
        EXPECT_NE(said.message.find("refuses the password"), std::string::npos) << said.message;
        EXPECT_EQ(said.message.find("wrong"), std::string::npos) << "it tells the password";
    }
    options.password = "s3cret word";
    options.database = 3;
    RedisThreads third(loop.get_executor(), options);
    await(loop, third.create_thread(thread("t1", "ann"), 0));
    options.database = 0;
    RedisThreads first(loop.get_executor(), options);
    EXPECT_EQ(error_of(loop, first.get_thread(Whose::anyones(), ThreadId("t1"))).code,
              Code::NotFound);
    options.database = 99;
    RedisThreads none(loop.get_executor(), options);
    EXPECT_EQ(error_of(loop, none.look()).code, Code::Unavailable);
}

TEST(RedisThreads, EverythingIsUnderThePrefix) {
    RedisServer server;
    asio::io_context loop;
    RedisThreads threads(loop.get_executor(), options_of(server, "mine:"));
    await(loop, threads.add_upload(core::contract::upload("u1", "ann", 1), 0));
    auto record = thread("t1", "ann");
    record.files = {UploadId("u1")};
    await(loop, threads.create_thread(record, 0));
    await(loop, threads.live("a", time_now() + seconds(9)));
    await(loop, threads.take_home(ThreadId("t1"), "a"));
    await(loop, threads.ask_for_home(ThreadId("t1"), "b"));
    const auto begun = await(loop, threads.begin_turn(turn_request("t1", "a", "question", "c1")));
    await(loop, threads.end_turn(begun.hold, says("answer")));
    Connection other(loop.get_executor(), options_of(server), {});
    std::vector<std::string> all{"KEYS", "*"};
    const auto keys = await(loop, other.ask(all));
    EXPECT_EQ(keys.list.size(), 11u);
    for (const auto& key : keys.list) EXPECT_EQ(key.text.substr(0, 5), "mine:");
    // Nothing but the counts of who lives is left of what is removed.
    await(loop, threads.leave_home(ThreadId("t1"), "a"));
    await(loop, threads.remove_thread(Whose::of("ann"), ThreadId("t1"), time_now()));
    await(loop, threads.remove_upload(Whose::of("ann"), UploadId("u1")));
    const auto left = await(loop, other.ask(all));
    ASSERT_EQ(left.list.size(), 1u);
    EXPECT_EQ(left.list[0].text, "mine:live");
}

TEST(RedisThreads, SettingsThatForgetAreSaid) {
    struct Row {
        std::vector<std::string> settings;
        std::vector<std::string> expected;
    };
    const Row rows[] = {
        {{}, {}},
        {{"--appendfsync", "everysec"}, {"appendfsync everysec"}},
        {{"--appendonly", "no"}, {"appendonly no"}},
        {{"--rename-command", "CONFIG", ""}, {"not known"}},
        {{"--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"}, {"allkeys-lru"}},
    };
    for (const auto& row : rows) {
        RedisServer server(row.settings);
        asio::io_context loop;
        RedisThreads threads(loop.get_executor(), options_of(server));
        const auto warnings = await(loop, threads.look());
        ASSERT_EQ(warnings.size(), row.expected.size());
        for (std::size_t i = 0; i < warnings.size(); ++i) {
            EXPECT_NE(warnings[i].find(row.expected[i]), std::string::npos) << warnings[i];
        }
    }
}

TEST(RedisThreads, RefusalsAreExplained) {
    struct Row {
        const char* refusal;
        Code code;
        const char* said;
    };
    const Row rows[] = {
        {"LOADING Redis is loading the dataset in memory", Code::Unavailable, "still reading"},
        {"OOM command not allowed", Code::Exhausted, "no memory left"},
        {"ERR Error running script (call to f_1): @user_script:5: -OOM command", Code::Exhausted,
         "no memory left"},
        {"READONLY You can't write against a read only replica.", Code::Unavailable, "replica"},
        {"MISCONF Redis is configured to save RDB snapshots", Code::Unavailable, "disk"},
        {"ERR unknown command", Code::Internal, "unknown command"},
    };
    for (const auto& row : rows) {
        const Error error = explain(row.refusal, "Redis here");
        EXPECT_EQ(error.code, row.code) << row.refusal;
        EXPECT_EQ(error.message.find("Redis here"), 0u);
        EXPECT_NE(error.message.find(row.said), std::string::npos) << error.message;
    }
}

// Goal: a Redis without memory refuses before it writes, and what is there stays whole.
TEST(RedisThreads, AFullRedisRefusesWhole) {
    RedisServer server({"--maxmemory", "8mb"});
    asio::io_context loop;
    RedisThreads threads(loop.get_executor(), options_of(server));
    await(loop, threads.create_thread(thread("t1", "ann"), 0));
    const auto begun = await(loop, threads.begin_turn(turn_request("t1", "a", "question")));
    std::uint64_t last = 1;
    Error said;
    for (int i = 0; i < 100; ++i) {
        const auto part = says(std::string(500000, 'x'));
        said = error_of(loop, threads.append(begun.hold, part));
        if (!said.message.empty()) break;
        ++last;
    }
    EXPECT_EQ(said.code, Code::Exhausted) << said.message;
    EXPECT_EQ(await(loop, threads.get_thread(Whose::of("ann"), ThreadId("t1"))).messages, last);
}

}  // namespace

}  // namespace atl::redis::testing

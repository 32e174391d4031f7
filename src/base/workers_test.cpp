#include "base/workers.hpp"

#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>

namespace atl {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

// Says on which thread it was destroyed.
struct Witness {
    std::atomic<std::thread::id>* where;
    explicit Witness(std::atomic<std::thread::id>& told) : where(&told) {}
    Witness(const Witness&) = delete;
    Witness& operator=(const Witness&) = delete;
    ~Witness() { *where = std::this_thread::get_id(); }
};

}  // namespace

TEST(Workers, WorkIsDoneElsewhereAndTheCoroutineGoesOnWhereItWas) {
    asio::io_context loop;
    const auto here = std::this_thread::get_id();
    std::thread::id there, after;
    std::unique_ptr<int> answer;
    const auto ask = [&]() -> asio::awaitable<void> {
        const auto work = [&] {
            there = std::this_thread::get_id();
            return std::make_unique<int>(42);
        };
        answer = co_await workers_of(loop.get_executor()).run(work);
        after = std::this_thread::get_id();
    };
    asio::co_spawn(loop, ask, asio::detached);
    loop.run();  // and it does not run out of work meanwhile
    ASSERT_NE(answer, nullptr);
    EXPECT_EQ(*answer, 42);
    EXPECT_NE(there, here);
    EXPECT_EQ(after, here);
}

TEST(Workers, WhatTheWorkThrowsTheCoroutineThrows) {
    asio::io_context loop;
    std::string said;
    const auto ask = [&]() -> asio::awaitable<void> {
        const auto work = []() -> int { throw std::runtime_error("not today"); };
        try {
            co_await workers_of(loop.get_executor()).run(work);
        } catch (const std::runtime_error& failed) { said = failed.what(); }
    };
    asio::co_spawn(loop, ask, asio::detached);
    loop.run();
    EXPECT_EQ(said, "not today");
}

TEST(Workers, TheLoopGoesOnMeanwhile) {
    asio::io_context loop;
    std::atomic<bool> loop_moved = false;
    bool seen = false;
    const auto ask = [&]() -> asio::awaitable<void> {
        const auto work = [&] {
            for (int i = 0; i < 10'000 && !loop_moved; ++i) std::this_thread::sleep_for(1ms);
            return loop_moved.load();
        };
        seen = co_await workers_of(loop.get_executor()).run(work);
    };
    asio::co_spawn(loop, ask, asio::detached);
    asio::post(loop, [&] { asio::post(loop, [&] { loop_moved = true; }); });
    loop.run();
    EXPECT_TRUE(seen);
}

// Goal: a coroutine that is cancelled while its work is under way outlives the work.
TEST(Workers, CancellingWaitsForTheWork) {
    asio::io_context loop;
    asio::cancellation_signal cancel;
    std::atomic<bool> begun = false, done = false;
    bool ended_before = false;
    const auto ask = [&]() -> asio::awaitable<void> {
        const std::string mine(1000, 'x');
        const auto work = [&] {
            begun = true;
            std::this_thread::sleep_for(50ms);
            done = true;
            return mine.size();
        };
        co_await workers_of(loop.get_executor()).run(work);
    };
    asio::co_spawn(loop, ask, asio::bind_cancellation_slot(cancel.slot(), [&](std::exception_ptr) {
                       ended_before = !done;
                   }));
    std::function<void()> when_begun = [&] {
        if (!begun) return asio::post(loop, when_begun);
        cancel.emit(asio::cancellation_type::terminal);
    };
    asio::post(loop, when_begun);
    loop.run();
    EXPECT_TRUE(done);
    EXPECT_FALSE(ended_before);
}

TEST(Workers, ALoopThatGoesWaitsForItsWorkers) {
    std::atomic<bool> begun = false, done = false;
    {
        asio::io_context loop;
        const auto ask = [&]() -> asio::awaitable<void> {
            const std::string mine(1000, 'x');
            const auto work = [&] {
                begun = true;
                std::this_thread::sleep_for(50ms);
                done = true;
                return mine.size();
            };
            co_await workers_of(loop.get_executor()).run(work);
            ADD_FAILURE() << "nobody runs this loop any more";
        };
        asio::co_spawn(loop, ask, asio::detached);
        while (!begun) loop.poll();
    }
    EXPECT_TRUE(done);
}

TEST(Workers, WhatIsDroppedGoesElsewhere) {
    std::atomic<std::thread::id> where;
    {
        Workers workers(1, "test");
        workers.drop(std::make_unique<Witness>(where));
    }
    EXPECT_NE(where.load(), std::thread::id());
    EXPECT_NE(where.load(), std::this_thread::get_id());
    {
        Workers stopped(1, "test");
        stopped.stop();
        where = std::thread::id();
        stopped.drop(std::make_unique<Witness>(where));
    }
    EXPECT_EQ(where.load(), std::this_thread::get_id());  // late, and not lost
}

TEST(Workers, ManyAtOnceAreAllAnswered) {
    asio::io_context loop;
    int sum = 0;
    const auto ask = [&](int number) -> asio::awaitable<void> {
        for (int i = 0; i < 20; ++i) {
            const auto work = [number] { return number; };
            const int back = co_await workers_of(loop.get_executor()).run(work);
            sum += back;
        }
    };
    for (int i = 1; i <= 50; ++i) asio::co_spawn(loop, ask(i), asio::detached);
    loop.run();
    EXPECT_EQ(sum, 20 * 50 * 51 / 2);
}

}  // namespace atl

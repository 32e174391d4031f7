#include "base/scope.hpp"
#include "base/as_tuple.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace atl {

namespace asio = boost::asio;

namespace {

asio::awaitable<void> loop_iterations(int count) {
    for (int i = 0; i < count; ++i) co_await asio::post(asio::use_awaitable);
}

void run(asio::awaitable<void> test) {
    asio::io_context loop;
    std::exception_ptr failed;
    bool ended = false;
    asio::co_spawn(loop, std::move(test), [&](std::exception_ptr error) {
        failed = error;
        ended = true;
    });
    loop.run();
    ASSERT_TRUE(ended);
    if (failed) std::rethrow_exception(failed);
}

// Goal: whatever way a scope is left, its work has ended first.
TEST(Scope, LeavingWaitsForWork) {
    std::string order;
    const auto body = [&](Scope& scope) -> asio::awaitable<void> {
        const auto slow = [&]() -> asio::awaitable<void> {
            co_await loop_iterations(5);
            order += "work ";
        };
        scope.spawn(slow);
        order += "body ";
        co_return;
    };
    const auto test = [&]() -> asio::awaitable<void> {
        co_await in_scope(body);
        order += "left";
    };
    run(test());
    EXPECT_EQ(order, "body work left");
}

TEST(Scope, ABodyThatThrowsWaitsToo) {
    bool ended = false;
    const auto body = [&](Scope& scope) -> asio::awaitable<void> {
        const auto slow = [&]() -> asio::awaitable<void> {
            co_await loop_iterations(5);
            ended = true;
        };
        scope.spawn(slow);
        throw std::runtime_error("body");
        co_return;
    };
    EXPECT_THROW(run(in_scope(body)), std::runtime_error);
    EXPECT_TRUE(ended);
}

TEST(Scope, WhatWorkThrowsReachesTheOwner) {
    const auto body = [](Scope& scope) -> asio::awaitable<void> {
        const auto broken = []() -> asio::awaitable<void> {
            co_await loop_iterations(1);
            throw std::runtime_error("work");
        };
        scope.spawn(broken);
        co_return;
    };
    EXPECT_THROW(run(in_scope(body)), std::runtime_error);
}

TEST(Scope, WorkMaySpawnMore) {
    int ended = 0;
    const auto body = [&](Scope& scope) -> asio::awaitable<void> {
        const auto outer = [&]() -> asio::awaitable<void> {
            co_await loop_iterations(1);
            const auto inner = [&]() -> asio::awaitable<void> {
                co_await loop_iterations(3);
                ++ended;
            };
            scope.spawn(inner);
            ++ended;
        };
        scope.spawn(outer);
        co_return;
    };
    run(in_scope(body));
    EXPECT_EQ(ended, 2);
}

// Goal: a cancelled owner still waits, for the work refers to what it has.
TEST(Scope, CancellingTheOwnerDoesNotCutTheWaitShort) {
    asio::io_context loop;
    asio::cancellation_signal cancel;
    bool work_ended = false, owner_ended = false;
    const auto owner = [&]() -> asio::awaitable<void> {
        const auto body = [&](Scope& scope) -> asio::awaitable<void> {
            const auto slow = [&]() -> asio::awaitable<void> {
                co_await loop_iterations(20);
                work_ended = true;
            };
            scope.spawn(slow);
            asio::steady_timer never(scope.executor(), asio::steady_timer::time_point::max());
            co_await never.async_wait(asio::use_awaitable);  // throws when it is cancelled
        };
        co_await in_scope(body);
    };
    asio::co_spawn(loop, owner,
                   asio::bind_cancellation_slot(cancel.slot(), [&](std::exception_ptr failed) {
                       EXPECT_TRUE(failed);
                       EXPECT_TRUE(work_ended);
                       owner_ended = true;
                   }));
    const auto end_it = [&]() -> asio::awaitable<void> {
        co_await loop_iterations(2);
        cancel.emit(asio::cancellation_type::terminal);
        cancel.emit(asio::cancellation_type::terminal);
    };
    asio::co_spawn(loop, end_it, [](const std::exception_ptr&) {});
    loop.run();
    EXPECT_TRUE(owner_ended);
}

TEST(ScopeDeathTest, AScopeThatIsLeftEarlyEndsTheProcess) {
    EXPECT_DEATH(
        {
            asio::io_context loop;
            Scope scope(loop.get_executor());
            scope.spawn(loop_iterations(1));
        },
        "a scope ends after the work in it");
}

// Goal: who waits with an end of their own hears whether there is nothing left.
TEST(Scope, EndedByWaitsNoLongerThanThat) {
    using Clock = std::chrono::steady_clock;
    const auto test = []() -> asio::awaitable<void> {
        const auto executor = co_await asio::this_coro::executor;
        Scope scope(executor);
        asio::steady_timer never(executor, asio::steady_timer::time_point::max());
        const auto wait = [&]() -> asio::awaitable<void> {
            co_await never.async_wait(kAsTuple);
            throw std::runtime_error("it is of no account here");
        };
        scope.spawn(wait);
        const bool early = co_await scope.ended_by(Clock::now() + std::chrono::milliseconds(20));
        EXPECT_FALSE(early);
        EXPECT_EQ(scope.running(), 1u);
        const auto end = [&never]() -> asio::awaitable<void> {
            never.cancel();
            co_return;
        };
        scope.spawn(end);
        const bool later = co_await scope.ended_by(Clock::now() + std::chrono::seconds(20));
        EXPECT_TRUE(later);
    };
    run(test());
}

}  // namespace

}  // namespace atl

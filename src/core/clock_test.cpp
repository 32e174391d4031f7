#include "core/clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>
#include <optional>

namespace atl::core {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

struct Waiting {
    asio::io_context loop;
    std::optional<bool> came;

    void wait(Timer& timer) {
        const auto work = [](Timer& on, std::optional<bool>& into) -> asio::awaitable<void> {
            into = co_await on.wait();
        };
        asio::co_spawn(loop, work(timer, came), [](std::exception_ptr) {});
        loop.poll();
    }
};

TEST(Timer, SaysWhetherTheTimeCameOrItWasCancelled) {
    Waiting waiting;
    Timer timer(waiting.loop.get_executor(), system_clock());
    timer.expires_after(1ms);
    waiting.wait(timer);
    waiting.loop.run();
    EXPECT_EQ(waiting.came, true);

    waiting.came.reset();
    timer.expires_after(1h);
    waiting.loop.restart();
    waiting.wait(timer);
    EXPECT_EQ(waiting.came, std::nullopt);
    timer.cancel();
    waiting.loop.run();
    EXPECT_EQ(waiting.came, false);
}

TEST(Timer, SetAnewItCancelsWhoWaits) {
    Waiting waiting;
    Timer timer(waiting.loop.get_executor(), system_clock());
    timer.expires_after(1h);
    waiting.wait(timer);
    timer.expires_after(2h);
    waiting.loop.run();
    EXPECT_EQ(waiting.came, false);
}

TEST(Timer, CallsNobodyOnceItIsCancelledOrGone) {
    asio::io_context loop;
    int called = 0;
    {
        Timer timer(loop.get_executor(), system_clock());
        timer.expires_at(system_clock().now() - 1s);  // due, and the call is on its way
        timer.then([&called] { ++called; });
        timer.cancel();
        timer.expires_at(system_clock().now() - 1s);
        timer.then([&called] { ++called; });
    }
    loop.run();
    EXPECT_EQ(called, 0);
    Timer timer(loop.get_executor(), system_clock());
    timer.expires_at(system_clock().now() - 1s);
    timer.then([&called] { ++called; });
    loop.restart();
    loop.run();
    EXPECT_EQ(called, 1);
}

}  // namespace
}  // namespace atl::core

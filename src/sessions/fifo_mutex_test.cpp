#include "sessions/fifo_mutex.hpp"

#include "base/as_tuple.hpp"
#include "guest_client/test_support.hpp"

#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

namespace atl::sessions {

namespace asio = boost::asio;
using guest_client::testing::Nothing;
using guest_client::testing::Peer;
using guest_client::testing::Started;

namespace {

// Locks, notes that it has it, and keeps it until it is told to let go.
struct Holder {
    explicit Holder(asio::io_context& context)
        : let_go(context, asio::steady_timer::time_point::max()) {}
    asio::steady_timer let_go;
    bool has = false;

    asio::awaitable<void> hold(FifoMutex& mutex) {
        const auto lock = co_await mutex.lock();
        has = true;
        co_await let_go.async_wait(kAsTuple);
        has = false;
    }
};

struct Rig {
    Peer loop;
    FifoMutex mutex;
    Holder first{loop.context}, second{loop.context}, third{loop.context};
    std::shared_ptr<Started<Nothing>> one = loop.start(first.hold(mutex));
    std::shared_ptr<Started<Nothing>> two = loop.start(second.hold(mutex));
    std::shared_ptr<Started<Nothing>> three = loop.start(third.hold(mutex));

    ~Rig() {
        for (auto* holder : {&first, &second, &third}) {
            holder->let_go.cancel();
            loop.turn();
        }
    }
    void release(Holder& holder) {
        holder.let_go.cancel();
        loop.turn();
    }
};

}  // namespace

TEST(FifoMutex, is_handed_over_in_the_order_of_asking) {
    Rig rig;
    EXPECT_TRUE(rig.first.has && !rig.second.has && !rig.third.has);
    rig.release(rig.first);
    EXPECT_TRUE(!rig.first.has && rig.second.has && !rig.third.has);
    rig.release(rig.second);
    EXPECT_TRUE(rig.third.has);
    rig.release(rig.third);
    EXPECT_FALSE(rig.mutex.locked());
}

TEST(FifoMutex, a_waiter_that_is_cancelled_does_not_own_it) {
    Rig rig;
    rig.loop.cancel(*rig.two);
    EXPECT_TRUE(rig.two->done);
    EXPECT_FALSE(rig.two->error.empty()) << "it was cancelled, and did not get it";
    EXPECT_TRUE(rig.first.has && !rig.second.has && !rig.third.has);
    EXPECT_TRUE(rig.mutex.locked());
    rig.release(rig.first);
    EXPECT_TRUE(rig.third.has) << "the next in the queue gets it";
    rig.release(rig.third);
    EXPECT_FALSE(rig.mutex.locked());
}

// It is cancelled after the mutex was handed to it, and before it runs: it has it, or passes it on.
TEST(FifoMutex, a_waiter_that_is_cancelled_as_its_turn_comes_does_not_keep_it) {
    Rig rig;
    rig.first.let_go.cancel();
    while (rig.first.has) rig.loop.context.poll_one();
    rig.loop.cancel(*rig.two);
    if (!rig.two->done) rig.release(rig.second);
    EXPECT_TRUE(rig.two->done);
    EXPECT_TRUE(rig.third.has);
    rig.release(rig.third);
    EXPECT_FALSE(rig.mutex.locked());
}

TEST(FifoMutex, may_go_before_who_waits_for_it) {
    Peer loop;
    Holder first(loop.context), second(loop.context);
    auto mutex = std::make_unique<FifoMutex>();
    const auto one = loop.start(first.hold(*mutex));
    const auto two = loop.start(second.hold(*mutex));
    mutex.reset();
    first.let_go.cancel();
    loop.turn();
    EXPECT_TRUE(one->done && second.has);
    second.let_go.cancel();
    loop.turn();
    EXPECT_TRUE(two->done);
}

}  // namespace atl::sessions

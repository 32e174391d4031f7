#include "agent/turn_write.hpp"

#include "agent/model_context_bench.hpp"

#include <gtest/gtest.h>

namespace atl::agent::testing {

using core::contract::await;
using core::contract::says;

// Goal: a store that did write, and whose answers got lost, has each message once.
TEST(TurnWrite, AWriteWhoseAnswerGotLostIsStoredOnce) {
    asio::io_context loop;
    MemoryThreads store;
    const core::TurnHold hold{store.thread.id, "a", 1};
    store.lost_answers = 2;
    await(loop, write_surely(store, hold, says("step"), After::GoesOn));
    await(loop, write_surely(store, hold, says("answer"), After::Ends));
    ASSERT_EQ(store.messages.size(), 2u);
    EXPECT_EQ(store.messages[0].content, "step");
    EXPECT_EQ(store.messages[1].content, "answer");
    EXPECT_EQ(store.marks.size(), 2u);
}

// Goal: when nobody ever answers, nobody is told that it was not stored.
TEST(TurnWrite, WhatIsNotKnownIsNotClaimed) {
    asio::io_context loop;
    MemoryThreads store;
    const core::TurnHold hold{store.thread.id, "a", 1};
    store.lost_answers = 1000;
    try {
        await(loop, write_surely(store, hold, says("answer"), After::Ends,
                                 std::chrono::milliseconds{150}));
        FAIL() << "it was never answered";
    } catch (const ErrorException& thrown) {
        EXPECT_EQ(static_cast<int>(thrown.error.code), static_cast<int>(Code::Unavailable));
        EXPECT_NE(thrown.error.message.find("not known whether"), std::string::npos)
            << thrown.error.message;
    }
    EXPECT_EQ(store.messages.size(), 1u);
}

}  // namespace atl::agent::testing

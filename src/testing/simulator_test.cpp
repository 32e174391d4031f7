#include "testing/simulator.hpp"

#include "testing/model.hpp"

#include <gtest/gtest.h>

namespace atl::testing {

TEST(Simulator, TheSameSeedIsTheSameStory) {
    for (const std::uint64_t seed : {4u, 11u}) {  // a calm one, and one that is not
        SCOPED_TRACE(seed);
        const auto once = simulate({seed, false});
        const auto again = simulate({seed, false});
        EXPECT_TRUE(once.held) << once.broken;
        EXPECT_EQ(once.trace, again.trace);
        EXPECT_EQ(once.last, again.last);
        EXPECT_GT(once.requests, 20u);
    }
    EXPECT_NE(simulate({4, false}).trace, simulate({8, false}).trace);
}

TEST(Model, WhatWasAcknowledgedIsThereUntilALossIsTold) {
    ModelSession session;
    auto& cell = session.variables["x"];
    cell.tried("1");
    EXPECT_TRUE(Cell(cell).found("1"));
    EXPECT_TRUE(Cell(cell).found(kUnset));
    cell.acknowledged("1");
    EXPECT_FALSE(Cell(cell).found(kUnset));
    cell.acknowledged("2");
    EXPECT_FALSE(Cell(cell).found("1"));

    const std::vector<guest_client::Lost> lost{{"", "", "", "gone"}};
    const auto unheard = session.begin_telling(lost);
    EXPECT_TRUE(Cell(cell).found("1"));
    ModelSession::end_telling(unheard, false);
    EXPECT_FALSE(Cell(cell).found("1"));
    const auto heard = session.begin_telling(lost);
    ModelSession::end_telling(heard, true);
    EXPECT_TRUE(Cell(cell).found("1"));
    EXPECT_FALSE(Cell(cell).found("3"));  // nobody ever asked for it
}

TEST(Model, AForkMayHaveWhatWasThereOrCameMeanwhile) {
    ModelSession session;
    session.variables["x"].acknowledged("1");
    const auto before = session;
    session.variables["x"].acknowledged("2");
    auto fork = session.forked(before, "s-2");
    session.variables["x"].acknowledged("3");
    EXPECT_TRUE(Cell(fork.variables["x"]).found("1"));
    EXPECT_TRUE(Cell(fork.variables["x"]).found("2"));
    EXPECT_FALSE(Cell(fork.variables["x"]).found("3"));
    EXPECT_FALSE(Cell(fork.variables["x"]).found(kUnset));
}

}  // namespace atl::testing

#include "api/answer_budget.hpp"

#include <gtest/gtest.h>
#include <optional>

namespace atl::api {

// Goal: what is collected at once is bounded, and one owner leaves room for others.
TEST(AnswerBudget, NoOwnerHasMoreThanHalf) {
    AnswerBudget budget(100);
    AnswerBudget::Share a(budget, "ann"), also_a(budget, "ann"), b(budget, "bob");
    EXPECT_TRUE(a.take(30));
    EXPECT_TRUE(also_a.take(20));
    EXPECT_FALSE(also_a.take(1));
    EXPECT_TRUE(b.take(50));
    EXPECT_EQ(budget.held(), 100u);
    AnswerBudget::Share c(budget, "cay");
    EXPECT_FALSE(c.take(1));
}

TEST(AnswerBudget, WhatAnAnswerHeldComesBack) {
    AnswerBudget budget(100);
    std::optional<AnswerBudget::Share> a(std::in_place, budget, "ann");
    EXPECT_TRUE(a->take(50));
    EXPECT_FALSE(a->take(1));
    a.reset();
    EXPECT_EQ(budget.held(), 0u);
    AnswerBudget::Share again(budget, "ann");
    EXPECT_TRUE(again.take(50));
}

}  // namespace atl::api

#include "base/at_exit.hpp"

#include <gtest/gtest.h>
#include <new>

namespace atl {

TEST(AtExit, RunsHoweverTheBlockIsLeft) {
    int runs = 0;
    {
        const AtExit done([&] { ++runs; });
    }
    EXPECT_EQ(runs, 1);
    const auto fails = [&] {
        const AtExit done([&] { ++runs; });
        throw std::bad_alloc();
    };
    EXPECT_THROW(fails(), std::bad_alloc);
    EXPECT_EQ(runs, 2);
}

TEST(AtExit, IsSilentOnceCancelled) {
    int runs = 0;
    {
        AtExit done([&] { ++runs; });
        done.cancel();
    }
    EXPECT_EQ(runs, 0);
}

}  // namespace atl

#include "base/fd.hpp"
#include <fcntl.h>
#include <gtest/gtest.h>

namespace atl {

static bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }
static int some_fd() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

// Goal: one owner at a time, and the descriptor is closed when the last owner goes.
TEST(UniqueFd, ClosesWhenItsOwnerGoes) {
    const int raw = some_fd();
    ASSERT_GE(raw, 0);
    {
        const UniqueFd fd(raw);
        EXPECT_TRUE(is_open(raw));
    }
    EXPECT_FALSE(is_open(raw));
}

TEST(UniqueFd, MovingLeavesTheOldOwnerEmpty) {
    UniqueFd first(some_fd());
    const int raw = first.get();
    const UniqueFd second(std::move(first));
    EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): empty is what we promise
    EXPECT_EQ(second.get(), raw);
    EXPECT_TRUE(is_open(raw));
}

TEST(UniqueFd, AssigningClosesWhatWasHeld) {
    UniqueFd fd(some_fd());
    const int old = fd.get();
    const int fresh = some_fd();
    fd = UniqueFd(fresh);
    EXPECT_FALSE(is_open(old));
    EXPECT_EQ(fd.get(), fresh);
}

TEST(UniqueFd, ReleaseGivesItAwayAndResetClosesIt) {
    UniqueFd fd(some_fd());
    const int raw = fd.release();
    EXPECT_FALSE(fd);
    EXPECT_TRUE(is_open(raw));
    fd = UniqueFd(raw);
    fd.reset();
    EXPECT_FALSE(fd);
    EXPECT_FALSE(is_open(raw));
}

}  // namespace atl

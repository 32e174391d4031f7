#include "base/result.hpp"
#include <gtest/gtest.h>

namespace atl {

static Result<int> half(int number) {
    if (number % 2 != 0) return Error{Code::InvalidArgument, "3 is odd"};
    return number / 2;
}
static Result<void> check(int number) {
    const auto result = half(number);
    if (!result) return result.error().during("check 3");
    return {};
}

// Goal: failure is visible in the type, keeps its kind, and gains a story on its way up.
TEST(Result, CarriesTheValueOrTheError) {
    EXPECT_EQ(half(4).value(), 2);
    EXPECT_TRUE(check(4).has_value());
    ASSERT_FALSE(half(3).has_value());
    EXPECT_EQ(half(3).error().code, Code::InvalidArgument);
}

TEST(Result, DuringKeepsTheCodeAndReadsFromIntentToCause) {
    const auto result = check(3);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Code::InvalidArgument);
    EXPECT_EQ(result.error().message, "check 3: 3 is odd");
}

TEST(Result, ValueOfAFailureThrowsTheError) {
    try {
        (void)half(3).value();
        FAIL() << "value() of a failure returned";
    } catch (const ErrorException& e) {
        EXPECT_EQ(e.error.code, Code::InvalidArgument);
        EXPECT_STREQ(e.what(), "3 is odd");
    }
}

}  // namespace atl

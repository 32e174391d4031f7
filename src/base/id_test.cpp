#include "base/id.hpp"
#include <gtest/gtest.h>
#include <type_traits>

namespace atl {

// Goal: two kinds of name cannot be mixed up, and text does not become a name by accident.
TEST(Id, KindsDoNotMix) {
    static_assert(!std::is_convertible_v<std::string, SandboxId>);
    static_assert(!std::is_constructible_v<SessionId, SandboxId>);
    EXPECT_EQ(SandboxId("sb-7").text(), "sb-7");
}

TEST(Id, ComparesByText) {
    EXPECT_EQ(SandboxId("a"), SandboxId("a"));
    EXPECT_LT(SandboxId("a"), SandboxId("b"));
}

}  // namespace atl

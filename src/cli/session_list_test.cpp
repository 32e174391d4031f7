// Sessions by the beginning of their id.
#include "cli/session_list.hpp"

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

using Ids = std::vector<std::string>;

TEST(SessionList, FindsIdsByTheirBeginning) {
    const Ids ids{"s-abcdef", "s-abcxyz", "s-qrs234", "t-abcdef"};
    EXPECT_EQ(ids_beginning_with(ids, "s-abcd"), Ids{"s-abcdef"});
    EXPECT_EQ(ids_beginning_with(ids, "qrs"), Ids{"s-qrs234"});
    EXPECT_EQ(ids_beginning_with(ids, "abc"), (Ids{"s-abcdef", "s-abcxyz"}));
    EXPECT_EQ(ids_beginning_with(ids, "s-qrs234"), Ids{"s-qrs234"});
    for (const char* none : {"", "s", "s-", "s-q", "s-qr", "qr", "s-qrs2345", "xyz"}) {
        EXPECT_TRUE(ids_beginning_with(ids, none).empty()) << none;
    }
}

}  // namespace
}  // namespace atl::cli

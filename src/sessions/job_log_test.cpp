#include "sessions/job_log.hpp"

#include <gtest/gtest.h>

namespace atl::sessions {

// Goal: a chunk of a log never begins or ends inside a character, whatever way the output came.
TEST(WholeCharacters, LeavesTheBeginningOfOneForLater) {
    const std::string text = "a€😀ü";  // 1, 3, 4 and 2 bytes
    const std::size_t ends[] = {0, 1, 1, 1, 4, 4, 4, 4, 8, 8, 10};
    for (std::size_t n = 0; n <= text.size(); ++n) {
        EXPECT_EQ(whole_characters(std::string_view(text).substr(0, n)), ends[n]) << n;
    }
}

TEST(WholeCharacters, TakesWhatIsNoTextAsItIs) {
    EXPECT_EQ(whole_characters("\x80\x80\x80\x80\x80"), 5u);
    EXPECT_EQ(whole_characters("a\xff"), 1u);  // could be the first byte of one: waits
    EXPECT_EQ(whole_characters("\xff"
                               "b"),
              2u);
    EXPECT_EQ(whole_characters("\xc3"
                               "bcd"),
              4u);
}

}  // namespace atl::sessions

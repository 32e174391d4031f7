#include "core/records.hpp"

#include <gtest/gtest.h>
#include <set>

namespace atl::core {

// Goal: a word that is written is understood when it is read, for every value there is.
template <class Enum>
void expect_words_are_whole(std::size_t values) {
    std::set<std::string_view> words;
    for (const auto& [value, word] : Words<Enum>::all) {
        EXPECT_EQ(name_of(value), word);
        EXPECT_EQ(value_named<Enum>(word), value);
        words.insert(word);
    }
    EXPECT_EQ(words.size(), values);
    EXPECT_FALSE(value_named<Enum>(""));
    EXPECT_FALSE(value_named<Enum>("HOT"));
}

TEST(Words, EveryValueHasOneAndIsFoundByIt) {
    expect_words_are_whole<SessionState>(6);
    expect_words_are_whole<JobKind>(5);
    expect_words_are_whole<JobState>(5);
    expect_words_are_whole<AfterCrash>(2);
    expect_words_are_whole<LogStream>(3);
}

TEST(Digest, ADifferenceIsSeenWhereverItStands) {
    Sha256 a{};
    EXPECT_TRUE(same_digest(a, a));
    for (std::size_t i = 0; i < a.size(); ++i) {
        Sha256 b = a;
        b[i] = 0x80;
        EXPECT_FALSE(same_digest(a, b)) << i;
    }
}

TEST(Day, IsCutAtMidnightInUtcOnBothSidesOf1970) {
    const auto ms = [](std::int64_t n) { return Time(std::chrono::milliseconds(n)); };
    EXPECT_EQ(day_of(ms(86'399'999)).time_since_epoch().count(), 0);
    EXPECT_EQ(day_of(ms(86'400'000)).time_since_epoch().count(), 1);
    EXPECT_EQ(day_of(ms(-1)).time_since_epoch().count(), -1);
}

}  // namespace atl::core

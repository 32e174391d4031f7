#include "agent/memory.hpp"

#include <gtest/gtest.h>

namespace atl::agent {

namespace {

Memory with_turns(std::uint64_t turns) {
    Memory memory;
    for (std::uint64_t turn = 1; turn <= turns; ++turn) {
        memory.summaries.push_back({0, 2 * turn - 1, 2 * turn, turn, turn, false, "x"});
        while (const auto from = memory.due()) {
            Summary folded;
            folded.text = "folded";
            memory.fold(*from, folded);
        }
    }
    return memory;
}

}  // namespace

// Goal: however long a thread is, a few summaries a layer cover all of it.
TEST(Memory, GrowsWithTheDigitsOfTheLength) {
    std::size_t most = 0;
    for (const std::uint64_t turns : {1u, 5u, 6u, 7u, 36u, 215u, 2'000u, 10'000u}) {
        const auto memory = with_turns(turns);
        EXPECT_EQ(memory.covered(), 2 * turns);
        EXPECT_LE(memory.summaries.size(), 6u * 6u);
        most = std::max(most, memory.summaries.size());
        const auto again = memory_in(text_of(memory), 2 * turns);
        ASSERT_EQ(again.summaries.size(), memory.summaries.size()) << turns;
        EXPECT_EQ(text_of(again), text_of(memory));
        for (std::size_t i = 1; i < again.summaries.size(); ++i) {
            EXPECT_LE(again.summaries[i].layer, again.summaries[i - 1].layer);
        }
    }
    EXPECT_GT(most, 10u);
}

TEST(Memory, WhatIsNoneIsEmpty) {
    const auto good = text_of(with_turns(3));
    ASSERT_EQ(memory_in(good, 6).summaries.size(), 3u);
    EXPECT_TRUE(memory_in(good, 5).summaries.empty()) << "of more messages than there are";
    for (const std::string& bad :
         {std::string(), std::string("{"), std::string("[]"), std::string("null"),
          std::string(R"({"version":2,"summaries":[]})"), std::string(R"({"summaries":7})"),
          std::string(R"({"of":"a newer server"})"),
          std::string(R"({"version":1,"summaries":[{"layer":0,"first":2,"last":3}]})"),
          good.substr(0, good.size() / 2), std::string(200'000, '['), std::string("\xff\xfe")}) {
        EXPECT_TRUE(memory_in(bad, 100).summaries.empty()) << bad.substr(0, 80);
    }
    EXPECT_TRUE(memory_in("{}", 100).summaries.empty());
    auto gap = with_turns(3);
    gap.summaries.erase(gap.summaries.begin() + 1);
    EXPECT_TRUE(memory_in(text_of(gap), 100).summaries.empty());
    auto large = with_turns(1);
    large.summaries[0].text = std::string(kSummaryBytesMax + 1, 'x');
    EXPECT_TRUE(memory_in(text_of(large), 100).summaries.empty());
}

}  // namespace atl::agent

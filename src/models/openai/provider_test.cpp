#include "models/openai/provider.hpp"

#include <gtest/gtest.h>

namespace atl::openai {

// Goal: names come out, and nothing that is none, however strange the answer is.
TEST(ProviderTest, TakesNamesFromAList) {
    const struct {
        const char* answer;
        std::vector<std::string> names;
    } kCases[] = {
        {R"({"data": []})", {}},
        {R"({"object": "list", "data": null})", {}},
        {R"({"data": [{"id": "qwen3:8b"}, {"id": "b"}]})", {"qwen3:8b", "b"}},
        {R"({"data": [{"id": "twice"}, {"id": "twice"}]})", {"twice"}},
        {R"({"data": [1, null, {}, {"id": 7}, {"id": ""}, {"id": "good"}]})", {"good"}},
        {R"({"data": [{"id": "line\nbreak"}, {"id": "\u0000"}, {"id": "ok"}]})", {"ok"}},
    };
    for (const auto& [answer, names] : kCases) {
        const auto found = names_in(answer);
        ASSERT_TRUE(found) << answer;
        EXPECT_EQ(*found, names) << answer;
    }
}

TEST(ProviderTest, RefusesWhatIsNoList) {
    for (const char* answer : {"", "<html>", "[]", "7", "{}", R"({"data": {}})"}) {
        EXPECT_FALSE(names_in(answer)) << answer;
    }
}

TEST(ProviderTest, HasLimits) {
    std::string many = R"({"data": [{"id": ")" + std::string(201, 'x') + R"("})";
    for (int i = 0; i < 2000; ++i) many += R"(, {"id": "m)" + std::to_string(i) + R"("})";
    const auto found = names_in(many + "]}");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->size(), 1000u);
    EXPECT_EQ(found->front(), "m0");
}

}  // namespace atl::openai

#include "sessions/standing.hpp"

#include "core/spec.hpp"
#include "sessions/spec_text.hpp"

#include <gtest/gtest.h>

namespace atl::sessions {
namespace {

TEST(Standing, IsReadAsItWasWritten) {
    core::SpecBuilder builder;
    builder.environment("A", "1");
    const auto plain = spec_text(builder.build().value(), {"cities"});
    EXPECT_EQ(standing_in(plain), Standing{});
    Standing standing;
    standing.held_at_end = true;
    standing.held = true;
    standing.notes = {{"api.word", "a \"quoted\" one"}, {"api.empty", ""}};
    const auto text = with_standing(plain, standing);
    EXPECT_EQ(standing_in(text), standing);
    EXPECT_EQ(with_standing(text, Standing{}), plain) << "the rest is as it was";
    const auto spec = spec_from(text, "default").value();
    EXPECT_EQ(spec.environment().at("A"), "1");
    EXPECT_EQ(data_sets_from(text), std::vector<std::string>{"cities"});
}

TEST(Standing, OfAnythingElseIsNone) {
    for (const char* text : {"", "{", "[]", "{}", R"({"standing":1})", R"({"standing":{"held":2}})",
                             R"({"standing":{"notes":[1]}})"}) {
        EXPECT_EQ(standing_in(text), Standing{}) << text;
    }
}

}  // namespace
}  // namespace atl::sessions

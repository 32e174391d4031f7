#include "agent/past_turns.hpp"

#include "agent/message_details.hpp"

#include <boost/json/array.hpp>
#include <gtest/gtest.h>

namespace atl::agent {

namespace {

core::ThreadMessage message(core::MessageRole role, std::string text,
                            const MessageDetails& details = {}) {
    core::ThreadMessage made;
    made.role = role;
    made.content = std::move(text);
    made.details_json = text_of(details);
    return made;
}

MessageDetails calling(const std::string& id) {
    MessageDetails details;
    details.tool_calls.push_back({id, "run_python", "{}"});
    return details;
}

MessageDetails answering(const std::string& id) {
    MessageDetails details;
    details.run.emplace();
    details.run->call_id = id;
    return details;
}

}  // namespace

// Goal: whatever was cut off, a provider gets a conversation in which every call has its answer,
// once, right behind it.
TEST(AsChat, LeavesNoCallWithoutAnAnswer) {
    using core::MessageRole;
    const auto chat = as_chat({
        message(MessageRole::User, "q"),
        message(MessageRole::Assistant, "", calling("a")),
        message(MessageRole::Tool, "1", answering("a")),
        message(MessageRole::Assistant, "", calling("b")),
        message(MessageRole::Note, "cut off"),
        message(MessageRole::Tool, "stray", answering("c")),
        message(MessageRole::User, "q2"),
        message(MessageRole::Assistant, "", calling("d")),
    });
    std::string shape;
    for (const auto& one : chat) shape += "SUAT"[static_cast<int>(one.role)];
    EXPECT_EQ(shape, "UATATAUAT");
    EXPECT_EQ(chat[4].tool_call_id, "b");
    EXPECT_NE(chat[4].text.find("cut off"), std::string::npos);
    EXPECT_EQ(chat.back().tool_call_id, "d");
}

TEST(AsChat, ARefusedQuestionTakesLittleRoom) {
    using core::MessageRole;
    const std::string question(100'000, 'x');
    const auto refused =
        as_chat({message(MessageRole::User, question), message(MessageRole::Note, "too long")});
    EXPECT_LT(refused.at(0).text.size(), 1200u);
    const auto answered =
        as_chat({message(MessageRole::User, question), message(MessageRole::Assistant, "good")});
    EXPECT_EQ(answered.at(0).text, question);
}

TEST(MessageDetails, ComeBackAsTheyWereWritten) {
    MessageDetails details = answering("x");
    details.run->table.emplace();
    details.run->table->columns = {"a"};
    details.run->table->rows.emplace_back(boost::json::array{1, "two", nullptr});
    details.timings_ms.emplace();
    details.timings_ms->total = 1.5;
    core::ThreadMessage kept;
    kept.details_json = text_of(details);
    EXPECT_EQ(text_of(details_of(kept)), kept.details_json);
    kept.details_json = R"({"of": "a newer server"})";
    EXPECT_TRUE(details_of(kept).tool_calls.empty());
    kept.details_json = "no JSON";
    EXPECT_FALSE(details_of(kept).run);
}

}  // namespace atl::agent

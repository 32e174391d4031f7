// Goal: a conversation is found again by what was said and by nothing less. Two that differ in a
// word, a speaker, a file or an owner's user never share a key.
#include "agent/conversation_keys.hpp"

#include <ctime>
#include <gtest/gtest.h>
#include <set>

namespace atl::agent {

namespace {

using By = SaidMessage::By;

SaidMessage user(std::string text) { return {By::User, std::move(text), {}}; }
SaidMessage assistant(std::string text) { return {By::Assistant, std::move(text), {}}; }

TEST(ConversationKeys, DifferWithEverythingThatMakesAConversation) {
    auto with_file = user("x");
    with_file.attachments = {"d1"};
    auto other_file = user("x");
    other_file.attachments = {"d2"};
    auto two_files = user("x");
    two_files.attachments = {"d1", "d2"};
    const std::vector<SaidMessage> conversations[] = {
        {},
        {user("x")},
        {assistant("x")},
        {user("X")},
        {user("x"), assistant("y")},
        {user("x"), assistant("y"), user("z")},
        {user("xy")},
        {user("x"), user("y")},
        {with_file},
        {other_file},
        {two_files},
        {user("x"), assistant("")},
    };
    const std::pair<const char*, const char*> scopes[] = {
        {"", ""}, {"ann", ""}, {"", "ann"}, {"an", "n"}, {"bob", "c1"}};
    std::set<std::string> keys;
    std::size_t count = 0;
    for (const auto& [name, chat] : scopes) {
        const Conversation of{"owner", name, chat, {}};
        for (const auto& said : conversations) {
            keys.insert(key_after(of, said));
            keys.insert(key_unanswered(of, said));
            count += 2;
        }
        for (std::size_t n = 0; n < 3; ++n) {
            if (const auto at = key_at(of, n)) {
                keys.insert(*at);
                ++count;
            }
        }
    }
    EXPECT_EQ(keys.size(), count);
}

TEST(ConversationKeys, AreTheSameForWhatFrontEndsChange) {
    const Conversation of;
    struct Row {
        const char* name;
        SaidMessage sent, returned;
    };
    const Row rows[] = {
        {"trimmed", assistant("One.\n\nTwo.  \n"), assistant("One.\n\nTwo.")},
        {"line ends", user("a\r\nb"), user("a\nb")},
        {"thoughts in a tag", assistant("42"), assistant("<think>hm\nhm</think>\n42")},
        {"thoughts in a fold", assistant("42"),
         assistant("<details type=\"reasoning\" done=\"true\">\n<summary>Thought</summary>\n> hm\n"
                   "</details>\n42")},
        {"a thought that was cut off", assistant(""), assistant("<think>hm")},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(key_after(of, std::vector{user("q"), row.sent}),
                  key_after(of, std::vector{user("q"), row.returned}));
    }
    // A user may write about such tags.
    EXPECT_NE(key_after(of, std::vector{user("what is <think>x</think>?")}),
              key_after(of, std::vector{user("what is ?")}));
}

TEST(ConversationKeys, APlaceNeedsANamedChat) {
    EXPECT_FALSE(key_at(Conversation{}, 1));
    EXPECT_TRUE(key_at(Conversation{"", "", "c", {}}, 1));
}

TEST(Conversations, OneSpeakerAtATime) {
    auto said = user("a");
    said.attachments = {"1"};
    auto more = user("b");
    more.attachments = {"2"};
    EXPECT_TRUE(merge(said, more));
    auto nothing = user("");
    EXPECT_TRUE(merge(said, nothing));
    auto answer = assistant("c");
    EXPECT_FALSE(merge(said, answer));
    EXPECT_EQ(answer.text, "c");
    EXPECT_EQ(said.text, "a\n\nb");
    EXPECT_EQ(said.attachments, (std::vector<std::string>{"1", "2"}));
    EXPECT_EQ(questions_in(std::vector{said, answer}), 1U);
}

// A client may send a request that is nothing but such tags. Taking them out one after the other
// moved all that followed each time: 20 MB of them took many minutes, and the loop with them.
TEST(Conversations, ThoughtsAreTakenOutInOnePass) {
    std::string thoughts;
    while (thoughts.size() < (4u << 20)) thoughts += "<think>x</think>y";
    const auto began = std::clock();
    const auto kept = without_thoughts(thoughts);
    EXPECT_LT((std::clock() - began) / CLOCKS_PER_SEC, 10);
    EXPECT_EQ(kept, std::string(thoughts.size() / 17, 'y'));
    EXPECT_EQ(without_thoughts("a<think>b</think>c<think>d"), "ac");
    EXPECT_EQ(without_thoughts("<details type=\"reasoning\" x>a</details>b</details>"),
              "b</details>");
}

TEST(Conversations, ThePastIsTheLatestThatFits) {
    using Past = std::vector<PastExchange>;
    const std::vector<SaidMessage> said = {assistant("Hello!"), user("1"),
                                           assistant("<think>x</think>one"), user("2"),
                                           assistant("two")};
    EXPECT_EQ(past_of(said), (Past{{"1", "one"}, {"2", "two"}}));
    EXPECT_EQ(past_of(said, {1, 1000}), (Past{{"2", "two"}}));
    EXPECT_EQ(past_of(said, {9, 5}), (Past{{"2", "two"}}));
    EXPECT_EQ(past_of(said, {9, 3}), Past{});
    EXPECT_EQ(past_of({}), Past{});
    EXPECT_EQ(past_of(std::vector{user("1")}), Past{});
    EXPECT_EQ(past_of(std::vector{assistant("1")}), Past{});
    const std::vector<SaidMessage> huge = {user(std::string(1u << 20, 'x')), assistant("y")};
    const auto cut = past_of(huge);
    ASSERT_EQ(cut.size(), 1U);
    EXPECT_LT(cut[0].question.size(), 70'000U);
    EXPECT_EQ(cut[0].answer, "y");
}

}  // namespace

}  // namespace atl::agent

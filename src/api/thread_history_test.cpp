#include "api/thread_history.hpp"

#include <gtest/gtest.h>

namespace atl::api {

namespace {

using core::MessageRole;

// A thread of `turns` turns: a question, a call, what it answered, and the answer.
std::vector<core::ThreadMessage> conversation(std::uint64_t turns, std::size_t result_bytes) {
    std::vector<core::ThreadMessage> messages;
    const auto add = [&](std::uint64_t turn, MessageRole role, std::string content) {
        core::ThreadMessage message;
        message.sequence = messages.size() + 1;
        message.turn = turn;
        message.role = role;
        message.content = std::move(content);
        messages.push_back(std::move(message));
    };
    for (std::uint64_t turn = 1; turn <= turns; ++turn) {
        add(turn, MessageRole::User, "question");
        add(turn, MessageRole::Assistant, "");
        add(turn, MessageRole::Tool, "output");
        agent::MessageDetails details;
        details.run.emplace();
        details.run->results = {{{"a/b", "\"" + std::string(result_bytes, 'x') + "\""}}};
        messages.back().details_json = agent::text_of(details);
        add(turn, MessageRole::Assistant, "answer");
    }
    return messages;
}

struct Pages {
    std::vector<HistoryMessage> shown;
    std::vector<std::uint64_t> begins;
    std::uint64_t largest = 0;
};

// All pages of it, one after the other.
Pages pages_of(const std::vector<core::ThreadMessage>& messages, bool all, std::size_t limit,
               std::uint64_t bytes_max) {
    Pages pages;
    for (std::size_t at = 0; at < messages.size();) {
        pages.begins.push_back(messages[at].sequence);
        HistoryPage page(all, limit, bytes_max);
        while (at < messages.size()) {
            auto copy = messages[at];
            if (!page.take(std::move(copy))) break;
            ++at;
        }
        auto views = history_of(page.messages(), all);
        std::uint64_t bytes = 0;
        for (auto& one : views) {
            bytes += schema::to_json(one).size();
            pages.shown.push_back(std::move(one));
        }
        pages.largest = std::max(pages.largest, bytes);
    }
    return pages;
}

std::string text_of(const std::vector<HistoryMessage>& history) {
    std::string text;
    for (const auto& one : history) schema::append_json(text, one);
    return text;
}

}  // namespace

// Goal: pages together are the whole, however they are cut; an answer is never parted.
TEST(HistoryPage, CutByMessagesMakeTheWhole) {
    const auto messages = conversation(5, 10);
    for (const bool all : {false, true}) {
        const auto whole = history_of(messages, all);
        ASSERT_EQ(whole.size(), all ? 20u : 10u);
        for (const std::size_t limit : {1, 2, 3, 7, 100}) {
            const auto pages = pages_of(messages, all, limit, HistoryPage::kBytesMax);
            EXPECT_EQ(pages.begins.size(), (whole.size() + limit - 1) / limit);
            EXPECT_EQ(text_of(pages.shown), text_of(whole)) << all << limit;
        }
    }
    EXPECT_EQ(pages_of(messages, false, 1, HistoryPage::kBytesMax).begins,
              (std::vector<std::uint64_t>{1, 2, 5, 6, 9, 10, 13, 14, 17, 18}));
}

// Goal: a page has a bounded size, whatever the turns drew, and every page shows something.
TEST(HistoryPage, CutByBytesMakeTheWhole) {
    constexpr std::size_t kResult = 100'000;
    const auto messages = conversation(20, kResult);
    for (const bool all : {false, true}) {
        const auto pages = pages_of(messages, all, 1000, 3 * kResult);
        EXPECT_EQ(pages.begins.size(), 7u);
        EXPECT_LE(pages.largest, 4 * kResult);
        EXPECT_EQ(text_of(pages.shown), text_of(history_of(messages, all)));
        const auto small = pages_of(messages, all, 1000, 1);
        EXPECT_EQ(small.begins.size(), all ? 80u : 40u);
        EXPECT_EQ(text_of(small.shown), text_of(pages.shown));
    }
}

// Goal: a result costs what its text has, from the store to the client.
TEST(HistoryPage, ShowsResultsAsTheirText) {
    auto messages = conversation(1, 10);
    const auto history = history_of(std::move(messages), false);
    ASSERT_EQ(history.size(), 2u);
    ASSERT_TRUE(history[1].results);
    EXPECT_EQ(history[1].results->front().data.text, R"({"a/b":"xxxxxxxxxx"})");
}

}  // namespace atl::api

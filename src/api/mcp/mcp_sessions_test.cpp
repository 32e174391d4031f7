#include "api/mcp/mcp_sessions.hpp"

#include "api/mcp/messages.hpp"
#include "base/result.hpp"

#include <gtest/gtest.h>

namespace atl::api::mcp {

namespace {

// Time is moved by hand.
struct Table {
    explicit Table(McpLimits limits) : sessions(limits, [this] { return now; }) {}
    [[nodiscard]] bool has(const std::string& owner, const std::string& id) {
        return sessions.find(owner, id).has_value();
    }
    McpSessions::Clock::time_point now{};
    McpSessions sessions;
};

McpLimits small() {
    McpLimits limits;
    limits.owner_sessions_max = 2;
    limits.sessions_max = 3;
    limits.calls_max = 2;
    limits.idle = std::chrono::seconds{60};
    return limits;
}

TEST(McpSessions, AnotherOwnersSessionDoesNotExist) {
    Table table(small());
    const auto id = table.sessions.begin("anna", "2025-11-25");
    EXPECT_TRUE(table.has("anna", id));
    EXPECT_FALSE(table.has("bob", id));
    EXPECT_FALSE(table.sessions.end("bob", id));
    EXPECT_TRUE(table.sessions.end("anna", id));
    EXPECT_FALSE(table.sessions.end("anna", id));
}

TEST(McpSessions, IdleOnesEndAndThoseInUseDoNot) {
    Table table(small());
    const auto idle = table.sessions.begin("anna", "x");
    const auto used = table.sessions.begin("anna", "x");
    {
        const auto hold = table.sessions.find("anna", used);
        table.now += std::chrono::seconds{61};
        EXPECT_FALSE(table.has("anna", idle));
        EXPECT_TRUE(table.has("anna", used));
    }
    table.now += std::chrono::seconds{59};
    EXPECT_TRUE(table.has("anna", used));  // which is a use
    table.now += std::chrono::seconds{59};
    EXPECT_TRUE(table.has("anna", used));
    table.now += std::chrono::seconds{60};
    EXPECT_FALSE(table.has("anna", used));
}

TEST(McpSessions, OneTooManyTakesThePlaceOfTheOwnersLongestUnused) {
    Table table(small());
    const auto first = table.sessions.begin("anna", "x");
    table.now += std::chrono::seconds{1};
    const auto second = table.sessions.begin("anna", "x");
    table.now += std::chrono::seconds{1};
    EXPECT_TRUE(table.has("anna", first));
    const auto third = table.sessions.begin("anna", "x");
    EXPECT_TRUE(table.has("anna", first));
    EXPECT_FALSE(table.has("anna", second));
    const auto one = table.sessions.find("anna", first);
    const auto other = table.sessions.find("anna", third);
    EXPECT_THROW(static_cast<void>(table.sessions.begin("anna", "x")), ErrorException);
    // The limit in all is nobody's reason to end the sessions of others.
    static_cast<void>(table.sessions.begin("bob", "x"));
    EXPECT_THROW(static_cast<void>(table.sessions.begin("carol", "x")), ErrorException);
    EXPECT_EQ(table.sessions.count(), 3u);
}

TEST(McpSessions, CallsHaveIdsOfTheirOwnAndALimit) {
    Table table(small());
    const auto id = table.sessions.begin("anna", "x");
    const auto hold = table.sessions.find("anna", id);
    agent::Cancellation a, b, c;
    {
        const McpSessions::Call one(**hold, "1", a, table.sessions.limits());
        EXPECT_THROW(McpSessions::Call(**hold, "1", b, table.sessions.limits()), Refused);
        const McpSessions::Call two(**hold, "\"1\"", b, table.sessions.limits());
        EXPECT_THROW(McpSessions::Call(**hold, "3", c, table.sessions.limits()), Refused);
        bool stream_ended = false;
        (**hold).end_stream = [&] { stream_ended = true; };
        EXPECT_TRUE(table.sessions.end("anna", id));
        EXPECT_TRUE(a.requested() && b.requested() && stream_ended);
        EXPECT_FALSE(c.requested());
    }
    EXPECT_TRUE((**hold).calls.empty());
}

}  // namespace

}  // namespace atl::api::mcp

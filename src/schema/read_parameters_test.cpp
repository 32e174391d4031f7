#include "schema/json.hpp"
#include "schema/sample.hpp"

#include <gtest/gtest.h>

namespace atl::schema {

using sample::ListQuery;
using sample::Network;

TEST(FromQuery, ReadsEveryKindOfText) {
    const auto query = from_query<ListQuery>(
        "limit=20&all&network=allow_list&tag=a&tag=b%20c&port=80&port=443&wait=1.5s&ratio=0.25&&");
    EXPECT_EQ(query.limit, 20u);
    EXPECT_TRUE(query.all);
    EXPECT_EQ(query.network, Network::AllowList);
    EXPECT_EQ(query.tag, (std::vector<std::string>{"a", "b c"}));
    EXPECT_EQ(query.port, (std::vector<std::int32_t>{80, 443}));
    EXPECT_EQ(query.wait, std::chrono::milliseconds(1500));
    EXPECT_EQ(query.ratio, 0.25);
    const auto empty = from_query<ListQuery>("");
    EXPECT_EQ(empty.limit, 50u);
    EXPECT_FALSE(empty.port);
    EXPECT_EQ(from_query<ListQuery>("tag=1%2B1+2").tag.at(0), "1+1 2");
    EXPECT_EQ(from_query<ListQuery>("wait=2").wait, std::chrono::seconds(2));
    EXPECT_FALSE(from_query<ListQuery>("all=false").all);
}

TEST(FromQuery, RefusesEachMistake) {
    struct Row {
        std::string query;
        const char* path;
        const char* message;
    };
    const Row rows[] = {
        {"limit=0", "limit", "must be at least 1, not 0"},
        {"limit=201", "limit", "must be at most 200, not 201"},
        {"limit=", "limit", "must be an integer"},
        {"limit=1.0", "limit", "must be an integer"},
        {"limit=0x10", "limit", "must be an integer"},
        {"limit=%201", "limit", "must be an integer"},
        {"limit=-1", "limit", "must be at least 1, not -1"},
        {"limit=-", "limit", "must be an integer"},
        {"limit=99999999999999999999", "limit", "beyond 64 bits"},
        {"limit=1&limit=2", "limit", "stands twice"},
        {"limt=1", "limt", "did you mean limit?"},
        {"all=yes", "all", "must be true or false"},
        {"network=x", "network", "must be one of none, allow_list, open"},
        {"tag=a&tag=b&tag=c", "tag", "at most 2 items, not 3"},
        {"tag=123456789", "tag[0]", "at most 8 characters"},
        {"tag=a&tag=", "tag[1]", "must not be empty"},
        {"tag=%FF", "tag", "is not UTF-8"},
        {"port=0", "port[0]", "must be at least 1"},
        {"wait=61s", "wait", "must be at most 60, not 61"},
        {"wait=s", "wait", "must be a time"},
        {"wait=1.2.3s", "wait", "must be a time"},
        {"ratio=nan", "ratio", "must be a number"},
        {"ratio=inf", "ratio", "must be a number"},
        {"ratio=1e999", "ratio", "must be a number"},
        {"ratio=1.01", "ratio", "must be at most 1"},
        {"limit=%2", "", "% without two hex digits"},
        {"limit=%zz", "", "% without two hex digits"},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.query);
        try {
            (void)from_query<ListQuery>(row.query);
            ADD_FAILURE() << "was accepted";
        } catch (const ValidationError& e) {
            ASSERT_EQ(e.issues.size(), 1u);
            EXPECT_EQ(e.issues[0].path, row.path);
            EXPECT_NE(e.issues[0].message.find(row.message), std::string::npos)
                << e.issues[0].message;
        }
    }
    EXPECT_THROW((void)split_query(std::string(20'000, 'a')), ErrorException);
    std::string many;
    for (int i = 0; i < 200; ++i) many += "a=1&";
    EXPECT_THROW((void)split_query(many), ValidationError);
}

TEST(FromParameters, TakesPathsAndHeaders) {
    const std::vector<Parameter> path = {{"id", "ses_1"}, {"path", "a/b.csv"}};
    EXPECT_EQ(from_parameters<sample::FilePath>(path).path, "a/b.csv");
    EXPECT_THROW((void)from_parameters<sample::FilePath>(std::vector<Parameter>{{"id", "x"}}),
                 ValidationError);

    EXPECT_EQ(header_name("idempotency_key"), "Idempotency-Key");
    const auto headers =
        from_headers<sample::Headers>([](std::string_view name) -> std::optional<std::string> {
            if (name == "Last-Event-ID") return "17";
            return std::nullopt;
        });
    EXPECT_EQ(headers.last_event_id, 17u);
    EXPECT_FALSE(headers.idempotency_key);
}

}  // namespace atl::schema

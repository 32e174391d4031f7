#include "net/router.hpp"

#include <gtest/gtest.h>

namespace atl::net {

namespace {

Handler nothing() {
    return [](Exchange&) -> boost::asio::awaitable<void> { co_return; };
}

Router sample() {
    Router router;
    for (const char* pattern :
         {"/", "/v1/sessions", "/v1/sessions/{id}", "/v1/sessions/search",
          "/v1/sessions/{session}/files/{path...}", "/v1/{any}/files/list", "/v1/{rest...}"}) {
        router.add("GET", pattern, nothing());
    }
    router.add("POST", "/v1/sessions", nothing());
    router.add("DELETE", "/v1/sessions/{id}", nothing());
    return router;
}

}  // namespace

// Goal: each row names the pattern that a reader would expect, and what its parameters hold.
TEST(Router, PicksTheMostLiteralPattern) {
    struct Row {
        const char* method;
        const char* target;
        const char* route;
        std::vector<std::string> values;
    };
    const Row rows[] = {
        {"GET", "/", "/", {}},
        {"GET", "/v1/sessions", "/v1/sessions", {}},
        {"HEAD", "/v1/sessions", "/v1/sessions", {}},
        {"GET", "/v1/sessions/abc", "/v1/sessions/{id}", {"abc"}},
        {"DELETE", "/v1/sessions/abc", "/v1/sessions/{id}", {"abc"}},
        {"GET", "/v1/sessions/a%2Fb", "/v1/sessions/{id}", {"a/b"}},
        {"GET", "/v1/sessions/search", "/v1/sessions/search", {}},
        {"GET",
         "/v1/sessions/s/files/a/b.txt",
         "/v1/sessions/{session}/files/{path...}",
         {"s", "a/b.txt"}},
        {"GET", "/v1/sessions/s/files/", "/v1/sessions/{session}/files/{path...}", {"s", ""}},
        {"GET", "/v1/other/files/list", "/v1/{any}/files/list", {"other"}},
        {"GET", "/v1/sessions/", "/v1/{rest...}", {"sessions/"}},
        {"GET", "/v1/sessions/s/files", "/v1/{rest...}", {"sessions/s/files"}},
        {"GET", "/v1/x/y//z", "/v1/{rest...}", {"x/y//z"}},
    };
    const auto router = sample();
    for (const auto& row : rows) {
        SCOPED_TRACE(row.target);
        const auto match = router.match(row.method, parse_target(row.target).value());
        ASSERT_NE(match.handler, nullptr);
        EXPECT_EQ(match.route, row.route);
        std::vector<std::string> values;
        for (const auto& [name, value] : match.parameters) values.push_back(value);
        EXPECT_EQ(values, row.values);
    }
}

TEST(Router, SaysWhatIsAllowed) {
    const auto router = sample();
    const auto match = router.match("PUT", parse_target("/v1/sessions").value());
    EXPECT_EQ(match.handler, nullptr);
    EXPECT_EQ(match.allow, "GET, POST, HEAD, OPTIONS");
    const auto none = router.match("GET", parse_target("/v2").value());
    EXPECT_EQ(none.handler, nullptr);
    EXPECT_EQ(none.allow, "");
    EXPECT_EQ(router.match("GET", parse_target("/v1").value()).handler, nullptr);
    EXPECT_EQ(router.routes().size(), 9u);
}

TEST(Router, RefusesPatternsThatMeanNothing) {
    Router router = sample();
    for (const char* pattern :
         {"v1", "/{}", "/{a}/{a}", "/{a...}/b", "/a{b}", "/%41", "/{a b}", "/"}) {
        EXPECT_THROW(router.add("GET", pattern, nothing()), std::logic_error) << pattern;
    }
    EXPECT_THROW(router.add("G T", "/x", nothing()), std::logic_error);
    EXPECT_THROW(router.add("GET", "/x", {}), std::logic_error);
}

}  // namespace atl::net

#include "api/port_host.hpp"

#include "base/result.hpp"

#include <gtest/gtest.h>

namespace atl::api {

// Goal: the host decides which sandbox is asked, so only the one spelling of a port and a session
// is taken for one; all else is left to the checks of ordinary hosts.
TEST(PortHost, is_read_strictly) {
    struct Row {
        const char* host;
        const char* domain;
        const char* session;
        int port;
    };
    const Row rows[] = {
        {"8080-s-abc.localhost", "localhost", "s-abc", 8080},
        {"8080-s-abc.localhost:8000", "localhost", "s-abc", 8080},
        {"1-S-ABC.LocalHost", "localhost", "s-abc", 1},
        {"65535-s-a.ports.example.org", "ports.example.org", "s-a", 65535},
        {"localhost", "localhost", nullptr, 0},
        {".localhost", "localhost", nullptr, 0},
        {"s-abc.localhost", "localhost", nullptr, 0},
        {"8080-.localhost", "localhost", nullptr, 0},
        {"-s-abc.localhost", "localhost", nullptr, 0},
        {"0-s-abc.localhost", "localhost", nullptr, 0},
        {"08080-s-abc.localhost", "localhost", nullptr, 0},
        {"+80-s-abc.localhost", "localhost", nullptr, 0},
        {"65536-s-abc.localhost", "localhost", nullptr, 0},
        {"8080-s-abc.evil.localhost", "localhost", nullptr, 0},
        {"8080-s-abc.localhost.evil.example", "localhost", nullptr, 0},
        {"8080-s-abclocalhost", "localhost", nullptr, 0},
        {"8080-s-abc.localhost", "", nullptr, 0},
        {"8080-s-abc.", "", nullptr, 0},
        {"8080-s-abc.localhost:x", "localhost", nullptr, 0},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.host);
        const auto there = port_host_of(row.host, row.domain);
        ASSERT_EQ(there.has_value(), row.session != nullptr);
        if (!there) continue;
        EXPECT_EQ(there->session, row.session);
        EXPECT_EQ(there->port, row.port);
    }
}

TEST(PortHost, a_request_becomes_one_for_that_port_and_nothing_else) {
    struct Row {
        const char* target;
        const char* path;
        const char* query;
    };
    const Row rows[] = {
        {"/", "/v1/sessions/s-a/ports/80/", ""},
        {"/v1/run?x=1", "/v1/sessions/s-a/ports/80/v1/run", "x=1"},
        {"//evil.example/", "/v1/sessions/s-a/ports/80//evil.example/", ""},
        {"/../../../run", "/v1/sessions/s-a/ports/80/../../../run", ""},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.target);
        net::Request request;
        request.target = net::parse_target(row.target).value();
        request.headers.set("Host", "80-s-a.localhost:8000");
        enter_port_host(request, "localhost");
        EXPECT_EQ(request.target.path, row.path);
        EXPECT_EQ(request.target.query_text, row.query);
        EXPECT_TRUE(is_for(request.target, {"s-a", 80}));
        EXPECT_FALSE(is_for(request.target, {"s-a", 81}));
        EXPECT_FALSE(is_for(request.target, {"s-b", 80}));
    }
    net::Request other;
    other.target = net::parse_target("/v1/run").value();
    other.headers.set("Host", "localhost:8000");
    enter_port_host(other, "localhost");
    EXPECT_EQ(other.target.path, "/v1/run");
    net::Request star;
    star.target = net::parse_target("*").value();
    star.headers.set("Host", "80-s-a.localhost");
    EXPECT_THROW(enter_port_host(star, "localhost"), ErrorException);
}

TEST(PortHost, the_token_of_the_address_goes_before_the_cookie) {
    const auto entered = [](const char* target, const char* cookie) {
        net::Request request;
        request.target = net::parse_target(target).value();
        request.headers.set("Host", "80-s-a.localhost");
        request.headers.set("Cookie", cookie);
        enter_port_host(request, "localhost");
        return request;
    };
    const auto by_cookie = entered("/x?y=1", "a=b; atoll_port_token=att_1; c=d");
    EXPECT_EQ(by_cookie.target.parameter("token"), "att_1");
    EXPECT_EQ(by_cookie.target.query_text, "y=1") << "the guest would see it";
    EXPECT_EQ(without_cookie(by_cookie.headers, kPortCookie), "a=b; c=d");
    const auto both = entered("/x?token=att_2", "a=b; atoll_port_token=att_1");
    EXPECT_EQ(both.target.parameters("token"), std::vector<std::string_view>{"att_2"});
    EXPECT_EQ(cookie_named(both.headers, kPortCookie), std::nullopt);
    EXPECT_EQ(both.headers.get("Cookie"), "a=b");
}

TEST(PortHost, cookies_of_the_guest_are_for_its_own_host) {
    net::Headers headers;
    headers.add("Set-Cookie", "a=b; Domain=localhost; Path=/; HttpOnly");
    headers.add("Set-Cookie", "c=d;DOMAIN = .example.org;secure");
    headers.add("Set-Cookie", "atoll_port_token=forged; Path=/");
    headers.add("Set-Cookie", "e=f");
    confine_cookies(headers);
    const std::vector<std::string_view> expected{"a=b; Path=/; HttpOnly", "c=d; secure", "e=f"};
    EXPECT_EQ(headers.get_all("Set-Cookie"), expected);
}

}  // namespace atl::api

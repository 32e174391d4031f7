// What is a Host, and what only begins like one.
#include "net/host.hpp"

#include <gtest/gtest.h>

namespace atl::net {

TEST(Host, IsANameOrAnAddressAndAPort) {
    const struct {
        std::string_view text, name;
        int port;
    } good[] = {{"localhost", "localhost", -1},
                {"127.0.0.1:8000", "127.0.0.1", 8000},
                {"[::1]", "[::1]", -1},
                {"[::1]:80", "[::1]", 80},
                {"a-b.c_d.example:65535", "a-b.c_d.example", 65535},
                {"[::ffff:127.0.0.1]:1", "[::ffff:127.0.0.1]", 1}};
    for (const auto& row : good) {
        const auto host = parse_host(row.text);
        ASSERT_TRUE(host.has_value()) << row.text;
        EXPECT_EQ(host->name, row.name);
        EXPECT_EQ(host->port ? *host->port : -1, row.port);
    }
    for (const std::string_view text : {"",          ":80",         "[::1].evil.example",
                                        "[::1]evil", "[::1",        "::1",
                                        "[]",        "[127.0.0.1]", "[evil.example]",
                                        "[::1]:",    "a:",          "a:65536",
                                        "a:-1",      "a:+1",        "a:8 0",
                                        "a:80:80",   "a b",         "a/b",
                                        "a@b",       "a%41",        "[fe80::1%25eth0]",
                                        "[[::1]]"}) {
        EXPECT_FALSE(parse_host(text).has_value()) << text;
    }
}

}  // namespace atl::net

#include "api/mcp/resources.hpp"

#include <gtest/gtest.h>

namespace atl::api::mcp {

namespace {

TEST(McpResources, AnAddressComesBackAsItWas) {
    for (const std::string path : {"/session/a.txt", "/data/outputs/ü b%.png", "/session/a#?&"}) {
        const auto uri = resource_uri("my work", path);
        EXPECT_TRUE(uri.starts_with("atoll://sessions/my%20work/files/")) << uri;
        const auto address = resource_address(uri);
        EXPECT_EQ(address.session, "my work");
        EXPECT_EQ(address.path, path);
    }
}

TEST(McpResources, WhatIsNoAddressIsRefused) {
    for (const char* uri : {"", "file:///etc/passwd", "atoll://sessions/", "atoll://sessions/a",
                            "atoll://sessions/a/files/", "atoll://sessions//files/x",
                            "atoll://sessions/a/files/../x", "atoll://sessions/a/files/%2e%2e/x",
                            "atoll://sessions/a/files/x%00", "atoll://sessions/a/files/%zz"}) {
        EXPECT_THROW(static_cast<void>(resource_address(uri)), Refused) << uri;
    }
}

}  // namespace

}  // namespace atl::api::mcp

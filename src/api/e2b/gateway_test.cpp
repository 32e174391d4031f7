#include "api/e2b/gateway.hpp"

#include <gtest/gtest.h>

namespace atl::api::e2b {
namespace {

const std::string kLetters(32, 'a');

TEST(SandboxId, IsItsSessionsAndBack) {
    const SessionId session("s-" + kLetters);
    EXPECT_EQ(sandbox_id_of(session), "s" + kLetters);
    EXPECT_EQ(session_id_of("s" + kLetters), session);
    for (const auto& text : {"t-" + kLetters, "s-" + kLetters + "a", std::string("s-"),
                             "s-" + std::string(32, 'A'), "s-" + std::string(31, 'a') + "1"}) {
        EXPECT_FALSE(sandbox_id_of(SessionId(text))) << text;
    }
    for (const auto& text : {std::string(), std::string("s"), "s-" + kLetters, "x" + kLetters,
                             "s" + std::string(31, 'a'), "s" + std::string(31, 'a') + "/"}) {
        EXPECT_FALSE(session_id_of(text)) << text;
    }
}

TEST(SandboxHost, NamesPortAndSandbox) {
    const auto host = sandbox_host_of("8080-s" + kLetters + ".example.com:8000", "example.com");
    ASSERT_TRUE(host);
    EXPECT_EQ(host->port, 8080);
    EXPECT_EQ(host->session.text(), "s-" + kLetters);
    EXPECT_TRUE(sandbox_host_of("49983-S" + std::string(32, 'A') + ".LocalHost", "localhost"));
    for (const auto& name :
         {"8080-s" + kLetters, "8080-s" + kLetters + ".other.com",
          "8080-s-" + kLetters + ".example.com", "08080-s" + kLetters + ".example.com",
          "0-s" + kLetters + ".example.com", "70000-s" + kLetters + ".example.com",
          "-s" + kLetters + ".example.com", "x.8080-s" + kLetters + ".example.com",
          "s" + kLetters + ".example.com", std::string("example.com"),
          std::string("api.example.com"), std::string(".example.com")}) {
        EXPECT_FALSE(sandbox_host_of(name, "example.com")) << name;
    }
    EXPECT_FALSE(sandbox_host_of("8080-s" + kLetters + ".localhost", "")) << "it is off";
}

}  // namespace
}  // namespace atl::api::e2b

// Goal: what a client writes means one absolute path, and none that leads out of it by dots.
#include "api/e2b/envd_path.hpp"

#include "base/result.hpp"

#include <gtest/gtest.h>

namespace atl::api::e2b {
namespace {

TEST(EnvdPath, is_absolute_and_clean) {
    const std::pair<std::string, std::string> rows[] = {
        {"", "/home/user"},
        {".", "/home/user"},
        {"a/b", "/home/user/a/b"},
        {"~", "/home/user"},
        {"~/a", "/home/user/a"},
        {"~a", "/home/user/~a"},
        {"/", "/"},
        {"/tmp/", "/tmp"},
        {"//tmp//x/./y/../z", "/tmp/x/z"},
        {"../../../../etc", "/etc"},
        {"/../..", "/"},
        {"a/..b/...", "/home/user/a/..b/..."},
    };
    for (const auto& [given, meant] : rows)
        EXPECT_EQ(envd_path(given, "/home/user"), meant) << given;
    EXPECT_EQ(envd_path("~/a", "/root"), "/root/a");
    EXPECT_EQ(envd_path("a", "/root"), "/root/a");
    EXPECT_EQ(envd_path("/a", "/root"), "/a");
}

TEST(EnvdPath, refuses_what_is_no_path) {
    EXPECT_THROW((void)envd_path(std::string_view("a\0b", 3), "/root"), ErrorException);
    EXPECT_THROW((void)envd_path(std::string(4096, 'a'), "/root"), ErrorException);
    EXPECT_THROW((void)envd_path(std::string(4095, 'a'), "/root"),
                 ErrorException);  // with the home
}

TEST(EnvdPath, is_shown_as_text) { EXPECT_EQ(shown_path("/a\xff"), "/a\xef\xbf\xbd"); }

}  // namespace
}  // namespace atl::api::e2b

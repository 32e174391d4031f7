#include "agent/plain_error.hpp"

#include <gtest/gtest.h>

namespace atl::agent {

TEST(PlainError, PathsOfTheHostAreNotTold) {
    const char* with_paths[] = {
        "open /srv/atoll/sessions/s-1: No such file or directory",
        "make the session's folders: mkdir \"/var/lib/atoll/sessions/.making/x\": full",
        "filesystem error: cannot open [/srv/atoll/outputs]",
        "/srv/atoll is gone",
    };
    for (const char* text : with_paths) {
        EXPECT_TRUE(names_a_path(text)) << text;
        for (const auto code :
             {Code::Internal, Code::DiskFull, Code::Unavailable, Code::NotFound, Code::Exhausted}) {
            const auto told = for_people({code, text});
            EXPECT_EQ(static_cast<int>(told.code), static_cast<int>(code));
            EXPECT_EQ(told.message.find('/'), std::string::npos) << told.message;
            EXPECT_FALSE(told.message.empty());
        }
    }
    const char* without[] = {
        "the sandbox could not be started",
        "the model at http://127.0.0.1:8080/v1 answered 500",
        "either/or, 3/4, and / alone",
        "",
    };
    for (const char* text : without) {
        EXPECT_FALSE(names_a_path(text)) << text;
        EXPECT_EQ(for_people({Code::Internal, text}).message, text);
    }
}

}  // namespace atl::agent

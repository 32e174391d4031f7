// Names of sessions: which may be chosen.
#include "sessions/names.hpp"

#include "base/result.hpp"

#include <gtest/gtest.h>
#include <string>

namespace atl::sessions {
namespace {

bool refused(void (*check)(std::string_view), const std::string& text) {
    try {
        check(text);
    } catch (const ErrorException& error) { return error.error.code == Code::InvalidArgument; }
    return false;
}

TEST(Names, OfTheServerAreNotForClients) {
    for (const std::string text : {"s-", "s-1", "s-mfrggzdfmztwq2lkmfrggzdfmztwq2lk",
                                   "t-mfrggzdfmztwq2lkmfrggzdfmztwq2lk"}) {
        EXPECT_TRUE(looks_like_id(text)) << text;
        EXPECT_TRUE(refused(check_name, text)) << text;
    }
    for (const std::string text : {"", "t-1", "t-shirts", "S-1", "session", "taxi data"}) {
        EXPECT_FALSE(looks_like_id(text)) << text;
        EXPECT_FALSE(refused(check_name, text)) << text;
    }
}

TEST(Names, ThatAreMadeAtFirstUseAreWords) {
    const std::string longest(128, 'x');
    for (const std::string text :
         {"my-conversation-1", "a", "7", "user@host:thread=3+4", "Ab._", longest.c_str()}) {
        EXPECT_FALSE(refused(check_chosen_id, text)) << text;
    }
    for (const std::string text :
         {"", "-x", ".", "..", "a b", "a/b", "a\n", "ü", "a%2f", "a\\b", "a'b"}) {
        EXPECT_TRUE(refused(check_chosen_id, text)) << text;
    }
    EXPECT_TRUE(refused(check_chosen_id, longest + "x"));
}

}  // namespace
}  // namespace atl::sessions

// Goal: protobuf's JSON is read as its rules say, and anything else is refused by its name.
#include "api/e2b/message.hpp"

#include "base/result.hpp"

#include <gtest/gtest.h>

namespace atl::api::e2b {
namespace {

Message message(std::string_view text) { return message_from(text, 1 << 20); }

std::string refusal(const std::function<void()>& read) {
    try {
        read();
    } catch (const ErrorException& error) {
        EXPECT_EQ(error.error.code, Code::InvalidArgument);
        return error.error.message;
    }
    return "was accepted";
}

TEST(Message, names_are_camel_or_snake) {
    EXPECT_EQ(message(R"({"watcherId":"a"})").text("watcherId"), "a");
    EXPECT_EQ(message(R"({"watcher_id":"a"})").text("watcherId"), "a");
    EXPECT_TRUE(message(R"({"other":1})").text("watcherId").empty());
}

TEST(Message, null_is_absent) {
    const auto one = message(R"({"a":null})");
    EXPECT_FALSE(one.has("a"));
    EXPECT_FALSE(one.flag("a"));
    EXPECT_EQ(one.number("a", 9), 0u);
    EXPECT_TRUE(one.texts("a").empty());
    EXPECT_FALSE(one.message("a"));
}

TEST(Message, numbers_come_as_numbers_or_text) {
    EXPECT_EQ(message(R"({"n":7})").number("n", 9), 7u);
    EXPECT_EQ(message(R"({"n":"7"})").number("n", 9), 7u);
    EXPECT_EQ(message(R"({"n":7.0})").number("n", 9), 7u);
    for (const char* text : {R"({"n":10})", R"({"n":-1})", R"({"n":7.5})", R"({"n":"7x"})",
                             R"({"n":""})", R"({"n":true})", R"({"n":1e300})"}) {
        EXPECT_NE(refusal([&] { (void)message(text).number("n", 9); }).find("n: must be"),
                  std::string::npos)
            << text;
    }
}

TEST(Message, bytes_are_base64) {
    EXPECT_EQ(message(R"({"b":"aGkK"})").bytes("b"), "hi\n");
    EXPECT_EQ(message(R"({"b":""})").bytes("b"), "");
    EXPECT_EQ(message(R"({"b":"_-8="})").bytes("b"), "\xff\xef");
    EXPECT_EQ(refusal([] { (void)message(R"({"b":"a*"})").bytes("b"); }), "b: must be base64");
}

TEST(Message, what_is_wrong_is_named_by_its_path) {
    const auto outer = message(R"({"process":{"cmd":1,"args":["a",2],"envs":{"A":[]}}})");
    const auto process = outer.message("process").value();
    EXPECT_EQ(refusal([&] { (void)process.text("cmd"); }), "process.cmd: must be a text");
    EXPECT_EQ(refusal([&] { (void)process.texts("args"); }),
              "process.args: must be a list of texts");
    EXPECT_EQ(refusal([&] { (void)process.text_map("envs"); }),
              "process.envs: must be an object of texts");
    EXPECT_EQ(refusal([&] { (void)message("[]"); }), "a message must be a JSON object");
}

}  // namespace
}  // namespace atl::api::e2b

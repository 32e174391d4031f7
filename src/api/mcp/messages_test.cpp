#include "api/mcp/messages.hpp"

#include "schema/json.hpp"

#include <gtest/gtest.h>

namespace atl::api::mcp {

namespace json = boost::json;

namespace {

constexpr std::size_t kEnough = 1u << 16;

Fault fault_of(std::string_view text, std::size_t bytes_max = kEnough) {
    try {
        static_cast<void>(read_message(text, bytes_max));
    } catch (const Refused& refused) { return refused.fault; }
    ADD_FAILURE() << text << " was taken for a message";
    return {};
}

TEST(McpMessages, RequestsNotificationsAndResponsesAreTold) {
    const auto request = read_message(
        R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}})", kEnough);
    EXPECT_EQ(request.kind, Message::Kind::Request);
    EXPECT_EQ(request.method, "tools/call");
    EXPECT_EQ(request.id.to_number<int>(), 7);
    EXPECT_EQ(text_in(request.params, "name"), "x");
    const auto note = read_message(R"({"jsonrpc":"2.0","method":"a"})", kEnough);
    EXPECT_EQ(note.kind, Message::Kind::Notification);
    EXPECT_TRUE(note.params.empty());
    const auto response = read_message(R"({"jsonrpc":"2.0","id":"a","result":{}})", kEnough);
    EXPECT_EQ(response.kind, Message::Kind::Response);
}

// Each row breaks one thing; the id is told as far as it could be read.
TEST(McpMessages, WhatIsNoMessageIsRefusedWithItsId) {
    struct Row {
        const char* text;
        int code;
        const char* id;
        const char* complaint;
    };
    const Row rows[] = {
        {"", kParseError, "null", ""},
        {"{", kParseError, "null", ""},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"a\"}", kParseError, "null", "id"},
        {"[]", kInvalidRequest, "null", "batches"},
        {"7", kInvalidRequest, "null", "object"},
        {R"({"id":1,"method":"a"})", kInvalidRequest, "1", "jsonrpc"},
        {R"({"jsonrpc":"1.0","id":1,"method":"a"})", kInvalidRequest, "1", "jsonrpc"},
        {R"({"jsonrpc":"2.0","id":null,"method":"a"})", kInvalidRequest, "null", "id"},
        {R"({"jsonrpc":"2.0","id":1.5,"method":"a"})", kInvalidRequest, "null", "id"},
        {R"({"jsonrpc":"2.0","id":{},"method":"a"})", kInvalidRequest, "null", "id"},
        {R"({"jsonrpc":"2.0","id":"x"})", kInvalidRequest, "\"x\"", "method"},
        {R"({"jsonrpc":"2.0","result":{}})", kInvalidRequest, "null", "method"},
        {R"({"jsonrpc":"2.0","id":1,"method":""})", kInvalidRequest, "1", "method"},
        {R"({"jsonrpc":"2.0","id":1,"method":5})", kInvalidRequest, "1", "method"},
        {R"({"jsonrpc":"2.0","id":1,"method":"a","params":[1]})", kInvalidParams, "1", "params"},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.text);
        const auto fault = fault_of(row.text);
        EXPECT_EQ(fault.code, row.code);
        EXPECT_EQ(key_of(fault.id), row.id);
        EXPECT_NE(fault.message.find(row.complaint), std::string::npos) << fault.message;
    }
}

TEST(McpMessages, LimitsAreKept) {
    const std::string long_id(300, 'x');
    EXPECT_EQ(fault_of("{\"jsonrpc\":\"2.0\",\"id\":\"" + long_id + "\",\"method\":\"a\"}").code,
              kInvalidRequest);
    EXPECT_EQ(fault_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + long_id + "\"}").code,
              kInvalidRequest);
    EXPECT_EQ(fault_of(R"({"jsonrpc":"2.0","id":1,"method":"a"})", 8).code, kParseError);
    EXPECT_EQ(fault_of(std::string(64, '[') + std::string(64, ']')).code, kParseError);
}

TEST(McpMessages, IdsOfDifferentKindsAreDifferentNames) {
    EXPECT_NE(key_of(json::value(1)), key_of(json::value("1")));
    EXPECT_EQ(key_of(json::value(std::int64_t{1})), key_of(json::value(std::uint64_t{1})));
}

TEST(McpMessages, AnswersAreOneLineOfJson) {
    const auto result = result_text(json::value("a\nb"), {{"text", "broken \xff\n"}});
    EXPECT_EQ(result.find('\n'), std::string::npos);
    const auto read = schema::parse_json(result, kEnough);
    EXPECT_EQ(read.at("id").as_string(), "a\nb");
    EXPECT_EQ(read.at("result").at("text").as_string(), "broken \xEF\xBF\xBD\n");
    const auto fault = schema::parse_json(
        fault_text({kInvalidParams, "no", json::value{{"requested", "x"}}, json::value(3)}),
        kEnough);
    EXPECT_EQ(fault.at("error").at("code").as_int64(), kInvalidParams);
    EXPECT_EQ(fault.at("error").at("data").at("requested").as_string(), "x");
    const auto note = schema::parse_json(notification_text("n", {{"a", 1}}), kEnough);
    EXPECT_FALSE(note.as_object().contains("id"));
}

TEST(McpMessages, NeededTextHasAName) {
    const json::object from{{"name", ""}, {"uri", "abc"}};
    EXPECT_EQ(needed_text(from, "uri", 3), "abc");
    EXPECT_THROW(static_cast<void>(needed_text(from, "uri", 2)), Refused);
    EXPECT_THROW(static_cast<void>(needed_text(from, "name", 9)), Refused);
    EXPECT_THROW(static_cast<void>(needed_text(from, "none", 9)), Refused);
}

}  // namespace

}  // namespace atl::api::mcp

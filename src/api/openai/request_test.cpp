// Goal: what clients of the OpenAI API send is understood as they mean it, whatever else they send;
// what would be answered otherwise than asked is refused by its name.
#include "api/openai/request.hpp"

#include "api/openai/errors.hpp"
#include "schema/json.hpp"

#include <boost/json/array.hpp>
#include <ctime>
#include <gtest/gtest.h>
#include <map>

namespace atl::api::openai {

namespace {

namespace json = boost::json;
using By = agent::SaidMessage::By;

CompletionRequest read(const std::string& body,
                       const std::map<std::string, std::string>& headers = {}) {
    const FindHeader header = [&](std::string_view name) -> std::optional<std::string> {
        const auto found = headers.find(std::string(name));
        if (found == headers.end()) return std::nullopt;
        return found->second;
    };
    return read_request(schema::parse_json(body, 1u << 20).get_object(), header);
}

CompletionRequest said(const std::string& messages) {
    return read(R"({"model": "atoll", "messages": )" + messages + "}");
}

// The field of the failure; "-" when there is none.
std::string wrong_in(const std::string& body) {
    try {
        (void)read(body);
    } catch (const schema::ValidationError& error) {
        return error.issues.front().path;
    } catch (const net::Problem& problem) {
        return std::string(error_object(problem)["error"].at("param").as_string());
    }
    return "-";
}

TEST(CompletionRequest, ModelsHaveVariants) {
    struct Row {
        const char* id;
        std::optional<ModelChoice> choice;
    };
    const Row rows[] = {
        {"atoll", ModelChoice{true, ""}},
        {"atoll-quiet", ModelChoice{false, ""}},
        {"atoll/gpt-5", ModelChoice{true, "gpt-5"}},
        {"atoll-quiet/org/name:tag", ModelChoice{false, "org/name:tag"}},
        {"atoll/", std::nullopt},
        {"atoll-quiet/", std::nullopt},
        {"atoll-loud", std::nullopt},
        {"Atoll", std::nullopt},
        {"gpt-5", std::nullopt},
        {"", std::nullopt},
    };
    for (const auto& row : rows) EXPECT_EQ(model_choice(row.id), row.choice) << row.id;
}

TEST(CompletionRequest, MessagesAreTurnsOfTwo) {
    const auto request = said(R"([
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "a"},
        {"role": "user", "content": [{"type": "text", "text": "b"}, {"type": "text", "text": "c"}]},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "x"}]},
        {"role": "tool", "content": "12", "tool_call_id": "x"},
        {"role": "assistant", "content": "twelve"},
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "name": "ann", "content": "d"}])");
    EXPECT_EQ(request.instructions, "Be kind.\n\nBe brief.");
    ASSERT_EQ(request.messages.size(), 3U);
    EXPECT_EQ(request.messages[0].said.text, "a\n\nb\n\nc");
    EXPECT_EQ(request.messages[1].said.by, By::Assistant);
    EXPECT_EQ(request.messages[1].said.text, "[A tool of the client answered:]\n12\n\ntwelve");
    EXPECT_EQ(request.messages[2].said.text, "d");
}

TEST(CompletionRequest, FilesComeWithTheMessage) {
    const auto request = said(R"([{"role": "user", "content": [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
        {"type": "image_url", "image_url": "data:image/webp;charset=x;base64,AAAA"},
        {"type": "file", "file": {"filename": "t.csv", "file_data": "data:text/csv;base64,YQ=="}},
        {"type": "file", "file": {"file_data": "YQ=="}},
        {"type": "file", "file": {"file_id": "f-1"}}]}])");
    const auto& files = request.messages.front().attachments;
    ASSERT_EQ(files.size(), 5U);
    EXPECT_TRUE(files[0].name.starts_with("image-") && files[0].name.ends_with(".png"));
    EXPECT_EQ(files[0].base64, "iVBORw0KGgo=");
    EXPECT_EQ(files[0].field, "messages[0].content[1]");
    EXPECT_TRUE(files[1].name.ends_with(".webp"));
    EXPECT_EQ(files[2].name, "t.csv");
    EXPECT_TRUE(files[3].name.starts_with("file-") && files[3].name.ends_with(".bin"));
    EXPECT_EQ(files[4].upload_id, "f-1");
    EXPECT_EQ(request.messages.front().said.attachments.size(), 5U);
    // The same bytes are the same file to whoever recognises a conversation.
    EXPECT_NE(files[0].digest, files[1].digest);
}

// Put together once. Each had copied all before it: 16 MB in pieces of 4 KB were 64 GB.
TEST(CompletionRequest, ManyMessagesOfOneSpeakerAreOne) {
    json::array messages;
    for (std::size_t i = 0; i < kMessagesMax; ++i) {
        messages.push_back({{"role", "user"}, {"content", std::string(4000, 'x')}});
    }
    const json::object body{{"model", "atoll"}, {"messages", std::move(messages)}};
    const auto began = std::clock();
    const auto request = read_request(body, [](std::string_view) { return std::nullopt; });
    EXPECT_LT((std::clock() - began) / CLOCKS_PER_SEC, 3);
    ASSERT_EQ(request.messages.size(), 1U);
    EXPECT_EQ(request.messages[0].said.text.size(), kMessagesMax * 4002 - 2);
}

TEST(CompletionRequest, NamesComeFromFieldsAndHeaders) {
    const std::string body = R"({"model": "atoll", "user": "ann", "messages": [
        {"role": "user", "content": "x"}],
        "metadata": {"thread_id": "th-1", "chat_id": "c-1", "other": 5}})";
    auto request = read(body);
    EXPECT_EQ(request.user, "ann");
    EXPECT_EQ(request.thread, "th-1");
    EXPECT_EQ(request.chat, "c-1");
    request =
        read(body,
             {{"X-Atoll-Thread", "th-2"}, {"X-Atoll-Chat", "c-2"}, {"X-OpenWebUI-User-Id", "bob"}});
    EXPECT_EQ(request.user, "ann");
    EXPECT_EQ(request.thread, "th-2");
    EXPECT_EQ(request.chat, "c-2");
    request = read(R"({"model": "atoll", "messages": [{"role": "user", "content": "x"}]})",
                   {{"X-OpenWebUI-Chat-Id", "c-3"}, {"X-OpenWebUI-User-Id", "bob"}});
    EXPECT_EQ(request.user, "bob");
    EXPECT_EQ(request.chat, "c-3");
    EXPECT_EQ(request.thread, "");
}

TEST(CompletionRequest, WhatWouldShowIsRefused) {
    const std::string start =
        R"({"model": "atoll", "messages": [{"role": "user", "content": "x"}])";
    struct Row {
        const char* more;
        const char* field;
    };
    const Row rows[] = {
        {"", "-"},
        {R"(, "n": 1)", "-"},
        {R"(, "n": null)", "-"},
        {R"(, "n": 2)", "n"},
        {R"(, "n": 1.5)", "n"},
        {R"(, "n": -1)", "n"},
        {R"(, "tools": [{}], "tool_choice": "auto")", "-"},
        {R"(, "tool_choice": "none")", "-"},
        {R"(, "tool_choice": "required")", "tool_choice"},
        {R"(, "tool_choice": {"type": "function"})", "tool_choice"},
        {R"(, "function_call": {"name": "f"})", "function_call"},
        {R"(, "response_format": {"type": "text"})", "-"},
        {R"(, "response_format": {"type": "json_schema"})", "response_format"},
        {R"(, "response_format": {"type": 5})", "response_format"},
        {R"(, "modalities": ["text"])", "-"},
        {R"(, "modalities": ["audio"])", "modalities"},
        {R"(, "stream": 1)", "stream"},
        {R"(, "stream_options": {"include_usage": "x"})", "stream_options.include_usage"},
        {R"(, "temperature": "hot", "max_tokens": {}, "whatever": [1])", "-"},
        {R"(, "metadata": "odd")", "-"},
        {R"(, "metadata": {"thread_id": 5})", "metadata.thread_id"},
    };
    for (const auto& row : rows) EXPECT_EQ(wrong_in(start + row.more + "}"), row.field) << row.more;
}

}  // namespace

}  // namespace atl::api::openai

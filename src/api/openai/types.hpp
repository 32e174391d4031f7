#pragma once
// What this API answers with, and what it takes: described once, for printing and for the OpenAPI
// document. Requests are read by request.hpp, which is more lenient than a description can say.
#include "schema/json.hpp"

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace atl::api::openai {

struct ChatCompletionMessage {
    std::string role;
    boost::json::value content;
};
ATOLL_DESCRIBED(ChatCompletionMessage);

struct ChatCompletionBody {
    std::string model;
    std::vector<ChatCompletionMessage> messages;
    std::optional<bool> stream;
    std::optional<boost::json::object> stream_options;
    std::optional<std::string> user;
    std::optional<boost::json::object> metadata;
};
ATOLL_DESCRIBED(ChatCompletionBody);

struct CompletionUsage {
    std::uint64_t prompt_tokens = 0;
    std::uint64_t completion_tokens = 0;
    std::uint64_t total_tokens = 0;
};
ATOLL_DESCRIBED(CompletionUsage);

struct AnswerMessage {
    std::string role = "assistant";
    std::string content;
    std::optional<std::string> reasoning_content;
};
ATOLL_DESCRIBED(AnswerMessage);

struct CompletionChoice {
    std::uint32_t index = 0;
    AnswerMessage message;
    std::string finish_reason;
};
ATOLL_DESCRIBED(CompletionChoice);

struct ChatCompletion {
    std::string id;
    std::string object = "chat.completion";
    std::int64_t created = 0;
    std::string model;
    std::vector<CompletionChoice> choices;
    CompletionUsage usage;
};
ATOLL_DESCRIBED(ChatCompletion);

struct AnswerDelta {
    std::optional<std::string> role;
    std::optional<std::string> content;
    std::optional<std::string> reasoning_content;
};
ATOLL_DESCRIBED(AnswerDelta);

struct ChunkChoice {
    std::uint32_t index = 0;
    AnswerDelta delta;
    boost::json::value finish_reason;  // null until the end
};
ATOLL_DESCRIBED(ChunkChoice);

struct ChatCompletionChunk {
    std::string id;
    std::string object = "chat.completion.chunk";
    std::int64_t created = 0;
    std::string model;
    std::vector<ChunkChoice> choices;
    std::optional<CompletionUsage> usage;
};
ATOLL_DESCRIBED(ChatCompletionChunk);

struct ModelView {
    std::string id;
    std::string object = "model";
    std::int64_t created = 0;
    std::string owned_by = "atoll";
};
ATOLL_DESCRIBED(ModelView);

struct ModelList {
    std::string object = "list";
    std::vector<ModelView> data;
};
ATOLL_DESCRIBED(ModelList);

struct ModelPath {
    std::string id;
};
ATOLL_DESCRIBED(ModelPath);

struct CompletionHeaders {
    std::optional<std::string> x_atoll_thread;
    std::optional<std::string> x_atoll_chat;
};
ATOLL_DESCRIBED(CompletionHeaders);

struct FailureText {
    std::string message;
    std::string type;
    boost::json::value param;
    boost::json::value code;
};
ATOLL_DESCRIBED(FailureText);

struct Failure {
    FailureText error;
};
ATOLL_DESCRIBED(Failure);

struct LinkPath {
    std::string name;
};
ATOLL_DESCRIBED(LinkPath);

struct LinkQuery {
    std::string link;
};
ATOLL_DESCRIBED(LinkQuery);

}  // namespace atl::api::openai

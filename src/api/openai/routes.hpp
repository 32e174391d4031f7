#pragma once
// Routes in the form of the OpenAI API: /v1/chat/completions, /v1/models; and /v1/links, the files
// that answers link to.
#include "agent/conversations.hpp"
#include "agent/models.hpp"
#include "agent/threads.hpp"
#include "agent/uploads.hpp"
#include "api/api.hpp"
#include "api/openai/file_links.hpp"

#include <cstddef>
#include <cstdint>

namespace atl::api {

// All but the rules are borrowed and outlive the routes.
struct OpenAiParts {
    agent::Threads& threads;
    agent::Conversations& conversations;
    agent::Models& models;
    agent::Uploads& uploads;
    const openai::FileLinks& links;
    std::size_t input_chars_max = 200'000;
    std::uint64_t answer_bytes_max = 128u << 20;   // of answers that are collected at a time
    std::uint64_t request_bytes_max = 512u << 20;  // of requests that are under way, about
};
void add_openai_routes(Api& api, OpenAiParts parts);

}  // namespace atl::api

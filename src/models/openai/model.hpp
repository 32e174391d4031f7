#pragma once
// The chat model behind an OpenAI-compatible API: OpenAI itself, vLLM, Ollama, llama.cpp and many
// more. Streams; tools; retries before anything was heard, never after.
//
// Owns      nothing but its settings. The fetcher is lent and outlives it.
// Threads   one, the fetcher's executor. Any number of conversations at one time.
// Trusts    the operator who named the endpoint; of what comes from there, nothing (reply_reader).
// Throws    as core/chat.hpp says. The key is in no sentence and in no log.
#include "core/chat.hpp"
#include "models/openai/request.hpp"
#include "models/openai/retry.hpp"
#include "models/openai/trouble.hpp"
#include "net/fetch.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace atl::openai {

// Where a provider is and how patient we are with it.
struct Endpoint {
    std::string base_url = "https://api.openai.com/v1";
    std::string key;                             // empty: none is sent
    bool chosen_here = false;                    // on the settings page: what errors point to
    std::chrono::milliseconds connect{10'000};   // to get a connection
    std::chrono::milliseconds silence{300'000};  // without a byte; a model may read for minutes
    std::chrono::milliseconds total{3'600'000};  // of one answer
    RetryOptions retry;

    // Whether it can be used at all; the message is for whoever wrote the settings.
    [[nodiscard]] Result<void> check() const;
    [[nodiscard]] std::string url(std::string_view path) const;
    [[nodiscard]] net::FetchRequest request(std::string_view path, std::string body) const;
};

struct ModelOptions {
    Endpoint endpoint;
    std::string model;
    std::optional<bool> sees_images;  // not said: by the model's name
    std::uint64_t context_tokens_max = 0;
};

class OpenAiModel final : public core::ChatModel {
public:
    OpenAiModel(net::Fetcher& fetcher, ModelOptions options);

    [[nodiscard]] core::ChatModelInfo info() const override;
    boost::asio::awaitable<core::ChatReply> chat(core::ChatRequest request,
                                                 core::ChatListener& listener) override;

private:
    struct Attempt;
    boost::asio::awaitable<Attempt> ask(std::string body, core::ChatListener& listener);
    bool learn_from(const Attempt& attempt);

    net::Fetcher& fetcher_;
    ModelOptions options_;
    ModelAddress address_;
    Dialect dialect_;  // what the provider turned out not to know is left out from then on
    Backoff backoff_;
};

}  // namespace atl::openai

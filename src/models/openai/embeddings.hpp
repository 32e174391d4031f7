#pragma once
// Texts to vectors, by /embeddings of an OpenAI-compatible API.
//
// Threads, trust and failures as for OpenAiModel. A batch has at most 16 texts, so that its answer
// is parsed in a few milliseconds; a text beyond 16 KiB counts by its beginning; a vector has at
// most 8,192 numbers, all vectors of one call the same many.
#include "core/recall.hpp"
#include "models/openai/model.hpp"

#include <string>
#include <vector>

namespace atl::openai {

class OpenAiEmbeddings final : public core::Embeddings {
public:
    // The fetcher is lent and outlives it.
    OpenAiEmbeddings(net::Fetcher& fetcher, Endpoint endpoint, std::string model);

    [[nodiscard]] std::string name() const override;
    boost::asio::awaitable<std::vector<std::vector<float>>> embed(
        std::vector<std::string> texts) override;

    // The vectors of an answer to so many texts, in their order. What is none is an Error.
    [[nodiscard]] static Result<std::vector<std::vector<float>>> vectors_in(std::string_view answer,
                                                                            std::size_t texts);

private:
    struct Attempt;
    boost::asio::awaitable<Attempt> ask(std::string body, std::size_t texts);

    net::Fetcher& fetcher_;
    Endpoint endpoint_;
    std::string model_;
    ModelAddress address_;
    Backoff backoff_;
};

}  // namespace atl::openai

#pragma once
// Models of OpenAI-compatible endpoints, and which of them an endpoint has (GET …/models).
//
// Owns      nothing: the fetchers are borrowed and outlive it and its models. Which of them is used
//           goes by who said the address (core::ChatEndpoint::Said); `local` dials loopback alone.
// Threads   one, the executor's.
// Trusts    nothing that comes: a list has at most 1 MiB, 5 seconds and 1,000 names, each one line.
#include "core/chat_provider.hpp"
#include "models/openai/model.hpp"
#include "net/fetch.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::openai {

class OpenAiProvider final : public core::ChatProvider {
public:
    struct Fetchers {
        net::Fetcher& operators;
        net::Fetcher& administrators;
        net::Fetcher& local;
    };
    struct Options {
        std::chrono::milliseconds silence{300'000};
        std::optional<bool> sees_images;
        std::uint64_t context_tokens_max = 0;
    };
    OpenAiProvider(Fetchers fetchers, Options options) : fetchers_(fetchers), options_(options) {}

    [[nodiscard]] Result<void> check(const core::ChatEndpoint& endpoint) const override;
    [[nodiscard]] std::shared_ptr<core::ChatModel> model(const core::ChatEndpoint& endpoint,
                                                         const std::string& name) override;
    boost::asio::awaitable<std::vector<std::string>> list(core::ChatEndpoint endpoint) override;
    boost::asio::awaitable<std::vector<core::LocalProvider>> find_local(
        std::vector<std::uint16_t> not_these) override;
    boost::asio::awaitable<core::LocalProvider> look_at_local(
        std::string base_url, std::vector<std::uint16_t> not_these) override;

private:
    [[nodiscard]] net::Fetcher& fetcher_for(const core::ChatEndpoint& endpoint) const noexcept;

    Fetchers fetchers_;
    Options options_;
};

// The names in the answer of …/models; what is no name is left out. Internal: it is no such answer.
[[nodiscard]] Result<std::vector<std::string>> names_in(std::string_view answer);

}  // namespace atl::openai

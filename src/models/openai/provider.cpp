#include "models/openai/provider.hpp"

#include "base/utf8.hpp"
#include "models/openai/trouble.hpp"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <charconv>
#include <set>

namespace atl::openai {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t kListBytesMax = 1u << 20;
constexpr std::size_t kNamesMax = 1000;
constexpr std::size_t kListedNameBytesMax = 200;
constexpr std::chrono::milliseconds kListTime{5'000};
// On this machine: whoever listens answers at once, and a page waits for all of them.
constexpr std::chrono::milliseconds kLocalTime{1'500};

struct KnownPort {
    const char* name;
    std::uint16_t port;
};
constexpr std::array<KnownPort, 4> kKnownPorts{{
    {"Ollama", 11434},
    {"LM Studio", 1234},
    {"llama.cpp", 8080},
    {"vLLM", 8000},
}};

bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= kListedNameBytesMax && is_utf8(text) &&
           std::none_of(text.begin(), text.end(),
                        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

asio::awaitable<std::vector<std::string>> fetch_names(net::Fetcher& fetcher, Endpoint endpoint,
                                                      std::chrono::milliseconds time) {
    const ModelAddress address{net::origin_of(endpoint.base_url), "", endpoint.key,
                               endpoint.chosen_here};
    endpoint.check().value();
    auto request = endpoint.request("/models", "");
    request.method = "GET";
    request.headers.set("Accept", "application/json");
    request.body_bytes_max = kListBytesMax;
    request.timeouts = {time, time, time, time};
    auto answer = co_await fetcher.send(std::move(request));
    const std::string said = co_await answer.read_all(kListBytesMax);
    if (answer.status() < 200 || answer.status() >= 300) {
        throw ErrorException(trouble_of_status(answer.status(), said, address).error);
    }
    auto names = names_in(said);
    if (!names) throw ErrorException(no_answer(names.error().message, address).error);
    co_return std::move(*names);
}

Endpoint endpoint_of(const core::ChatEndpoint& endpoint) {
    Endpoint made;
    made.base_url = endpoint.base_url;
    made.key = endpoint.key;
    made.chosen_here = endpoint.said == core::ChatEndpoint::Said::Administrator;
    return made;
}

// "http://127.0.0.1:1234" has 1234.
std::uint16_t port_of(const std::string& url) {
    const auto origin = net::origin_of(url);
    const auto colon = origin.rfind(':');
    std::uint16_t port = 0;
    const char* end = origin.data() + origin.size();
    const auto [stopped, failed] = std::from_chars(origin.data() + colon + 1, end, port);
    if (failed == std::errc{} && stopped == end) return port;
    return origin.starts_with("https") ? 443 : 80;
}

bool is_ours(std::uint16_t port, const std::vector<std::uint16_t>& ours) {
    return std::find(ours.begin(), ours.end(), port) != ours.end();
}

}  // namespace

Result<std::vector<std::string>> names_in(std::string_view answer) {
    boost::system::error_code wrong;
    const auto value = json::parse(json::string_view(answer.data(), answer.size()), wrong);
    const auto* object = wrong ? nullptr : value.if_object();
    const auto* data = object == nullptr ? nullptr : object->if_contains("data");
    // Ollama answers null while it has none.
    if (data != nullptr && data->is_null()) return std::vector<std::string>{};
    if (data == nullptr || !data->is_array()) return Error{Code::Internal, "no list of models"};
    std::vector<std::string> names;
    std::set<std::string_view> seen;
    for (const auto& one : data->get_array()) {
        const auto* model = one.if_object();
        const auto* id = model == nullptr ? nullptr : model->if_contains("id");
        if (id == nullptr || !id->is_string()) continue;
        const std::string_view name = id->get_string();
        if (!is_name(name) || !seen.insert(name).second) continue;
        if (names.size() >= kNamesMax) break;
        names.emplace_back(name);
    }
    return names;
}

net::Fetcher& OpenAiProvider::fetcher_for(const core::ChatEndpoint& endpoint) const noexcept {
    return endpoint.said == core::ChatEndpoint::Said::Operator ? fetchers_.operators
                                                               : fetchers_.administrators;
}

Result<void> OpenAiProvider::check(const core::ChatEndpoint& endpoint) const {
    return endpoint_of(endpoint).check();
}

std::shared_ptr<core::ChatModel> OpenAiProvider::model(const core::ChatEndpoint& endpoint,
                                                       const std::string& name) {
    ModelOptions options;
    options.endpoint = endpoint_of(endpoint);
    options.endpoint.silence = options_.silence;
    options.endpoint.check().value();
    options.model = name;
    options.sees_images = options_.sees_images;
    options.context_tokens_max = options_.context_tokens_max;
    return std::make_shared<OpenAiModel>(fetcher_for(endpoint), std::move(options));
}

asio::awaitable<std::vector<std::string>> OpenAiProvider::list(core::ChatEndpoint endpoint) {
    auto asked = endpoint_of(endpoint);
    co_return co_await fetch_names(fetcher_for(endpoint), std::move(asked), kListTime);
}

asio::awaitable<core::LocalProvider> OpenAiProvider::look_at_local(
    std::string base_url, std::vector<std::uint16_t> not_these) {
    core::LocalProvider found;
    found.base_url = base_url;
    Endpoint endpoint;
    endpoint.base_url = std::move(base_url);
    endpoint.chosen_here = true;
    endpoint.check().value();
    const auto port = port_of(endpoint.base_url);
    if (is_ours(port, not_these)) {
        throw ErrorException({Code::Forbidden, "this server itself listens at port " +
                                                   std::to_string(port) + ", and has no model"});
    }
    for (const auto& known : kKnownPorts) {
        if (known.port == port) found.name = known.name;
    }
    found.models = co_await fetch_names(fetchers_.local, std::move(endpoint), kLocalTime);
    co_return found;
}

asio::awaitable<std::vector<core::LocalProvider>> OpenAiProvider::find_local(
    std::vector<std::uint16_t> not_these) {
    std::vector<core::LocalProvider> found;
    // One after the other: where nobody listens, loopback says so at once.
    for (const auto& known : kKnownPorts) {
        if (is_ours(known.port, not_these)) continue;
        try {
            const std::string url = "http://127.0.0.1:" + std::to_string(known.port) + "/v1";
            found.push_back(co_await look_at_local(url, not_these));
        } catch (const ErrorException&) {
            // Nobody, or somebody else.
        }
    }
    co_return found;
}

}  // namespace atl::openai

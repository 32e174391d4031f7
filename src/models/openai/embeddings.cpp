#include "models/openai/embeddings.hpp"

#include "base/utf8.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cmath>

namespace atl::openai {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t kBatchTexts = 16;
constexpr std::size_t kTextBytesMax = 16u << 10;
constexpr std::size_t kTextsMax = 4096;
constexpr std::size_t kVectorMax = 8192;
constexpr std::size_t kEmbeddingsBytesMax = 8u << 20;

std::string body_for(const std::vector<std::string>& texts, std::size_t from, std::size_t to,
                     const std::string& model) {
    json::array input;
    for (std::size_t i = from; i < to; ++i) {
        const auto text = as_utf8(cut_utf8(texts[i], kTextBytesMax));
        input.emplace_back(text.empty() ? " " : text);  // an empty one is refused by some
    }
    const json::object body{
        {"model", model}, {"input", std::move(input)}, {"encoding_format", "float"}};
    return json::serialize(body);
}

}  // namespace

struct OpenAiEmbeddings::Attempt {
    std::vector<std::vector<float>> vectors;
    std::optional<Trouble> trouble;
    std::optional<std::chrono::milliseconds> wait;
};

OpenAiEmbeddings::OpenAiEmbeddings(net::Fetcher& fetcher, Endpoint endpoint, std::string model)
    : fetcher_(fetcher),
      endpoint_(std::move(endpoint)),
      model_(std::move(model)),
      address_{net::origin_of(endpoint_.base_url), model_, endpoint_.key},
      backoff_(endpoint_.retry) {}

std::string OpenAiEmbeddings::name() const { return model_; }

asio::awaitable<std::vector<std::vector<float>>> OpenAiEmbeddings::embed(
    std::vector<std::string> texts) {
    endpoint_.check().value();
    if (texts.size() > kTextsMax) {
        throw ErrorException({Code::TooLarge, "more than 4096 texts at once"});
    }
    std::vector<std::vector<float>> all;
    all.reserve(texts.size());
    int attempts = 1;
    while (all.size() < texts.size()) {
        const std::size_t from = all.size();
        const std::size_t to = std::min(from + kBatchTexts, texts.size());
        std::string body = body_for(texts, from, to, model_);
        auto attempt = co_await ask(std::move(body), to - from);
        if (!attempt.trouble) {
            for (auto& vector : attempt.vectors) {
                if (!all.empty() && vector.size() != all.front().size()) {
                    throw ErrorException(no_answer("vectors of different lengths", address_).error);
                }
                all.push_back(std::move(vector));
            }
            attempts = 1;
            continue;
        }
        const auto wait = backoff_.after(attempts++, attempt.wait);
        if (!attempt.trouble->may_pass || !wait) throw ErrorException(attempt.trouble->error);
        const auto executor = co_await asio::this_coro::executor;
        asio::steady_timer timer(executor, *wait);
        co_await timer.async_wait(asio::use_awaitable);
    }
    co_return all;
}

asio::awaitable<OpenAiEmbeddings::Attempt> OpenAiEmbeddings::ask(std::string body,
                                                                 std::size_t texts) {
    Attempt attempt;
    try {
        auto request = endpoint_.request("/embeddings", std::move(body));
        request.body_bytes_max = kEmbeddingsBytesMax;
        auto answer = co_await fetcher_.send(std::move(request));
        const std::string said = co_await answer.read_all(kEmbeddingsBytesMax);
        if (answer.status() < 200 || answer.status() >= 300) {
            attempt.wait = wait_asked_for(answer.headers(), std::chrono::system_clock::now());
            attempt.trouble = trouble_of_status(answer.status(), said, address_);
        } else if (auto vectors = vectors_in(said, texts); vectors) {
            attempt.vectors = std::move(*vectors);
        } else {
            attempt.trouble = no_answer(vectors.error().message, address_);
        }
    } catch (const ErrorException& failed) {
        attempt.trouble = Trouble{failed.error, failed.error.code == Code::Unavailable};
    }
    co_return attempt;
}

Result<std::vector<std::vector<float>>> OpenAiEmbeddings::vectors_in(std::string_view answer,
                                                                     std::size_t texts) {
    const auto none = [](const char* what) { return Error{Code::Internal, what}; };
    boost::system::error_code wrong;
    const auto value = json::parse(json::string_view(answer.data(), answer.size()), wrong);
    if (wrong || !value.is_object()) return none("no JSON");
    const auto* list = value.get_object().if_contains("data");
    if (list == nullptr || !list->is_array()) return none("no data in it");
    const auto& rows = list->get_array();
    if (rows.size() != texts) return none("a different number of vectors than texts");
    std::vector<std::vector<float>> vectors(texts);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto* row = rows[i].if_object();
        if (row == nullptr) return none("a row that is not an object");
        std::size_t at = i;
        if (const auto* index = row->if_contains("index"); index != nullptr && index->is_int64()) {
            if (index->get_int64() < 0) return none("a row of no text");
            at = static_cast<std::size_t>(index->get_int64());
        }
        if (at >= texts || !vectors[at].empty()) return none("two rows of one text");
        const auto* numbers = row->if_contains("embedding");
        if (numbers == nullptr || !numbers->is_array()) return none("a row without a vector");
        const auto& array = numbers->get_array();
        if (array.empty() || array.size() > kVectorMax) return none("a vector of invalid length");
        auto& vector = vectors[at];
        vector.reserve(array.size());
        for (const auto& one : array) {
            if (!one.is_number()) return none("a vector with non-numeric values");
            const double number = one.to_number<double>();
            if (!std::isfinite(static_cast<float>(number))) return none("a non-finite number");
            vector.push_back(static_cast<float>(number));
        }
        if (vector.size() != vectors.front().size() && !vectors.front().empty()) {
            return none("vectors of different lengths");
        }
    }
    return vectors;
}

}  // namespace atl::openai

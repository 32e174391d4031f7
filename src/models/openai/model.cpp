#include "models/openai/model.hpp"

#include "models/openai/reply_reader.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace atl::openai {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kErrorBytesMax = 64u << 10;
constexpr std::uint64_t kStreamBytesMax = 256u << 20;  // mostly frames round little text
constexpr int kLessonsMax = 2;

}  // namespace

Result<void> Endpoint::check() const {
    const std::string address = chosen_here ? "the address of the model" : "OPENAI_BASE_URL";
    const auto host = base_url.find("://") + 3;
    if ((!base_url.starts_with("http://") && !base_url.starts_with("https://")) ||
        host >= base_url.size() || base_url[host] == '/' || base_url[host] == '?') {
        return Error{Code::InvalidArgument, address +
                                                " is one with http:// or https://, as "
                                                "https://api.openai.com/v1 is"};
    }
    if (base_url.size() > 2048) return Error{Code::InvalidArgument, address + " is too long"};
    if (!net::is_field_value(key)) {
        return Error{Code::InvalidArgument,
                     std::string(chosen_here ? "the key" : "OPENAI_API_KEY") +
                         " has a line break or another control character in it"};
    }
    return {};
}

std::string Endpoint::url(std::string_view path) const {
    const auto query = base_url.find('?');
    std::string base = base_url.substr(0, query);
    while (!base.empty() && base.back() == '/') base.pop_back();
    base.append(path);
    if (query != std::string::npos) base.append(base_url, query, std::string::npos);
    return base;
}

net::FetchRequest Endpoint::request(std::string_view path, std::string body) const {
    net::FetchRequest request;
    request.method = "POST";
    request.url = url(path);
    request.headers.set("Content-Type", "application/json");
    if (!key.empty()) request.headers.set("Authorization", "Bearer " + key);
    request.body = std::move(body);
    request.timeouts = {connect, silence, silence, total};
    return request;
}

// How one attempt ended: with a reply, or with trouble.
struct OpenAiModel::Attempt {
    std::optional<core::ChatReply> reply;
    std::optional<Trouble> trouble;
    std::optional<std::chrono::milliseconds> wait;  // that the provider asked for
    int status = 0;
    std::string words;  // of the provider
    bool heard = false;
};

OpenAiModel::OpenAiModel(net::Fetcher& fetcher, ModelOptions options)
    : fetcher_(fetcher),
      options_(std::move(options)),
      address_{net::origin_of(options_.endpoint.base_url), options_.model, options_.endpoint.key,
               options_.endpoint.chosen_here},
      backoff_(options_.endpoint.retry) {
    dialect_.sees_images = options_.sees_images.value_or(name_says_it_sees(options_.model));
    // OpenAI's newer models refuse the old name; most others know no other.
    dialect_.says_completion_tokens =
        address_.origin.find("://api.openai.com") != std::string::npos;
}

core::ChatModelInfo OpenAiModel::info() const {
    core::ChatModelInfo info;
    info.provider = "openai";
    info.name = options_.model;
    info.sees_images = dialect_.sees_images;
    info.context_tokens_max = options_.context_tokens_max;
    return info;
}

asio::awaitable<core::ChatReply> OpenAiModel::chat(core::ChatRequest request,
                                                   core::ChatListener& listener) {
    options_.endpoint.check().value();
    int lessons = 0;
    for (int attempts = 1;; ++attempts) {
        std::string body = request_body(request, options_.model, dialect_);
        auto attempt = co_await ask(std::move(body), listener);
        if (attempt.reply) co_return std::move(*attempt.reply);
        const Trouble trouble = std::move(attempt.trouble).value();
        if (attempt.heard) throw ErrorException(trouble.error);
        if (lessons < kLessonsMax && learn_from(attempt)) {
            ++lessons;
            --attempts;
            continue;
        }
        if (!trouble.may_pass) throw ErrorException(trouble.error);
        const auto wait = backoff_.after(attempts, attempt.wait);
        if (!wait) throw ErrorException(trouble.error);
        const auto executor = co_await asio::this_coro::executor;
        asio::steady_timer timer(executor, *wait);
        co_await timer.async_wait(asio::use_awaitable);
    }
}

asio::awaitable<OpenAiModel::Attempt> OpenAiModel::ask(std::string body,
                                                       core::ChatListener& listener) {
    Attempt attempt;
    ReplyReader reader(listener, address_);
    try {
        auto request = options_.endpoint.request("/chat/completions", std::move(body));
        request.headers.set("Accept", "text/event-stream, application/json");
        request.body_bytes_max = kStreamBytesMax;
        auto answer = co_await fetcher_.send(std::move(request));
        attempt.status = answer.status();
        std::string piece;
        if (attempt.status < 200 || attempt.status >= 300) {
            attempt.wait = wait_asked_for(answer.headers(), std::chrono::system_clock::now());
            std::string said;
            while (said.size() < kErrorBytesMax) {
                const bool more = co_await answer.read(piece);
                if (!more) break;
                said.append(piece);
            }
            attempt.words = words_of(said, address_);
            attempt.trouble = trouble_of_status(attempt.status, said, address_);
            co_return attempt;
        }
        bool wants_more = true;
        while (wants_more) {
            const bool more = co_await answer.read(piece);
            if (!more) break;
            wants_more = reader.feed(piece);
        }
        attempt.reply = reader.finish(answer.end_is_marked());
        // After [DONE] nothing but the end can come, which nobody needs to wait for.
        if (reader.said_done()) fetcher_.drop(std::move(answer));
        if (!attempt.reply) attempt.trouble = reader.trouble();
    } catch (const ErrorException& failed) {
        const auto& error = failed.error;
        const bool began = attempt.status >= 200 && attempt.status < 300;
        if (began && reader.is_complete()) attempt.reply = reader.finish(true);
        const char* what = error.code == Code::Timeout       ? "the model took too long"
                           : error.code != Code::Unavailable ? "the request to the model failed"
                           : began ? "the model's answer broke off in the middle"
                                   : "the model cannot be reached";
        attempt.trouble = Trouble{error.during(what), error.code == Code::Unavailable};
    }
    attempt.heard = reader.heard();
    co_return attempt;
}

// A provider that does not know one of our fields says so. True when there is something to try.
bool OpenAiModel::learn_from(const Attempt& attempt) {
    if (attempt.status != 400 && attempt.status != 422) return false;
    const auto& words = attempt.words;
    if (dialect_.asks_for_usage && words.find("stream_options") != std::string::npos) {
        dialect_.asks_for_usage = false;
        return true;
    }
    if (!dialect_.says_completion_tokens &&
        words.find("max_completion_tokens") != std::string::npos) {
        dialect_.says_completion_tokens = true;
        return true;
    }
    if (dialect_.says_completion_tokens &&
        words.find("max_completion_tokens") != std::string::npos) {
        dialect_.says_completion_tokens = false;
        return true;
    }
    return false;
}

}  // namespace atl::openai

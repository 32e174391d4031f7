#include "models/minilm/embeddings.hpp"

#include "models/minilm/encoder.hpp"

#include <algorithm>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>
#include <limits>
#include <optional>
#include <utility>

namespace atl::minilm {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kTextsMax = 4096;
constexpr std::size_t kRequestsMax = 256;

using Vectors = std::vector<std::vector<float>>;

}  // namespace

struct LocalEmbeddings::Request {
    std::vector<std::string> texts;
    Vectors vectors;
    std::atomic<bool> cancelled{false};

    [[nodiscard]] std::size_t left() const noexcept { return texts.size() - vectors.size(); }
};

LocalEmbeddings::LocalEmbeddings(std::string name, Encode encode)
    : name_(std::move(name)),
      encode_(std::move(encode)),
      // The queue is no more than a way in: what is held is counted in admit().
      thread_(
          "atoll-vectors",
          {.tasks_max = std::numeric_limits<std::size_t>::max(),
           .group_max = std::numeric_limits<std::size_t>::max()},
          [this](std::vector<TaskPtr>& group, bool stopping) { return serve(group, stopping); },
          [this](const Task&, Thread::Room) { return admit(); }) {}

asio::awaitable<Vectors> LocalEmbeddings::embed(std::vector<std::string> texts) {
    if (texts.size() > kTextsMax) {
        throw ErrorException({Code::TooLarge, "more than 4096 texts at once"});
    }
    if (texts.empty()) co_return Vectors();
    const auto request = std::make_shared<Request>();
    request->texts = std::move(texts);
    auto slot = (co_await asio::this_coro::cancellation_state).slot();
    if (slot.is_connected()) {
        slot.assign([request](asio::cancellation_type) { request->cancelled = true; });
    }
    auto encode_next = [request](const Encode& encode) -> std::optional<Result<Vectors>> {
        request->vectors.push_back(encode(request->texts[request->vectors.size()]));
        if (request->left() != 0) return {};
        return std::move(request->vectors);
    };
    co_return co_await thread_.ask_in_steps<Vectors>(request, 0, std::move(encode_next));
}

std::optional<Error> LocalEmbeddings::admit() {
    if (held_ >= kRequestsMax) {
        return Error{Code::Unavailable, "too many texts are waiting for their vectors"};
    }
    ++held_;
    return {};
}

std::optional<LocalEmbeddings::Thread::Clock::time_point> LocalEmbeddings::serve(
    std::vector<TaskPtr>& group, bool stopping) {
    std::move(group.begin(), group.end(), std::back_inserter(waiting_));
    // One text, then the queue is looked at again; on shutdown, all are given up.
    do {
        if (waiting_.empty()) return {};
        const auto shortest = std::min_element(
            waiting_.begin(), waiting_.end(),
            [](const auto& a, const auto& b) { return a->mark->left() < b->mark->left(); });
        Task& task = **shortest;
        if (stopping || task.mark->cancelled) {
            task.fail({Code::Unavailable, "the vectors were given up"});
        } else if (!run_or_fail(task, encode_, Code::Unavailable, "no vector")) {
            continue;
        }
        --held_;
        task.answer();
        waiting_.erase(shortest);
    } while (stopping);
    return Thread::Clock::now();
}

std::unique_ptr<core::Embeddings> open_embeddings(const std::string& folder) {
    auto opened = Encoder::open(folder);
    const auto encoder = std::make_shared<Encoder>(std::move(opened).value());
    return std::make_unique<LocalEmbeddings>(
        "all-MiniLM-L6-v2", [encoder](std::string_view text) { return encoder->encode(text); });
}

}  // namespace atl::minilm

#include "models/minilm/embeddings.hpp"

#include "base/result.hpp"
#include "models/minilm/encoder.hpp"

#include <algorithm>
#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <optional>
#include <pthread.h>

namespace atl::minilm {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kTextsMax = 4096;
constexpr std::size_t kTasksMax = 256;

using Vectors = std::vector<std::vector<float>>;

}  // namespace

struct LocalEmbeddings::Task {
    std::vector<std::string> texts;
    Vectors vectors;
    std::atomic<bool> cancelled{false};
    std::function<void(Result<Vectors>)> answer;  // once; from any thread

    [[nodiscard]] std::size_t left() const noexcept { return texts.size() - vectors.size(); }
};

LocalEmbeddings::LocalEmbeddings(std::string name, Encode encode)
    : name_(std::move(name)), encode_(std::move(encode)), thread_([this] { live(); }) {}

LocalEmbeddings::~LocalEmbeddings() {
    {
        const std::lock_guard guard(mutex_);
        stopping_ = true;
    }
    came_.notify_one();
    thread_.join();
}

asio::awaitable<Vectors> LocalEmbeddings::embed(std::vector<std::string> texts) {
    if (texts.size() > kTextsMax) {
        throw ErrorException({Code::TooLarge, "more than 4096 texts at once"});
    }
    if (texts.empty()) co_return Vectors();
    const auto task = std::make_shared<Task>();
    task->texts = std::move(texts);
    auto begin = [this, task](auto handler) {
        using Handler = std::decay_t<decltype(handler)>;
        auto slot = asio::get_associated_cancellation_slot(handler);
        // Tracked: a loop must not run out of work while a coroutine of its own waits here.
        auto executor = asio::prefer(asio::any_io_executor(asio::get_associated_executor(handler)),
                                     asio::execution::outstanding_work.tracked);
        const auto held = std::make_shared<Handler>(std::move(handler));
        task->answer = [held, executor](Result<Vectors> outcome) {
            asio::post(executor, [held, outcome = std::move(outcome)]() mutable {
                std::move (*held)(std::move(outcome));
            });
        };
        if (slot.is_connected()) {
            slot.assign([task](asio::cancellation_type) { task->cancelled = true; });
        }
        submit(task);
    };
    Result<Vectors> outcome =
        co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Result<Vectors>)>(
            std::move(begin), asio::use_awaitable);
    co_return std::move(outcome).value();
}

void LocalEmbeddings::submit(TaskPtr task) {
    {
        const std::lock_guard guard(mutex_);
        if (!stopping_ && waiting_.size() < kTasksMax) { waiting_.push_back(std::move(task)); }
    }
    if (task) {
        const auto answer = std::exchange(task->answer, {});
        answer(Error{Code::Unavailable, "too many texts are waiting for their vectors"});
    } else {
        came_.notify_one();
    }
}

void LocalEmbeddings::live() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    ::pthread_setname_np(::pthread_self(), "atoll-vectors");
    while (true) {
        TaskPtr task;
        bool stopping = false;
        {
            std::unique_lock guard(mutex_);
            came_.wait(guard, [this] { return stopping_ || !waiting_.empty(); });
            if (waiting_.empty()) return;
            stopping = stopping_;
            const auto shortest = std::min_element(
                waiting_.begin(), waiting_.end(),
                [](const auto& a, const auto& b) { return a->left() < b->left(); });
            task = *shortest;
            waiting_.erase(shortest);
        }
        std::optional<Result<Vectors>> outcome;
        if (stopping || task->cancelled) {
            outcome = Error{Code::Unavailable, "the vectors were given up"};
        } else {
            try {
                task->vectors.push_back(encode_(task->texts[task->vectors.size()]));
                if (task->left() == 0) outcome = std::move(task->vectors);
            } catch (const std::exception& failed) {
                outcome = Error{Code::Unavailable, std::string("no vector: ") + failed.what()};
            }
        }
        if (outcome) {
            const auto answer = std::exchange(task->answer, {});
            answer(std::move(*outcome));
        } else {
            const std::lock_guard guard(mutex_);
            waiting_.push_back(std::move(task));
        }
    }
}

std::unique_ptr<core::Embeddings> open_embeddings(const std::string& folder) {
    auto opened = Encoder::open(folder);
    const auto encoder = std::make_shared<Encoder>(std::move(opened).value());
    return std::make_unique<LocalEmbeddings>(
        "all-MiniLM-L6-v2", [encoder](std::string_view text) { return encoder->encode(text); });
}

}  // namespace atl::minilm

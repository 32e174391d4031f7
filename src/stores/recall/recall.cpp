#include "stores/recall/recall.hpp"

#include "stores/recall/worker.hpp"

namespace atl::recall {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kSmall = 512;

}  // namespace

SqliteRecall::SqliteRecall(RecallOptions options)
    : worker_(std::make_unique<Worker>(std::move(options))) {}

SqliteRecall::~SqliteRecall() = default;

asio::awaitable<std::uint64_t> SqliteRecall::indexed(ThreadId id) {
    return worker_->ask<std::uint64_t>(
        kSmall, [id = std::move(id)](Index& index) { return index.indexed(id); });
}

asio::awaitable<void> SqliteRecall::add(ThreadId id, std::vector<core::RecallEntry> entries) {
    std::size_t bytes = kSmall;
    for (const auto& entry : entries) {
        bytes += 64 + entry.text.size() + entry.vector.size() * sizeof(float);
    }
    auto work = [id = std::move(id), entries = std::move(entries)](Index& index) {
        index.add(id, entries);
        return true;
    };
    (void)co_await worker_->ask<bool>(bytes, std::move(work));
}

asio::awaitable<std::vector<core::RecallHit>> SqliteRecall::find(ThreadId id, std::string words,
                                                                 std::vector<float> vector,
                                                                 std::uint64_t before,
                                                                 std::size_t limit) {
    const std::size_t bytes = kSmall + words.size() + vector.size() * sizeof(float);
    return worker_->ask<std::vector<core::RecallHit>>(
        bytes, [id = std::move(id), words = std::move(words), vector = std::move(vector), before,
                limit](Index& index) { return index.find(id, words, vector, before, limit); });
}

asio::awaitable<void> SqliteRecall::forget(ThreadId id) {
    auto work = [id = std::move(id)](Index& index) {
        index.forget(id);
        return true;
    };
    (void)co_await worker_->ask<bool>(kSmall, std::move(work));
}

asio::awaitable<std::optional<ThreadId>> SqliteRecall::thread_after(ThreadId id) {
    return worker_->ask<std::optional<ThreadId>>(
        kSmall, [id = std::move(id)](Index& index) { return index.thread_after(id); });
}

}  // namespace atl::recall

#include "stores/recall/recall.hpp"

namespace atl::recall {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kSmall = 512;

}  // namespace

SqliteRecall::SqliteRecall(RecallOptions options)
    : index_(options),
      worker_("atoll-recall",
              {.tasks_max = options.queue_tasks_max,
               .bytes_max = options.queue_bytes_max,
               .behind = "the index is busy"},
              [this](std::vector<Worker::TaskPtr>& group, bool) {
                  for (const auto& task : group) {
                      // An index is never worth more than a sentence.
                      static_cast<void>(
                          run_or_fail(*task, index_, Code::Unavailable, "the index failed"));
                      task->answer();
                  }
                  return std::optional<Worker::Clock::time_point>();
              }) {}

asio::awaitable<std::uint64_t> SqliteRecall::indexed(ThreadId id) {
    return worker_.ask<std::uint64_t>(
        NoMark{}, kSmall, [id = std::move(id)](Index& index) { return index.indexed(id); });
}

asio::awaitable<void> SqliteRecall::add(ThreadId id, std::vector<core::RecallEntry> entries) {
    std::size_t bytes = kSmall;
    for (const auto& entry : entries) {
        bytes += 64 + entry.text.size() + entry.vector.size() * sizeof(float);
    }
    auto work = [id = std::move(id), entries = std::move(entries)](Index& index) {
        index.add(id, entries);
    };
    return worker_.ask<void>(NoMark{}, bytes, std::move(work));
}

asio::awaitable<std::vector<core::RecallHit>> SqliteRecall::find(ThreadId id, std::string words,
                                                                 std::vector<float> vector,
                                                                 std::uint64_t before,
                                                                 std::size_t limit) {
    const std::size_t bytes = kSmall + words.size() + vector.size() * sizeof(float);
    return worker_.ask<std::vector<core::RecallHit>>(
        NoMark{}, bytes,
        [id = std::move(id), words = std::move(words), vector = std::move(vector), before,
         limit](Index& index) { return index.find(id, words, vector, before, limit); });
}

asio::awaitable<void> SqliteRecall::forget(ThreadId id) {
    auto work = [id = std::move(id)](Index& index) { index.forget(id); };
    return worker_.ask<void>(NoMark{}, kSmall, std::move(work));
}

asio::awaitable<std::optional<ThreadId>> SqliteRecall::thread_after(ThreadId id) {
    return worker_.ask<std::optional<ThreadId>>(
        NoMark{}, kSmall, [id = std::move(id)](Index& index) { return index.thread_after(id); });
}

}  // namespace atl::recall

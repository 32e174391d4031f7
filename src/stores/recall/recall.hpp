#pragma once
// core::Recall: words by SQLite's FTS5, meaning by vectors, ranked together.
//
// Owns      a database file that is an index and nothing else (index.hpp), and one thread.
// Threads   its methods from any; the work is done on the thread `atoll-recall`.
// Failure   Unavailable, and the caller goes on without. It never keeps a server from starting: the
//           file is opened by the first call.
#include "core/recall.hpp"
#include "stores/recall/index.hpp"

#include <memory>

namespace atl::recall {

class Worker;

class SqliteRecall final : public core::Recall {
public:
    explicit SqliteRecall(RecallOptions options);
    ~SqliteRecall() override;

    boost::asio::awaitable<std::uint64_t> indexed(ThreadId id) override;
    boost::asio::awaitable<void> add(ThreadId id, std::vector<core::RecallEntry> entries) override;
    boost::asio::awaitable<std::vector<core::RecallHit>> find(ThreadId id, std::string words,
                                                              std::vector<float> vector,
                                                              std::uint64_t before,
                                                              std::size_t limit) override;
    boost::asio::awaitable<void> forget(ThreadId id) override;
    boost::asio::awaitable<std::optional<ThreadId>> thread_after(ThreadId id) override;

private:
    std::unique_ptr<Worker> worker_;
};

}  // namespace atl::recall

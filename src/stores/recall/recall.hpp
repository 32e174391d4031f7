#pragma once
// core::Recall: words by SQLite's FTS5, meaning by vectors, ranked together.
//
// Owns      a database file that is an index and nothing else (index.hpp), and one OS thread.
// Threads   its methods from any; the work is done on the OS thread `atoll-recall`, one after the
//           other. At the end, what was asked is still done and answered.
// Failure   Unavailable, and the caller goes on without. It never keeps a server from starting: the
//           file is opened by the first call.
#include "base/worker_thread.hpp"
#include "core/recall.hpp"
#include "stores/recall/index.hpp"

namespace atl::recall {

class SqliteRecall final : public core::Recall {
public:
    explicit SqliteRecall(RecallOptions options);

    boost::asio::awaitable<std::uint64_t> indexed(ThreadId id) override;
    boost::asio::awaitable<void> add(ThreadId id, std::vector<core::RecallEntry> entries) override;
    boost::asio::awaitable<std::vector<core::RecallHit>> find(ThreadId id, std::string words,
                                                              std::vector<float> vector,
                                                              std::uint64_t before,
                                                              std::size_t limit) override;
    boost::asio::awaitable<void> forget(ThreadId id) override;
    boost::asio::awaitable<std::optional<ThreadId>> thread_after(ThreadId id) override;

private:
    struct NoMark {};
    using Worker = WorkerThread<Index, NoMark>;

    Index index_;
    Worker worker_;  // last: its thread uses the index
};

}  // namespace atl::recall

#pragma once
// The one OS thread that uses SQLite, and the group commit.
//
//     loop --ask--> queue --all that wait, at most 256--> BEGIN
//                                                           each in a savepoint
//     loop <--post-- results, only now <----------------- COMMIT
//
// While one group is being committed, the next one gathers. So the cost of a commit is shared by
// all that wait for one, and nobody waits for a timer. A task that fails is rolled back to its own
// savepoint, and the others go on. If the whole transaction is lost (by a full disk), the tasks of
// the group run again, each in a transaction of its own, so that each gets its own result. So a
// task may run twice, and must not keep anything from the first time.
//
// Owns      the connection, the OS thread, and every task until its result is posted.
// Threads   ask() and health() from any; the rest is its own.
// Bounded   in tasks and in bytes; beyond that a task fails at once with Unavailable.
// Failure   if the file is damaged, writes are refused for good, and reads go on. If it cannot be
//           read at the moment, writes are refused until a check finds it sound.
// On shutdown, queued tasks are still done and answered; then the connection is closed.
#include "base/worker_thread.hpp"
#include "core/store.hpp"
#include "stores/sqlite/connection.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace atl::sqlite {

inline constexpr bool kReads = false;  // what a task does to the database
inline constexpr bool kWrites = true;
inline constexpr std::size_t kSmall = 512;  // bytes of a task without a text of a client's

// What a task does to the database.
struct Changes {
    bool writes = false;
};

class DatabaseThread {
public:
    struct Limits {
        std::size_t queue_tasks_max = 4096;
        std::size_t queue_bytes_max = 64u << 20;
        std::size_t group_tasks_max = 256;
        int checkpoint_pages = 1000;  // of the log; about 4 MiB
    };
    using Thread = WorkerThread<Connection, Changes>;
    using Task = Thread::Task;
    using Tasks = std::vector<Thread::TaskPtr>;

    // Of a file that could not be read: it is sound, its content is damaged, or nobody can tell
    // yet.
    enum class Verdict { Sound, Damaged, Unreadable };
    struct Found {
        Verdict verdict;
        std::unique_ptr<Connection> db;  // a new one, if it is sound
    };
    using LookAgain = std::function<Found()>;

    // `look_again` is called on this OS thread. None: what SQLite calls corrupt is damaged.
    DatabaseThread(std::unique_ptr<Connection> db, Limits limits, core::StoreHealth health,
                   LookAgain look_again = {});
    DatabaseThread(const DatabaseThread&) = delete;
    DatabaseThread& operator=(const DatabaseThread&) = delete;
    ~DatabaseThread();

    [[nodiscard]] core::StoreHealth health() const;
    [[nodiscard]] Thread::Counts counts() const { return thread_.counts(); }

    // Runs `work` in a transaction on this OS thread, and resumes the caller on its own
    // executor once that is committed. `work` must not change its captures.
    template <class T>
    boost::asio::awaitable<T> ask(bool writes, std::size_t bytes,
                                  std::function<T(Connection&)> work) {
        return thread_.ask<T>(Changes{writes}, bytes, std::move(work));
    }

private:
    enum class Fate { Committed, NotBegun, Lost };

    [[nodiscard]] std::optional<Error> refuse(const Task& task) const;
    [[nodiscard]] std::optional<Thread::Clock::time_point> serve(Tasks& group, bool stopping);
    void carry_out(std::span<const Thread::TaskPtr> group);
    [[nodiscard]] Fate attempt(std::span<const Thread::TaskPtr> group);
    [[nodiscard]] bool run_inside(Task& task);
    void roll_back() noexcept;
    void note(const SqliteFailure& failure);
    void judge_corruption();
    void look_again_if_due();
    [[nodiscard]] bool read_only() const;

    std::unique_ptr<Connection> db_;
    const Limits limits_;
    const LookAgain look_again_;
    Error last_;  // why the last transaction was lost
    // While the file cannot be read: when to look again, and how long to wait after that.
    std::optional<std::chrono::steady_clock::time_point> look_due_;
    std::chrono::milliseconds look_pause_{0};

    mutable std::mutex mutex_;  // taken within the queue's, never the other way round
    core::StoreHealth health_;

    Thread thread_;  // last: it uses all of the above
};

}  // namespace atl::sqlite

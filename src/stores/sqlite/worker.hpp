#pragma once
// The one thread that speaks with SQLite, and the group commit.
//
//     loop thread --ask--> queue --all that wait, at most 256--> BEGIN
//                                                                  each in a savepoint
//     loop thread <--post-- answers, only now <------------------ COMMIT
//
// While one group is being committed the next one gathers, so the cost of a commit is shared by as
// many as wait for one: nobody waits for a timer. A task that fails is rolled back to its own
// savepoint and the others go on. When the transaction itself is lost (a full disk takes it whole),
// the tasks of the group run again, each in a transaction of its own, so that each gets its own
// verdict. So tasks may run twice, and must not keep anything from the first time.
//
// Owns      the connection, the thread, and every task until its answer is posted.
// Threads   ask() and health() from any; the rest is the worker's.
// Bounded   in tasks and in bytes; beyond that a task fails at once with Unavailable.
// Failure   a damaged file turns the worker read-only for good: writes are refused, reads go on.
// One
//           that cannot be read at the moment does so until a check finds it sound.
// At its end, what was asked is still done and answered; then the connection is closed.
#include "core/store.hpp"
#include "stores/sqlite/connection.hpp"

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <type_traits>

namespace atl::sqlite {

inline constexpr bool kReads = false;  // what a task does to the database
inline constexpr bool kWrites = true;
inline constexpr std::size_t kSmall = 512;  // bytes of a task without a text of a client's

class Task {
public:
    Task(bool changes, std::size_t size) : writes(changes), bytes(size) {}
    virtual ~Task() = default;
    virtual void run(Connection& db) = 0;  // throws ErrorException
    virtual void fail(Error why) = 0;
    virtual void answer() noexcept = 0;  // once, last

    const bool writes;
    const std::size_t bytes;  // what it holds on to while it waits
};

// A task that a coroutine waits for.
template <class T, class Handler>
class AwaitedTask final : public Task {
public:
    AwaitedTask(bool changes, std::size_t size, std::function<T(Connection&)> work, Handler handler)
        : Task(changes, size),
          work_(std::move(work)),
          // Tracked: a loop must not run out of work while a coroutine of its own waits here.
          executor_(boost::asio::prefer(
              boost::asio::any_io_executor(boost::asio::get_associated_executor(handler)),
              boost::asio::execution::outstanding_work.tracked)),
          handler_(std::move(handler)) {}

    void run(Connection& db) override {
        if constexpr (std::is_void_v<T>) {
            work_(db);
            outcome_ = Result<void>();
        } else {
            outcome_ = Result<T>(work_(db));
        }
    }
    void fail(Error why) override { outcome_ = Result<T>(std::move(why)); }
    void answer() noexcept override {
        auto resume = [handler = std::move(handler_), outcome = std::move(outcome_)]() mutable {
            std::move(handler)(std::move(outcome));
        };
        boost::asio::post(executor_, std::move(resume));
    }

private:
    std::function<T(Connection&)> work_;
    boost::asio::any_io_executor executor_;
    Handler handler_;
    Result<T> outcome_ = Error{Code::Internal, "the store did not run this"};
};

class Worker {
public:
    struct Limits {
        std::size_t queue_tasks_max = 4096;
        std::size_t queue_bytes_max = 64u << 20;
        std::size_t group_tasks_max = 256;
        int checkpoint_pages = 1000;  // of the log; about 4 MiB
    };
    struct Counts {
        std::uint64_t tasks = 0;
        std::uint64_t groups = 0;
        std::uint64_t refused = 0;  // the queue was full
        std::uint64_t waiting = 0;
    };

    // Of a file that could not be read: it is sound, its content is damaged, or nobody can tell
    // yet.
    enum class Verdict { Sound, Damaged, Unreadable };
    struct Found {
        Verdict verdict;
        std::unique_ptr<Connection> db;  // a new one, if it is sound
    };
    using LookAgain = std::function<Found()>;

    // `look_again` is called on the worker's thread. None: what SQLite calls corrupt is damaged.
    Worker(std::unique_ptr<Connection> db, Limits limits, core::StoreHealth health,
           LookAgain look_again = {});
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker();

    [[nodiscard]] core::StoreHealth health() const;
    [[nodiscard]] Counts counts() const;

    // Runs `work` in a transaction on the worker's thread, and resumes the caller on its own
    // executor once that is committed. `work` must not change its captures.
    template <class T>
    boost::asio::awaitable<T> ask(bool writes, std::size_t bytes,
                                  std::function<T(Connection&)> work) {
        auto begin = [this, writes, bytes, work = std::move(work)](auto handler) mutable {
            using Handler = std::decay_t<decltype(handler)>;
            submit(std::make_unique<AwaitedTask<T, Handler>>(writes, bytes, std::move(work),
                                                             std::move(handler)));
        };
        Result<T> outcome =
            co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>,
                                                 void(Result<T>)>(std::move(begin),
                                                                  boost::asio::use_awaitable);
        if constexpr (std::is_void_v<T>) {
            outcome.value();
        } else {
            co_return std::move(outcome).value();
        }
    }

private:
    enum class Fate { Committed, NotBegun, Lost };

    void submit(std::unique_ptr<Task> task);
    void live();
    void carry_out(std::span<const std::unique_ptr<Task>> group);
    [[nodiscard]] Fate attempt(std::span<const std::unique_ptr<Task>> group);
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

    mutable std::mutex mutex_;
    std::condition_variable came_;
    std::deque<std::unique_ptr<Task>> queue_;
    std::size_t queue_bytes_ = 0;
    bool stopping_ = false;
    core::StoreHealth health_;
    Counts counts_;

    std::thread thread_;  // last: it uses all of the above
};

}  // namespace atl::sqlite

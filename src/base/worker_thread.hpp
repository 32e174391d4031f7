#pragma once
// One OS thread with a bounded queue before it, for work that coroutines wait for.
//
//     loop        --ask--> queue --all that wait, at most group_max--> serve(), on the OS thread
//     loop        <--post-- the answer of each when serve() has called answer()
//
// What one task needs to run is its Subject (a database, an index, a slice of time); a Mark is what
// the room notes about each (whether it writes, how urgent it is). How tasks are run, one by one,
// in a transaction or in time slices, is up to the room's serve(), which may keep those that are
// not done.
//
// Owns      the thread, and every task until it is handed to serve().
// Threads   ask(), put() and counts() from any; serve() is called on the thread only. A caller is
//           resumed on its own executor.
// Bounded   in tasks and in bytes; beyond that a task fails at once with Unavailable.
// Errors    run() throws; serve() turns that into fail(), and the caller gets the Error.
// stop()    hands over all that is queued; at the last call `stopping` is set, and serve() must
//           finish or fail what it has kept. Later tasks fail with Unavailable.
#include "base/result.hpp"

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
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace atl {

// For the calling thread. The server's signals are the loop's to take. And a write beyond
// RLIMIT_FSIZE raises SIGXFSZ, whose default ends the process: blocked, it is an error of that
// write and no more. `name`: at most 15 bytes, for `ps` and debuggers.
void become_worker(const char* name) noexcept;

template <class Subject, class Mark>
class WorkerTask {
public:
    WorkerTask(Mark its_mark, std::size_t size) : mark(std::move(its_mark)), bytes(size) {}
    WorkerTask(const WorkerTask&) = delete;
    WorkerTask& operator=(const WorkerTask&) = delete;
    virtual ~WorkerTask() = default;

    // True: done. False: there is more to do, call again. Throws what the work throws.
    [[nodiscard]] virtual bool run(Subject& subject) = 0;
    virtual void fail(Error why) = 0;
    virtual void answer() noexcept = 0;  // once, last

    Mark mark;
    const std::size_t bytes;  // what it holds on to while it waits
};

// For a serve(): true when the task is done, or has failed with what it threw. `what` begins the
// sentence about an exception that is no Error of ours, as from a lack of memory.
template <class Subject, class Mark>
[[nodiscard]] bool run_or_fail(WorkerTask<Subject, Mark>& task, Subject& subject, Code code,
                               const char* what) {
    try {
        return task.run(subject);
    } catch (const ErrorException& failed) {
        task.fail(failed.error);
    } catch (const std::exception& failed) {
        task.fail({code, std::string(what) + ": " + failed.what()});
    }
    return true;
}

template <class Subject, class Mark>
class WorkerThread {
public:
    using Task = WorkerTask<Subject, Mark>;
    using TaskPtr = std::unique_ptr<Task>;
    using Clock = std::chrono::steady_clock;

    struct Limits {
        std::size_t tasks_max = 1024;
        std::size_t bytes_max = 64u << 20;
        std::size_t group_max = 1;
        const char* behind = "too many tasks wait";  // to a caller for whom there is no room
    };
    struct Counts {
        std::uint64_t tasks = 0;    // handed to serve()
        std::uint64_t groups = 0;   // in how many calls
        std::uint64_t refused = 0;  // the queue was full
        std::uint64_t waiting = 0;
    };
    // Always: whether or not there is room, as for work of the server's own.
    enum class Room { Needed, Always };

    // Takes the tasks out of `group`, in the order they came; answers those that are done. Returns
    // when it must be called again if nothing comes before; at once for work that it keeps.
    using Serve =
        std::function<std::optional<Clock::time_point>(std::vector<TaskPtr>& group, bool stopping)>;
    // Called under the queue's lock by whoever asks, for a task that fits: an Error refuses it.
    using Admit = std::function<std::optional<Error>(const Task& task, Room room)>;

    WorkerThread(const char* name, Limits limits, Serve serve, Admit admit = {})
        : limits_(limits),
          serve_(std::move(serve)),
          admit_(std::move(admit)),
          thread_([this, name] {
              become_worker(name);
              live();
          }) {}
    WorkerThread(const WorkerThread&) = delete;
    WorkerThread& operator=(const WorkerThread&) = delete;
    ~WorkerThread() { stop(); }

    // Not from the thread itself, nor from two threads at once.
    void stop() {
        {
            const std::lock_guard guard(mutex_);
            stopping_ = true;
        }
        came_.notify_one();
        if (thread_.joinable()) thread_.join();
    }

    [[nodiscard]] Counts counts() const {
        const std::lock_guard guard(mutex_);
        Counts now = counts_;
        now.waiting = queue_.size();
        return now;
    }

    // What `work(subject)` returns.
    template <class T, class Work>
    boost::asio::awaitable<T> ask(Mark mark, std::size_t bytes, Work work) {
        auto once = [work = std::move(work)](Subject& subject) -> std::optional<Result<T>> {
            if constexpr (std::is_void_v<T>) {
                work(subject);
                return Result<T>();
            } else {
                return Result<T>(work(subject));
            }
        };
        return ask_in_steps<T>(std::move(mark), bytes, std::move(once));
    }

    // What `work(subject)`, a std::optional<Result<T>>, returns in the end; nothing means that it
    // is to be called again. The work is destroyed before its caller goes on.
    template <class T, class Work>
    boost::asio::awaitable<T> ask_in_steps(Mark mark, std::size_t bytes, Work work) {
        auto begin = [this, mark = std::move(mark), bytes,
                      work = std::move(work)](auto handler) mutable {
            using Handler = std::decay_t<decltype(handler)>;
            put(std::make_unique<Awaited<T, Work, Handler>>(std::move(mark), bytes, std::move(work),
                                                            std::move(handler)));
        };
        // From here on the worker may be gone: only what the frame holds is touched.
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

    void put(TaskPtr task, Room room = Room::Needed) {
        if (auto refused = take(task, room)) {
            task->fail(std::move(*refused));
            task->answer();
        } else {
            came_.notify_one();
        }
    }

private:
    template <class T, class Work, class Handler>
    class Awaited final : public Task {
    public:
        Awaited(Mark its_mark, std::size_t size, Work work, Handler handler)
            : Task(std::move(its_mark), size),
              work_(std::move(work)),
              // Tracked: a loop must not run out of work while a coroutine of its own waits here.
              executor_(boost::asio::prefer(
                  boost::asio::any_io_executor(boost::asio::get_associated_executor(handler)),
                  boost::asio::execution::outstanding_work.tracked)),
              handler_(std::move(handler)) {}

        bool run(Subject& subject) override {
            auto done = (*work_)(subject);
            if (!done) return false;
            outcome_ = std::move(*done);
            return true;
        }
        void fail(Error why) override { outcome_ = Result<T>(std::move(why)); }
        void answer() noexcept override {
            work_.reset();  // what it holds, as a lock or a folder, the caller may want next
            auto resume = [handler = std::move(handler_), outcome = std::move(outcome_)]() mutable {
                std::move(handler)(std::move(outcome));
            };
            boost::asio::post(executor_, std::move(resume));
        }

    private:
        std::optional<Work> work_;
        boost::asio::any_io_executor executor_;
        Handler handler_;
        Result<T> outcome_ = Error{Code::Internal, "the worker did not run this"};
    };

    [[nodiscard]] std::optional<Error> take(TaskPtr& task, Room room) {
        const std::lock_guard guard(mutex_);
        if (stopping_) return Error{Code::Unavailable, "the server is stopping"};
        // A queue that is empty takes a task of any size: it could never be done otherwise.
        const bool fits = room == Room::Always ||
                          (queue_.size() < limits_.tasks_max &&
                           (queue_.empty() || queue_bytes_ + task->bytes <= limits_.bytes_max));
        if (!fits) {
            ++counts_.refused;
            return Error{Code::Unavailable, std::string(limits_.behind) + ": " +
                                                std::to_string(queue_.size()) +
                                                " requests wait already; try again in a moment"};
        }
        if (admit_) {
            if (auto refused = admit_(*task, room)) return refused;
        }
        queue_bytes_ += task->bytes;
        queue_.push_back(std::move(task));
        return {};
    }

    void live() {
        std::vector<TaskPtr> group;
        std::optional<Clock::time_point> again;
        bool stopping = false;
        while (!stopping) {
            {
                std::unique_lock guard(mutex_);
                const auto called = [this] { return stopping_ || !queue_.empty(); };
                if (again) {
                    came_.wait_until(guard, *again, called);
                } else {
                    came_.wait(guard, called);
                }
                while (!queue_.empty() && group.size() < limits_.group_max) {
                    queue_bytes_ -= queue_.front()->bytes;
                    group.push_back(std::move(queue_.front()));
                    queue_.pop_front();
                }
                counts_.tasks += group.size();
                if (!group.empty()) ++counts_.groups;
                stopping = stopping_ && queue_.empty();
            }
            again = serve_(group, stopping);
            group.clear();
        }
    }

    const Limits limits_;
    const Serve serve_;
    const Admit admit_;

    mutable std::mutex mutex_;
    std::condition_variable came_;
    std::deque<TaskPtr> queue_;
    std::size_t queue_bytes_ = 0;
    bool stopping_ = false;
    Counts counts_;

    std::thread thread_;  // last: it uses all of the above
};

}  // namespace atl

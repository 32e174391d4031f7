#pragma once
// The one thread that works on the index, and the queue before it.
//
// Owns      the thread, the index, and every task until its answer is posted.
// Threads   ask() from any; a caller is resumed on its own executor.
// Bounded   in tasks and in bytes; beyond that a task fails at once with Unavailable.
// At its end, what was asked is still done and answered.
#include "stores/recall/index.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace atl::recall {

class Task {
public:
    explicit Task(std::size_t size) : bytes(size) {}
    virtual ~Task() = default;
    virtual void run(Index& index) = 0;
    virtual void fail(Error why) = 0;
    virtual void answer() noexcept = 0;  // once, last

    const std::size_t bytes;  // what it holds on to while it waits
};

template <class T, class Handler>
class AwaitedTask final : public Task {
public:
    AwaitedTask(std::size_t size, std::function<T(Index&)> work, Handler handler)
        : Task(size),
          work_(std::move(work)),
          // Tracked: a loop must not run out of work while a coroutine of its own waits here.
          executor_(boost::asio::prefer(
              boost::asio::any_io_executor(boost::asio::get_associated_executor(handler)),
              boost::asio::execution::outstanding_work.tracked)),
          handler_(std::move(handler)) {}

    void run(Index& index) override { outcome_ = Result<T>(work_(index)); }
    void fail(Error why) override { outcome_ = Result<T>(std::move(why)); }
    void answer() noexcept override {
        auto resume = [handler = std::move(handler_), outcome = std::move(outcome_)]() mutable {
            std::move(handler)(std::move(outcome));
        };
        boost::asio::post(executor_, std::move(resume));
    }

private:
    std::function<T(Index&)> work_;
    boost::asio::any_io_executor executor_;
    Handler handler_;
    Result<T> outcome_ = Error{Code::Internal, "the index did not run this"};
};

class Worker {
public:
    explicit Worker(RecallOptions options);
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker();

    template <class T>
    boost::asio::awaitable<T> ask(std::size_t bytes, std::function<T(Index&)> work) {
        auto begin = [this, bytes, work = std::move(work)](auto handler) mutable {
            using Handler = std::decay_t<decltype(handler)>;
            submit(std::make_unique<AwaitedTask<T, Handler>>(bytes, std::move(work),
                                                             std::move(handler)));
        };
        Result<T> outcome =
            co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>,
                                                 void(Result<T>)>(std::move(begin),
                                                                  boost::asio::use_awaitable);
        co_return std::move(outcome).value();
    }

private:
    void submit(std::unique_ptr<Task> task);
    void live();

    const std::size_t tasks_max_;
    const std::size_t bytes_max_;
    Index index_;

    std::mutex mutex_;
    std::condition_variable came_;
    std::deque<std::unique_ptr<Task>> queue_;
    std::size_t queue_bytes_ = 0;
    bool stopping_ = false;

    std::thread thread_;  // last: it uses all of the above
};

}  // namespace atl::recall

#pragma once
// The one thread that works on session folders, so that the loop never waits for a disk.
//
//     loop thread --ask--> quick ----------------> at once, whatever else goes on
//                          waiting --at most 8--> in turn, 10 ms each: step, step, step ...
//                          looks ----at most 8--> take part in the same round
//     loop thread <--post-- the answer of each when it is done
//
// Quick work (a rename, a list, the room that is left) goes before all else: a turn ends early for
// it. The rest takes turns, so a copy of gigabytes or a removal of a million files holds up nobody.
// Each holds a few descriptors: that is why only so many take part at a time. Quick work that has
// more to do after its first step takes turns from there on. Looks (how much a session has on disk,
// for which a run waits) have places of their own: eight large copies of one tenant would otherwise
// hold up the runs of all others.
//
// Owns      the thread, and every task until its answer is posted.
// Threads   ask(), run() and counts() from any; the rest is the worker's.
// Bounded   beyond `waiting_max` looks, or other tasks, the next fails at once with Unavailable.
// At its end, what is not done is given up and answered with Unavailable: what that leaves on the
// disk is what a crash would leave.
#include "base/result.hpp"
#include "stores/folders/slice.hpp"

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>

namespace atl::folders {

// Something to do in steps. Made on the caller's thread, run and destroyed on the worker's.
template <class T>
class Work {
public:
    virtual ~Work() = default;
    // Nothing while there is more to do. Returns soon after the slice is over.
    [[nodiscard]] virtual std::optional<Result<T>> step(const Slice& slice) = 0;
};

enum class Speed { Quick, Look, InTurns };

class Task {
public:
    explicit Task(Speed its_speed) : speed(its_speed) {}
    virtual ~Task() = default;
    [[nodiscard]] virtual bool step(const Slice& slice) = 0;  // true: done
    virtual void fail(Error why) = 0;
    virtual void answer() noexcept = 0;  // once, last

    const Speed speed;
    bool in_turns = false;  // it has one of its lane's places; the worker's to change
};

// A task that a coroutine waits for.
template <class T, class Handler>
class AwaitedTask final : public Task {
public:
    AwaitedTask(Speed its_speed, std::unique_ptr<Work<T>> work, Handler handler,
                const boost::asio::any_io_executor& otherwise)
        : Task(its_speed),
          work_(std::move(work)),
          // Tracked: a loop must not run out of work while a coroutine of its own waits here.
          executor_(
              boost::asio::prefer(boost::asio::any_io_executor(
                                      boost::asio::get_associated_executor(handler, otherwise)),
                                  boost::asio::execution::outstanding_work.tracked)),
          handler_(std::move(handler)) {}

    bool step(const Slice& slice) override {
        auto done = work_->step(slice);
        if (!done) return false;
        outcome_ = std::move(*done);
        work_.reset();
        return true;
    }
    void fail(Error why) override {
        outcome_ = Result<T>(std::move(why));
        work_.reset();
    }
    void answer() noexcept override {
        auto resume = [handler = std::move(handler_), outcome = std::move(outcome_)]() mutable {
            std::move(handler)(std::move(outcome));
        };
        boost::asio::post(executor_, std::move(resume));
    }

private:
    std::unique_ptr<Work<T>> work_;
    boost::asio::any_io_executor executor_;
    Handler handler_;
    Result<T> outcome_ = Error{Code::Internal, "the folders' worker did not run this"};
};

class Worker {
public:
    struct Counts {
        std::uint64_t done = 0;
        std::uint64_t refused = 0;  // too many waited
        std::uint64_t waiting = 0;  // those in turn included
    };

    Worker(boost::asio::any_io_executor executor, std::size_t waiting_max);
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker();

    [[nodiscard]] Counts counts() const;
    // Resumes the caller on its own executor once the work is done.
    template <class T>
    boost::asio::awaitable<T> ask(Speed speed, std::unique_ptr<Work<T>> work) {
        auto begin = [this, speed, work = std::move(work)](auto handler) mutable {
            using Handler = std::decay_t<decltype(handler)>;
            submit(std::make_unique<AwaitedTask<T, Handler>>(speed, std::move(work),
                                                             std::move(handler), executor_));
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

    // Nobody waits for this. It is taken even when there is no room: it is the server's own.
    void run(Speed speed, std::unique_ptr<Work<void>> work);

private:
    using Tasks = std::deque<std::unique_ptr<Task>>;
    struct Lane {
        Tasks waiting;                 // until one of those with a place is done
        std::size_t places_taken = 0;  // in turns_, and the one in hand
        std::size_t held = 0;          // these, those that wait, and quick ones
    };
    [[nodiscard]] Lane& lane_of(const Task& task) noexcept {
        return task.speed == Speed::Look ? looks_ : others_;
    }

    void submit(std::unique_ptr<Task> task);
    [[nodiscard]] Error too_much() const;
    void put_in(std::unique_ptr<Task> task);
    void put_in_turns(std::unique_ptr<Task> task);
    void give_up_place(Task& task);
    void live();
    [[nodiscard]] std::unique_ptr<Task> next();
    [[nodiscard]] bool step(Task& task);

    const boost::asio::any_io_executor executor_;
    const std::size_t waiting_max_;

    mutable std::mutex mutex_;
    std::condition_variable came_;
    Tasks quick_;
    Tasks turns_;  // the worker goes round in these
    Lane looks_, others_;
    std::atomic<bool> quick_waits_ = false;
    bool stopping_ = false;
    Counts counts_;

    std::thread thread_;  // last: it uses all of the above
};

}  // namespace atl::folders

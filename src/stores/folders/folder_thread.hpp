#pragma once
// The one OS thread that works on session folders, so that the loop never waits for a disk.
//
//     loop --ask--> quick ----------------> at once, before everything else
//                   waiting --at most 8--> round-robin, time slices of 10 ms
//                   looks ----at most 8--> in the same round
//     loop <--post-- the result of each task when it is done
//
// Quick tasks (a rename, a list, the free space) run first: a time slice ends early for them. The
// others share the thread, so a copy of gigabytes or a removal of a million files delays nobody.
// Each holds a few descriptors, so only a few are active at a time. A quick task that is not done
// after its first step joins the round. Looks (the disk usage of a session, which a run waits for)
// have a lane of their own: otherwise eight large copies of one tenant would delay everybody's
// runs.
//
// Owns      the OS thread, and every task until its result is posted.
// Threads   ask(), run() and counts() from any; the rest is its own.
// Bounded   beyond `waiting_max` looks, or other tasks, the next fails at once with Unavailable.
// On shutdown, unfinished tasks are abandoned with Unavailable; what they leave on the disk is what
// a crash would leave.
#include "base/result.hpp"
#include "base/worker_thread.hpp"
#include "stores/folders/slice.hpp"

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace atl::folders {

// A task in steps. Created on the caller's OS thread, run and destroyed on this one.
template <class T>
class Work {
public:
    virtual ~Work() = default;
    // Nothing while there is more to do. Returns soon after the slice is over.
    [[nodiscard]] virtual std::optional<Result<T>> step(const Slice& slice) = 0;
};

enum class Speed { Quick, Look, Long };

// What the thread knows about a task.
struct TaskState {
    Speed speed = Speed::Long;
    bool active = false;  // in the round
};

class FolderThread {
public:
    struct Counts {
        std::uint64_t done = 0;
        std::uint64_t refused = 0;  // too many waited
        std::uint64_t waiting = 0;  // active ones included
    };

    explicit FolderThread(std::size_t waiting_max);

    [[nodiscard]] Counts counts() const;
    // Resumes the caller on its own executor once the work is done.
    template <class T>
    boost::asio::awaitable<T> ask(Speed speed, std::unique_ptr<Work<T>> work) {
        auto steps = [work = std::move(work)](const Slice& slice) { return work->step(slice); };
        return thread_.ask_in_steps<T>(TaskState{speed}, 0, std::move(steps));
    }

    // Nobody waits for this. It is accepted even if the queue is full: it is the server's own.
    void run(Speed speed, std::unique_ptr<Work<void>> work);

private:
    using Thread = WorkerThread<const Slice, TaskState>;
    using Task = Thread::Task;
    using TaskPtr = Thread::TaskPtr;
    struct Lane {
        std::deque<TaskPtr> waiting;        // until an active one is done
        std::size_t active = 0;             // in active_, and the one in hand
        std::atomic<std::size_t> held = 0;  // these, waiting and quick ones
    };
    [[nodiscard]] Lane& lane_of(const Task& task) noexcept {
        return task.mark.speed == Speed::Look ? looks_ : others_;
    }

    [[nodiscard]] std::optional<Error> admit(const Task& task, Thread::Room room);
    [[nodiscard]] std::optional<Thread::Clock::time_point> serve(std::vector<TaskPtr>& group,
                                                                 bool stopping);
    void step(TaskPtr task, bool stopping);
    void activate(TaskPtr task);
    void release(Task& task);

    const std::size_t waiting_max_;
    std::atomic<std::size_t> quick_waiting_ = 0;  // in the queue, and in quick_
    std::atomic<std::uint64_t> done_ = 0, refused_ = 0;
    std::deque<TaskPtr> quick_;
    std::deque<TaskPtr> active_;  // the round
    Lane looks_, others_;

    Thread thread_;  // last: it uses all of the above
};

}  // namespace atl::folders

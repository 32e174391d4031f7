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

// Something to do in steps. Made on the caller's thread, run and destroyed on the worker's.
template <class T>
class Work {
public:
    virtual ~Work() = default;
    // Nothing while there is more to do. Returns soon after the slice is over.
    [[nodiscard]] virtual std::optional<Result<T>> step(const Slice& slice) = 0;
};

enum class Speed { Quick, Look, InTurns };

// What the worker notes about a task.
struct Place {
    Speed speed = Speed::InTurns;
    bool in_turns = false;  // it has one of its lane's places
};

class Worker {
public:
    struct Counts {
        std::uint64_t done = 0;
        std::uint64_t refused = 0;  // too many waited
        std::uint64_t waiting = 0;  // those in turn included
    };

    explicit Worker(std::size_t waiting_max);

    [[nodiscard]] Counts counts() const;
    // Resumes the caller on its own executor once the work is done.
    template <class T>
    boost::asio::awaitable<T> ask(Speed speed, std::unique_ptr<Work<T>> work) {
        auto steps = [work = std::move(work)](const Slice& slice) { return work->step(slice); };
        return thread_.ask_in_steps<T>(Place{speed}, 0, std::move(steps));
    }

    // Nobody waits for this. It is taken even when there is no room: it is the server's own.
    void run(Speed speed, std::unique_ptr<Work<void>> work);

private:
    using Thread = WorkerThread<const Slice, Place>;
    using Task = Thread::Task;
    using TaskPtr = Thread::TaskPtr;
    struct Lane {
        std::deque<TaskPtr> waiting;        // until one of those with a place is done
        std::size_t places_taken = 0;       // in turns_, and the one in hand
        std::atomic<std::size_t> held = 0;  // these, those that wait, and quick ones
    };
    [[nodiscard]] Lane& lane_of(const Task& task) noexcept {
        return task.mark.speed == Speed::Look ? looks_ : others_;
    }

    [[nodiscard]] std::optional<Error> admit(const Task& task, Thread::Room room);
    [[nodiscard]] std::optional<Thread::Clock::time_point> serve(std::vector<TaskPtr>& group,
                                                                 bool stopping);
    void step(TaskPtr task, bool stopping);
    void put_in_turns(TaskPtr task);
    void give_up_place(Task& task);

    const std::size_t waiting_max_;
    std::atomic<std::size_t> quick_waiting_ = 0;  // in the queue, and in quick_
    std::atomic<std::uint64_t> done_ = 0, refused_ = 0;
    std::deque<TaskPtr> quick_;
    std::deque<TaskPtr> turns_;  // the worker goes round in these
    Lane looks_, others_;

    Thread thread_;  // last: it uses all of the above
};

}  // namespace atl::folders

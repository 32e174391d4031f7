#include "stores/folders/worker.hpp"

#include <chrono>
#include <csignal>
#include <exception>
#include <pthread.h>

namespace atl::folders {

namespace {

constexpr std::size_t kTurnsMax = 8;
constexpr auto kTurn = std::chrono::milliseconds(10);

// The server's signals are the loop's to take. And a write beyond RLIMIT_FSIZE raises SIGXFSZ,
// whose default ends the process: blocked here, it is an error of that write and no more.
void block_signals() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&all, fault);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

class UnawaitedTask final : public Task {
public:
    UnawaitedTask(Speed its_speed, std::unique_ptr<Work<void>> work)
        : Task(its_speed), work_(std::move(work)) {}
    bool step(const Slice& slice) override { return work_->step(slice).has_value(); }
    void fail(Error) override { work_.reset(); }
    void answer() noexcept override {}

private:
    std::unique_ptr<Work<void>> work_;
};

}  // namespace

Worker::Worker(boost::asio::any_io_executor executor, std::size_t waiting_max)
    : executor_(std::move(executor)), waiting_max_(waiting_max), thread_([this] { live(); }) {}

Worker::~Worker() {
    {
        const std::lock_guard guard(mutex_);
        stopping_ = true;
    }
    came_.notify_one();
    thread_.join();
}

Worker::Counts Worker::counts() const {
    const std::lock_guard guard(mutex_);
    Counts now = counts_;
    now.waiting = looks_.held + others_.held;
    return now;
}

Error Worker::too_much() const {
    return {Code::Unavailable, "the disk is behind: " + std::to_string(waiting_max_) +
                                   " requests for session folders wait already; try again in a "
                                   "moment"};
}

void Worker::put_in(std::unique_ptr<Task> task) {
    ++lane_of(*task).held;
    if (task->speed == Speed::Quick) {
        quick_.push_back(std::move(task));
        quick_waits_ = true;
    } else {
        put_in_turns(std::move(task));
    }
}

void Worker::put_in_turns(std::unique_ptr<Task> task) {
    Lane& lane = lane_of(*task);
    if (!task->in_turns && lane.places_taken >= kTurnsMax) {
        lane.waiting.push_back(std::move(task));
        return;
    }
    if (!task->in_turns) ++lane.places_taken;
    task->in_turns = true;
    turns_.push_back(std::move(task));
}

void Worker::give_up_place(Task& task) {
    if (!task.in_turns) return;
    Lane& lane = lane_of(task);
    --lane.places_taken;
    if (lane.waiting.empty()) return;
    auto next = std::move(lane.waiting.front());
    lane.waiting.pop_front();
    put_in_turns(std::move(next));
}

void Worker::submit(std::unique_ptr<Task> task) {
    bool refused = false;
    {
        const std::lock_guard guard(mutex_);
        refused = lane_of(*task).held >= waiting_max_;
        if (refused) {
            ++counts_.refused;
        } else {
            put_in(std::move(task));
        }
    }
    if (refused) {
        task->fail(too_much());
        task->answer();
    } else {
        came_.notify_one();
    }
}

void Worker::run(Speed speed, std::unique_ptr<Work<void>> work) {
    {
        const std::lock_guard guard(mutex_);
        put_in(std::make_unique<UnawaitedTask>(speed, std::move(work)));
    }
    came_.notify_one();
}

std::unique_ptr<Task> Worker::next() {
    std::unique_lock guard(mutex_);
    came_.wait(guard, [this] { return stopping_ || !quick_.empty() || !turns_.empty(); });
    Tasks& from = quick_.empty() ? turns_ : quick_;
    if (from.empty()) return nullptr;
    auto task = std::move(from.front());
    from.pop_front();
    quick_waits_ = !quick_.empty();
    return task;
}

bool Worker::step(Task& task) {
    try {
        return task.step(Slice(kTurn, &quick_waits_));
    } catch (const ErrorException& thrown) {
        task.fail(thrown.error);
    } catch (const std::exception& bug) {
        task.fail({Code::Internal, std::string("work on session folders failed: ") + bug.what()});
    }
    return true;
}

void Worker::live() {
    block_signals();
    ::pthread_setname_np(::pthread_self(), "atoll-folders");
    while (auto task = next()) {
        bool stopping = false;
        {
            const std::lock_guard guard(mutex_);
            stopping = stopping_;
        }
        bool done = true;
        if (stopping) {
            task->fail({Code::Unavailable, "the server is stopping"});
        } else {
            done = step(*task);
        }
        {
            const std::lock_guard guard(mutex_);
            if (!done) {
                put_in_turns(std::move(task));
                continue;
            }
            --lane_of(*task).held;
            ++counts_.done;
            give_up_place(*task);
        }
        task->answer();
    }
}

}  // namespace atl::folders

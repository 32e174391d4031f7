#include "stores/folders/folder_thread.hpp"

#include <chrono>
#include <limits>

namespace atl::folders {

namespace {

constexpr std::size_t kActiveMax = 8;
constexpr auto kTimeSlice = std::chrono::milliseconds(10);

class UnawaitedTask final : public WorkerTask<const Slice, TaskState> {
public:
    UnawaitedTask(Speed speed, std::unique_ptr<Work<void>> work)
        : WorkerTask(TaskState{speed}, 0), work_(std::move(work)) {}
    bool run(const Slice& slice) override { return work_->step(slice).has_value(); }
    void fail(Error) override { work_.reset(); }
    void answer() noexcept override {}

private:
    std::unique_ptr<Work<void>> work_;
};

}  // namespace

FolderThread::FolderThread(std::size_t waiting_max)
    : waiting_max_(waiting_max),
      // The queue is no more than a way in: what is held is counted, by lane, in admit().
      thread_(
          "atoll-folders",
          {.tasks_max = std::numeric_limits<std::size_t>::max(),
           .group_max = std::numeric_limits<std::size_t>::max()},
          [this](std::vector<TaskPtr>& group, bool stopping) { return serve(group, stopping); },
          [this](const Task& task, Thread::Room room) { return admit(task, room); }) {}

FolderThread::Counts FolderThread::counts() const {
    return {done_, refused_, looks_.held + others_.held};
}

std::optional<Error> FolderThread::admit(const Task& task, Thread::Room room) {
    Lane& lane = lane_of(task);
    if (room == Thread::Room::Needed && lane.held >= waiting_max_) {
        ++refused_;
        return Error{Code::Unavailable, "the disk is behind: " + std::to_string(waiting_max_) +
                                            " requests for session folders wait already; try "
                                            "again in a moment"};
    }
    ++lane.held;
    if (task.mark.speed == Speed::Quick) ++quick_waiting_;
    return {};
}

void FolderThread::run(Speed speed, std::unique_ptr<Work<void>> work) {
    thread_.put(std::make_unique<UnawaitedTask>(speed, std::move(work)), Thread::Room::Always);
}

void FolderThread::activate(TaskPtr task) {
    Lane& lane = lane_of(*task);
    if (!task->mark.active && lane.active >= kActiveMax) {
        lane.waiting.push_back(std::move(task));
        return;
    }
    if (!task->mark.active) ++lane.active;
    task->mark.active = true;
    active_.push_back(std::move(task));
}

void FolderThread::release(Task& task) {
    if (!task.mark.active) return;
    Lane& lane = lane_of(task);
    --lane.active;
    if (lane.waiting.empty()) return;
    auto next = std::move(lane.waiting.front());
    lane.waiting.pop_front();
    activate(std::move(next));
}

std::optional<FolderThread::Thread::Clock::time_point> FolderThread::serve(
    std::vector<TaskPtr>& group, bool stopping) {
    for (auto& task : group) {
        if (task->mark.speed == Speed::Quick) {
            quick_.push_back(std::move(task));
        } else {
            activate(std::move(task));
        }
    }
    // One step, then the queue is looked at again; on shutdown, all that are left.
    do {
        auto& from = quick_.empty() ? active_ : quick_;
        if (from.empty()) return {};
        auto task = std::move(from.front());
        if (&from == &quick_) --quick_waiting_;
        from.pop_front();
        step(std::move(task), stopping);
    } while (stopping);
    return Thread::Clock::now();
}

void FolderThread::step(TaskPtr task, bool stopping) {
    if (stopping) {
        task->fail({Code::Unavailable, "the server is stopping"});
    } else {
        const Slice slice(kTimeSlice, &quick_waiting_);
        if (!run_or_fail(*task, slice, Code::Internal, "work on session folders failed")) {
            return activate(std::move(task));
        }
    }
    --lane_of(*task).held;
    ++done_;
    release(*task);
    task->answer();
}

}  // namespace atl::folders

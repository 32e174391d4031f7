// Goal: whoever asks gets an answer, whatever happens: the value, the error of the work, a refusal
// when the queue is full, and all of them when the thread is stopped in between.
#include "base/worker_thread.hpp"

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <csignal>
#include <future>
#include <gtest/gtest.h>
#include <stdexcept>

namespace atl {

namespace asio = boost::asio;

namespace {

struct Tally {
    int sum = 0;
};
struct Urgent {
    bool yes = false;
};
using TallyThread = WorkerThread<Tally, Urgent>;
using TallyTasks = std::vector<TallyThread::TaskPtr>;
using Again = std::optional<TallyThread::Clock::time_point>;

// Runs each task once and answers it.
class OneByOne {
public:
    TallyThread::Serve serve() {
        return [this](TallyTasks& group, bool) {
            for (const auto& task : group) {
                EXPECT_TRUE(run_or_fail(*task, tally, Code::Internal, "adding failed"));
                task->answer();
            }
            return Again();
        };
    }
    Tally tally;
};

// Holds the thread until it is opened.
class Gate {
public:
    auto work() {
        return [this](Tally&) {
            entered_.set_value();
            opened_.get_future().wait();
            return 0;
        };
    }
    void wait_until_entered() { entered_.get_future().wait(); }
    void open() { opened_.set_value(); }

private:
    std::promise<void> entered_, opened_;
};

struct Answers {
    int values = 0;
    std::vector<Error> errors;

    auto handler() {
        return [this](const std::exception_ptr& failed, int) {
            try {
                if (failed) std::rethrow_exception(failed);
                ++values;
            } catch (const ErrorException& e) { errors.push_back(e.error); }
        };
    }
};

auto adding(int number) {
    return [number](Tally& tally) { return tally.sum += number; };
}

}  // namespace

TEST(WorkerThread, AnswersOnTheCallersLoopInTheOrderOfAsking) {
    OneByOne room;
    TallyThread thread("test-worker", {}, room.serve());
    asio::io_context loop;
    const auto here = std::this_thread::get_id();
    std::vector<int> sums;
    std::thread::id worker;
    const auto ask = [&](int number) -> asio::awaitable<void> {
        auto add = [&worker, number](Tally& tally) {
            worker = std::this_thread::get_id();
            return tally.sum += number;
        };
        const int sum = co_await thread.ask<int>(Urgent{}, 1, add);
        EXPECT_EQ(std::this_thread::get_id(), here);
        sums.push_back(sum);
    };
    const auto check = [](const std::exception_ptr& failed) { EXPECT_FALSE(failed); };
    for (int i = 1; i <= 4; ++i) asio::co_spawn(loop, ask(i), check);
    loop.run();  // and it does not run out of work meanwhile
    EXPECT_EQ(sums, (std::vector{1, 3, 6, 10}));
    EXPECT_NE(worker, here);
    EXPECT_EQ(thread.counts().tasks, 4u);
    EXPECT_EQ(thread.counts().waiting, 0u);
}

TEST(WorkerThread, ErrorsReachTheCaller) {
    OneByOne room;
    TallyThread thread("test-worker", {}, room.serve());
    asio::io_context loop;
    Answers answers;
    const auto refuse = [](Tally&) -> int {
        throw ErrorException({Code::NotFound, "there is none"});
    };
    const auto break_down = [](Tally&) -> int { throw std::runtime_error("not today"); };
    asio::co_spawn(loop, thread.ask<int>(Urgent{}, 1, refuse), answers.handler());
    asio::co_spawn(loop, thread.ask<int>(Urgent{}, 1, break_down), answers.handler());
    asio::co_spawn(loop, thread.ask<int>(Urgent{}, 1, adding(1)), answers.handler());
    loop.run();
    EXPECT_EQ(answers.values, 1);
    ASSERT_EQ(answers.errors.size(), 2u);
    EXPECT_EQ(answers.errors[0].code, Code::NotFound);
    EXPECT_EQ(answers.errors[0].message, "there is none");
    EXPECT_EQ(answers.errors[1].code, Code::Internal);
    EXPECT_EQ(answers.errors[1].message, "adding failed: not today");
}

TEST(WorkerThread, HoldsNoMoreThanItMay) {
    struct Row {
        const char* name;
        std::size_t tasks_max, bytes_max, bytes_each;
        int taken;
    };
    const Row rows[] = {
        {"tasks", 3, 1000, 1, 3},
        {"bytes", 100, 1000, 300, 3},
        {"one that is larger than all", 100, 1000, 5000, 1},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        OneByOne room;
        TallyThread thread(
            "test-worker",
            {.tasks_max = row.tasks_max, .bytes_max = row.bytes_max, .behind = "adding is slow"},
            room.serve());
        asio::io_context loop;
        Answers first, answers;
        Gate gate;
        asio::co_spawn(loop, thread.ask<int>(Urgent{}, 1, gate.work()), first.handler());
        loop.poll();
        gate.wait_until_entered();
        for (int i = 0; i < 10; ++i) {
            asio::co_spawn(loop, thread.ask<int>(Urgent{}, row.bytes_each, adding(1)),
                           answers.handler());
        }
        loop.poll();
        EXPECT_EQ(thread.counts().waiting, static_cast<std::uint64_t>(row.taken));
        gate.open();
        loop.run();
        EXPECT_EQ(first.values, 1);
        EXPECT_EQ(answers.values, row.taken);
        ASSERT_EQ(answers.errors.size(), static_cast<std::size_t>(10 - row.taken));
        EXPECT_EQ(answers.errors[0].code, Code::Unavailable);
        EXPECT_NE(answers.errors[0].message.find("adding is slow"), std::string::npos);
        EXPECT_EQ(thread.counts().refused, answers.errors.size());
    }
}

TEST(WorkerThread, ARoomMayRefuseAndMayTakeWhatHasNoRoom) {
    OneByOne room;
    TallyThread thread(
        "test-worker", {.tasks_max = 0}, room.serve(),
        [](const TallyThread::Task& task, TallyThread::Room) -> std::optional<Error> {
            if (!task.mark.yes) return {};
            return Error{Code::Conflict, "nothing is urgent"};
        });
    class Unawaited final : public TallyThread::Task {
    public:
        Unawaited(bool urgent, std::promise<bool>& told) : WorkerTask({urgent}, 0), told_(told) {}
        bool run(Tally&) override { return true; }
        void fail(Error) override { failed_ = true; }
        void answer() noexcept override { told_.set_value(!failed_); }

    private:
        std::promise<bool>& told_;
        bool failed_ = false;
    };
    std::promise<bool> full, forced, refused;
    thread.put(std::make_unique<Unawaited>(false, full));
    EXPECT_FALSE(full.get_future().get());
    thread.put(std::make_unique<Unawaited>(false, forced), TallyThread::Room::Always);
    EXPECT_TRUE(forced.get_future().get());
    thread.put(std::make_unique<Unawaited>(true, refused), TallyThread::Room::Always);
    EXPECT_FALSE(refused.get_future().get());
}

TEST(WorkerThread, StopFinishesWhatIsQueuedAndRefusesTheRest) {
    OneByOne room;
    TallyThread thread("test-worker", {}, room.serve());
    asio::io_context loop;
    Answers answers, late;
    Gate gate;
    asio::co_spawn(loop, thread.ask<int>(Urgent{}, 1, gate.work()), answers.handler());
    for (int i = 0; i < 20; ++i) {
        asio::co_spawn(loop, thread.ask<int>(Urgent{}, 1, adding(1)), answers.handler());
    }
    loop.poll();
    gate.wait_until_entered();
    auto stopped = std::async(std::launch::async, [&] { thread.stop(); });
    gate.open();
    stopped.get();
    EXPECT_EQ(room.tally.sum, 20);
    asio::co_spawn(loop, thread.ask<int>(Urgent{}, 1, adding(1)), late.handler());
    loop.run();
    EXPECT_EQ(answers.values, 21);
    ASSERT_EQ(late.errors.size(), 1u);
    EXPECT_EQ(late.errors[0].code, Code::Unavailable);
}

// Goal: a room may keep tasks and work on them in turns. It is called again without new tasks,
// and at the stop it fails what it has kept.
TEST(WorkerThread, ARoomMayKeepTasks) {
    std::vector<TallyThread::TaskPtr> kept;
    Tally tally;
    std::atomic<bool> may_end = false;
    const auto serve = [&](TallyTasks& group, bool stopping) -> Again {
        for (auto& task : group) kept.push_back(std::move(task));
        std::erase_if(kept, [&](const auto& task) {
            if (stopping) task->fail({Code::Unavailable, "given up"});
            if (!stopping && !run_or_fail(*task, tally, Code::Internal, "x")) return false;
            task->answer();
            return true;
        });
        if (kept.empty()) return {};
        return TallyThread::Clock::now();
    };
    TallyThread thread("test-worker", {.group_max = 100}, serve);
    asio::io_context loop;
    Answers answers, given_up;
    const auto witness = std::make_shared<int>();
    std::atomic<int> steps = 0;
    auto in_steps = [&may_end, &steps, witness](Tally&) -> std::optional<Result<int>> {
        ++steps;
        if (!may_end) return {};
        return Result<int>(1);
    };
    asio::co_spawn(loop, thread.ask_in_steps<int>(Urgent{}, 1, in_steps), answers.handler());
    loop.poll();
    while (steps < 3) std::this_thread::yield();
    may_end = true;
    loop.run();
    EXPECT_EQ(answers.values, 1);
    EXPECT_EQ(witness.use_count(), 2);  // here and in in_steps: the work has gone

    loop.restart();
    const auto never = [](Tally&) { return std::optional<Result<int>>(); };
    for (int i = 0; i < 3; ++i) {
        asio::co_spawn(loop, thread.ask_in_steps<int>(Urgent{}, 1, never), given_up.handler());
    }
    loop.poll();
    thread.stop();
    loop.run();
    ASSERT_EQ(given_up.errors.size(), 3u);
    EXPECT_EQ(given_up.errors[0].message, "given up");
}

TEST(WorkerThread, TakesNoSignals) {
    OneByOne room;
    TallyThread thread("test-worker", {}, room.serve());
    asio::io_context loop;
    sigset_t blocked;
    std::string name;
    const auto look = [&](Tally&) {
        char text[16] = "";
        ::pthread_getname_np(::pthread_self(), text, sizeof text);
        name = text;
        return ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    };
    Answers answers;
    asio::co_spawn(loop, thread.ask<int>(Urgent{}, 1, look), answers.handler());
    loop.run();
    EXPECT_EQ(name, "test-worker");
    for (const int number : {SIGTERM, SIGINT, SIGXFSZ, SIGCHLD}) {
        EXPECT_EQ(::sigismember(&blocked, number), 1) << number;
    }
    EXPECT_EQ(::sigismember(&blocked, SIGSEGV), 0);
}

}  // namespace atl

// Row F4: somebody sets the wall clock, or the server stands still for long, while sessions sleep
// and wake and jobs run. Nothing ends before its time, nothing is lost, nothing waits for ever.
#include "sessions/jobs.hpp"
#include "testing/bench.hpp"

#include <gtest/gtest.h>

namespace atl::testing {

namespace asio = boost::asio;
using core::JobState;
using core::SessionState;
using core::Whose;
using namespace std::chrono_literals;

namespace {

constexpr auto kYear = std::chrono::hours(24 * 365);

asio::awaitable<SessionId> made_for(sessions::Sessions& all, std::chrono::seconds lifetime) {
    sessions::NewSession wanted;
    wanted.owner = "ann";
    wanted.lifetime = lifetime;
    const auto record = co_await all.create(std::move(wanted));
    co_return record.id;
}

// ---- Sessions ----

TEST(WallClock, ALeapForwardsEndsNoSessionUntilItHasStayed) {
    Bench bench;
    const auto id = bench.await(made_for(bench.sessions(), 24h));
    bench.run(id, "set x 1");
    bench.clock.leap(kYear);
    bench.pass(5min);  // and then somebody notices
    EXPECT_EQ(bench.run(id, "get x"), "1");
    bench.clock.leap(-kYear);
    bench.pass(1h);
    EXPECT_EQ(bench.run(id, "get x"), "1");
    EXPECT_TRUE(bench.lost.empty());
    // A clock that stays where it was set is believed.
    bench.clock.leap(kYear);
    bench.pass(30min);
    const auto gone = bench.error_of(bench.running(id, "get x"));
    ASSERT_TRUE(gone);
    EXPECT_EQ(gone->code, Code::NotFound);
}

TEST(WallClock, ALeapDoesNotChangeWhenASessionFallsAsleep) {
    for (const auto by : {kYear, -kYear}) {
        SCOPED_TRACE(by.count());
        sessions::SessionOptions options;
        options.idle_to_end = 2h;
        Bench bench(std::move(options));
        const auto id = bench.create();
        bench.run(id, "set x 1");
        bench.pass(50s);
        bench.clock.leap(by);
        bench.pass(5s);
        EXPECT_EQ(bench.await(bench.state_of(id)), SessionState::Hot);
        bench.pass(10s);
        EXPECT_EQ(bench.await(bench.state_of(id)), SessionState::Warm);
        bench.pass(10min);
        EXPECT_EQ(bench.await(bench.state_of(id)), SessionState::Cold);
        bench.pass(1h);
        EXPECT_EQ(bench.run(id, "get x"), "1");
        EXPECT_TRUE(bench.lost.empty());
        bench.pass(3h);  // unused for as long as it may be
        EXPECT_TRUE(bench.error_of(bench.state_of(id)));
    }
}

// The guest has answered while the server stood still; every deadline is over when it goes on.
TEST(Stall, ARunWhoseAnswerCameMeanwhileIsAnswered) {
    for (const auto time : {20s, 3600s}) {
        SCOPED_TRACE(time.count());
        Bench bench;
        const auto id = bench.create();
        bench.run(id, "set x 1");
        const auto running = bench.begin(bench.running(id, "sleep 9000\nget x"));
        bench.pass(1s);
        ASSERT_FALSE(running->over);
        bench.clock.stall(time);
        bench.finish(running);
        ASSERT_TRUE(running->value);
        EXPECT_EQ(*running->value, "1");
        EXPECT_EQ(bench.run(id, "get x"), "1");
        EXPECT_TRUE(bench.lost.empty());
    }
}

TEST(Stall, AGuestThatHangsIsEndedAllTheSame) {
    Bench bench;
    const auto id = bench.create();
    bench.run(id, "set x 1");
    bench.runtime().guest_of(id.text())->orders.silent = true;
    const auto running = bench.begin(bench.running(id, "get x"));
    bench.pass(1s);
    bench.clock.stall(1h);
    const auto went_on = bench.clock.now();
    bench.finish(running);
    EXPECT_FALSE(running->value);
    EXPECT_LT(bench.clock.now() - went_on, 2min);
    EXPECT_EQ(bench.run(id, "get x"), "unset");
    EXPECT_FALSE(bench.lost.empty());
}

// At each moment of falling asleep and of waking: what was saved comes back.
TEST(Stall, FallingAsleepAndWakingGoOn) {
    for (int ms = 0; ms < 60; ms += 2) {
        SCOPED_TRACE(ms);
        Bench bench;
        const auto id = bench.create();
        bench.run(id, "set x 1");
        const auto asleep = bench.begin(bench.evicted(id));
        bench.pass(std::chrono::milliseconds(ms));
        bench.clock.stall(1h);
        bench.finish(asleep);
        const auto awake = bench.begin(bench.running(id, "get x"));
        bench.pass(std::chrono::milliseconds(ms));
        bench.clock.stall(1h);
        bench.finish(awake);
        ASSERT_TRUE(awake->value) << (awake->error ? awake->error->message : "");
        EXPECT_EQ(*awake->value, "1");
        EXPECT_TRUE(bench.lost.empty());
    }
}

// ---- Jobs ----

// A server's jobs beside its sessions.
struct Works {
    explicit Works(sessions::JobOptions options = {})
        : jobs(bench.loop.get_executor(), bench.store(), bench.sessions(),
               with_place(std::move(options)), bench.clock) {
        asio::co_spawn(bench.loop, jobs.run(), [this](std::exception_ptr) { over = true; });
    }
    ~Works() {
        const auto stop = [this]() -> asio::awaitable<bool> {
            co_await jobs.stop(bench.clock.now());
            co_return co_await jobs.ended_by(std::chrono::steady_clock::time_point::max());
        };
        bench.await(stop());
        bench.wait_for([this] { return over; });
    }
    static sessions::JobOptions with_place(sessions::JobOptions options) {
        options.running_max = 2;
        return options;
    }
    JobId add(std::string code, std::uint32_t retries = 0) {
        sessions::NewJob wanted;
        wanted.owner = "ann";
        wanted.code = std::move(code);
        wanted.retries = retries;
        wanted.timeout = 1min;
        return bench.await(jobs.add(std::move(wanted))).id;
    }
    [[nodiscard]] const core::JobRecord& record(const JobId& id) const {
        return bench.disk.jobs.at(id.text());
    }
    const core::JobRecord& ended(const JobId& id) {
        bench.wait_for([&] { return core::has_ended(record(id).state); });
        return record(id);
    }
    void wait_until_it_runs(const JobId& id) {
        bench.wait_for([&] { return record(id).state == JobState::Running; });
        bench.pass(200ms);  // into its code
    }
    std::string printed(const JobId& id) {
        std::string all;
        for (const auto& chunk : bench.disk.job_logs[id.text()]) all += chunk.bytes;
        return all;
    }

    Bench bench;
    sessions::Jobs jobs;
    bool over = false;
};

TEST(WallClock, AJobThatRunsIsLeftAlone) {
    for (const auto by : {kYear, -kYear}) {
        SCOPED_TRACE(by.count());
        Works works;
        const auto id = works.add("print a\nsleep 50000\nprint b");
        works.wait_until_it_runs(id);
        works.bench.clock.leap(by);
        const auto& record = works.ended(id);
        EXPECT_EQ(record.state, JobState::Succeeded) << record.error;
        EXPECT_EQ(record.attempts, 1u);
        EXPECT_EQ(works.printed(id), "a\nb\n");
    }
}

TEST(WallClock, APauseBetweenAttemptsIsNotLongerForAClockThatWasPutBack) {
    for (const auto by : {kYear, -kYear, std::chrono::hours(0)}) {
        SCOPED_TRACE(by.count());
        Works works;
        works.bench.runtime().fails = true;  // no sandbox can be had: it is tried again
        const auto id = works.add("print a");
        works.bench.wait_for([&] { return works.record(id).not_before.has_value(); });
        works.bench.clock.leap(by);
        works.bench.runtime().fails = false;
        const auto began = works.bench.clock.now();
        EXPECT_EQ(works.ended(id).state, JobState::Succeeded);
        EXPECT_LT(works.bench.clock.now() - began, 2min);
        EXPECT_EQ(works.printed(id), "a\n");
    }
}

TEST(WallClock, ALeapForwardsForgetsNoJobUntilItHasStayed) {
    Works works;
    const auto id = works.add("print a");
    works.ended(id);
    works.bench.clock.leap(kYear);
    works.bench.pass(61min);  // it has looked
    EXPECT_EQ(works.bench.disk.jobs.count(id.text()), 1u);
    works.bench.clock.leap(-kYear);
    works.bench.pass(5h);
    EXPECT_EQ(works.bench.disk.jobs.count(id.text()), 1u);
}

TEST(Stall, AJobRunsOnceHoweverLongItsLeaseIsOver) {
    Works works;
    const auto id = works.add("print a\nsleep 50000\nprint b");
    works.wait_until_it_runs(id);
    works.bench.clock.stall(3h);
    const auto& record = works.ended(id);
    EXPECT_EQ(record.state, JobState::Succeeded) << record.error;
    EXPECT_EQ(record.attempts, 1u);
    EXPECT_EQ(works.printed(id), "a\nb\n");
}

TEST(Stall, ATimeoutIsTheJobsOwnTime) {
    Works works;
    const auto id = works.add("print a\nhang");
    works.wait_until_it_runs(id);
    works.bench.clock.stall(10min);
    const auto& record = works.ended(id);
    EXPECT_EQ(record.state, JobState::Failed);
    EXPECT_FALSE(record.error.empty());
    // And the place is free again.
    EXPECT_EQ(works.ended(works.add("print c")).state, JobState::Succeeded);
}

}  // namespace
}  // namespace atl::testing

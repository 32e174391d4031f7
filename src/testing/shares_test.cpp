// What one owner may take of what all share: awake sandboxes, and space on the disk, of which
// saved variables and uploads that come side by side are a part.
#include "testing/bench.hpp"

#include <gtest/gtest.h>

namespace atl::testing {

namespace asio = boost::asio;
using core::Whose;
using sessions::DiskRoom;
using sessions::Use;
using namespace std::chrono_literals;

namespace {

// A meter beside a bench, which needs it from its beginning.
struct Metered {
    explicit Metered(sessions::Quotas quotas)
        : store(disk, Latency(loop.get_executor(), clock, Dice(1))),
          meter(loop.get_executor(), store, std::move(quotas), clock) {}
    sessions::SessionOptions options() {
        sessions::SessionOptions options;
        options.meter = &meter;
        return options;
    }
    asio::io_context loop{1};
    ScriptedClock clock;
    Disk disk;
    MemoryStore store;
    sessions::Meter meter;
};

asio::awaitable<SessionId> made(sessions::Sessions& all, std::string owner) {
    sessions::NewSession wanted;
    wanted.owner = std::move(owner);
    const auto record = co_await all.create(std::move(wanted));
    co_return record.id;
}

asio::awaitable<bool> ran_alone(sessions::Sessions& all, std::string owner) {
    sessions::NewSession wanted;
    wanted.owner = std::move(owner);
    const auto sandbox = co_await all.ephemeral(std::move(wanted));
    co_return sandbox != nullptr;
}

TEST(Shares, AnOwnerWithAllItsSandboxesAwakeLeavesTheOthersTheirs) {
    Metered metered({std::nullopt, std::nullopt, 2, {}});
    Bench bench(metered.options());
    auto& all = bench.sessions();
    const auto first = bench.await(made(all, "ann"));
    bench.await(made(all, "ann"));
    for (const auto& refused :
         {bench.error_of(made(all, "ann")), bench.error_of(ran_alone(all, "ann"))}) {
        ASSERT_TRUE(refused);
        EXPECT_EQ(refused->code, Code::Exhausted);
        EXPECT_NE(refused->message.find("quotas.live"), std::string::npos) << refused->message;
    }
    EXPECT_FALSE(bench.error_of(made(all, "bob")));
    EXPECT_TRUE(bench.await(ran_alone(all, "bob")));
    // One that sleeps leaves its place to another, and comes back when there is one.
    bench.await(bench.evicted(first));
    const auto third = bench.await(made(all, "ann"));
    EXPECT_THROW(bench.run(first, "get x"), ErrorException);
    bench.await(bench.removed(third));
    EXPECT_EQ(bench.run(first, "get x"), "unset");
}

TEST(Shares, TheShareIsForOwnersWhoDiffer) {
    bool differ = false;
    Metered metered({std::nullopt, std::nullopt, std::nullopt, [&differ] { return differ; }});
    const auto reserve = [&]() -> std::optional<sessions::Meter::Reservation> {
        std::optional<sessions::Meter::Reservation> reserved;
        const auto ask = [&]() -> asio::awaitable<void> {
            try {
                reserved.emplace(co_await metered.meter.reserve("ann", 1));
            } catch (const ErrorException&) {}
        };
        asio::co_spawn(metered.loop, ask, asio::detached);  // run below, to its end
        metered.loop.restart();
        metered.loop.run();
        return reserved;
    };
    std::vector<sessions::Meter::Reservation> reservations;
    reservations.reserve(2000);
    const auto reserve_until_refused = [&](std::size_t most) {
        while (reservations.size() < most) {
            auto one = reserve();
            if (!one) break;
            reservations.push_back(std::move(*one));
        }
        return reservations.size();
    };
    // The only one there is gets all that a template holds.
    EXPECT_EQ(reserve_until_refused(1023), 1023u);
    reservations.clear();
    differ = true;
    EXPECT_EQ(reserve_until_refused(1023), sessions::kLiveShare);
    EXPECT_LT(sessions::kLiveShare, 1000u);
}

// ---- The disk ----

asio::awaitable<DiskRoom> room(Bench& bench, SessionId id, std::uint64_t bytes) {
    const auto use = co_await bench.sessions().use(Whose::anyones(), id);
    co_return co_await bench.sessions().room_for(*use, bytes, 0);
}

constexpr std::uint64_t kMiB = 1u << 20;

sessions::SessionOptions with_disk(std::uint64_t bytes) {
    sessions::SessionOptions options;
    options.owner_bytes_max = bytes;
    return options;
}

// A look at the disk that began before an upload, and ends after it, has not seen it.
TEST(Shares, UploadsSideBySideIntoTheLastRoom) {
    for (int lead = 0; lead < 12; ++lead) {
        Bench bench(with_disk(3 * kMiB));
        const auto id = bench.create();
        bench.run(id, "get x");
        bench.pass(5s);
        const auto first = bench.begin(room(bench, id, 2 * kMiB));
        for (int i = 0; i < lead; ++i) bench.pass(1ms);  // each moment at which another may come
        const auto second = bench.begin(room(bench, id, 2 * kMiB));
        bench.wait_for([&] { return first->over || second->over; });
        const auto& winner = first->over ? first : second;
        const auto& other = first->over ? second : first;
        ASSERT_TRUE(winner->value);
        bool accepted = !other->over;
        if (accepted) {
            // It comes in at once, while the other still looks.
            winner->value->take(2 * kMiB);
            bench.disk.trees.at(id.text()).files["/session/a"] = std::string(2 * kMiB, 'x');
            winner->value->finished();
            winner->value.reset();
            bench.finish(other);
        }
        EXPECT_FALSE(other->value) << "lead " << lead;
        ASSERT_TRUE(other->error) << "lead " << lead;
        EXPECT_EQ(other->error->code, Code::TooLarge);
    }
}

// Whoever declared its length has its room before the first byte: the second is refused at once,
// and does not spoil the first by what it sends.
TEST(Shares, RoomIsReservedBeforeItIsUsed) {
    auto ledger = std::make_shared<sessions::DiskLedger>();
    ledger->setting = "quotas.disk";
    ledger->bytes_max = 3 * kMiB;
    DiskRoom first(nullptr, ledger, 0);
    DiskRoom second(nullptr, ledger, 0);
    first.reserve(2 * kMiB);
    EXPECT_THROW(second.reserve(2 * kMiB), ErrorException);
    second.reserve(kMiB);
    EXPECT_EQ(ledger->bytes_left(), 0u);
    first.take(kMiB);
    first.take(kMiB);
    EXPECT_THROW(first.take(1), ErrorException);  // more than it had declared
    first.finished();
    EXPECT_EQ(ledger->bytes, 2 * kMiB);
    second.take(kMiB / 2);
    second.finished();
    EXPECT_EQ(ledger->bytes, 2 * kMiB + kMiB / 2);
    EXPECT_EQ(ledger->bytes_left(), kMiB / 2);
    EXPECT_EQ(ledger->bytes_coming, 0u);
}

constexpr std::uint64_t kSpace = 64u << 10;
constexpr std::size_t kVariable = kSpace + 1000;

TEST(Shares, SavedVariablesCountAsTheirOwnersSpace) {
    Bench bench(with_disk(kSpace));
    const auto id = bench.create();
    bench.run(id, "set x " + std::string(kVariable, 'x'));
    EXPECT_FALSE(bench.error_of(made(bench.sessions(), "somebody")));
    const auto owner = bench.disk.records.at(id.text()).owner;
    EXPECT_FALSE(bench.error_of(made(bench.sessions(), owner)));
    bench.await(bench.evicted(id));
    EXPECT_GT(bench.disk.records.at(id.text()).disk_bytes, kSpace);
    for (const bool restarted : {false, true}) {
        if (restarted) bench.restart();
        const auto refused = bench.error_of(made(bench.sessions(), owner));
        ASSERT_TRUE(refused);
        EXPECT_EQ(refused->code, Code::Exhausted);
        EXPECT_NE(refused->message.find("quotas.disk"), std::string::npos) << refused->message;
    }
    EXPECT_FALSE(bench.error_of(made(bench.sessions(), "somebody")));
    // What is gone counts no more.
    const auto restart = [](sessions::Sessions& all, SessionId which) -> asio::awaitable<bool> {
        co_await all.restart(Whose::anyones(), which);
        co_return true;
    };
    bench.await(restart(bench.sessions(), id));
    bench.pass(5s);
    EXPECT_FALSE(bench.error_of(made(bench.sessions(), owner)));
}

// sessions.max_bytes: uploads find less room, runs go on, for only they make variables smaller.
TEST(Shares, SavedVariablesDoNotKeepASessionFromRunning) {
    sessions::SessionOptions options;
    options.session_bytes_max = kSpace;
    Bench bench(std::move(options));
    const auto id = bench.create();
    bench.run(id, "set x " + std::string(kVariable, 'x'));
    bench.await(bench.evicted(id));
    const auto refused = bench.error_of(room(bench, id, 1));
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->code, Code::TooLarge);
    const auto check = [](sessions::Sessions& all, SessionId which) -> asio::awaitable<bool> {
        const auto use = co_await all.use(Whose::anyones(), which);
        co_await all.check_disk(*use);
        co_return true;
    };
    EXPECT_FALSE(bench.error_of(check(bench.sessions(), id)));
    bench.run(id, "set x 1");
    bench.pass(5s);  // nothing stops it for what it has not written
    EXPECT_EQ(bench.run(id, "get x"), "1");
    bench.await(bench.evicted(id));
    EXPECT_FALSE(bench.error_of(room(bench, id, 1)));
}

}  // namespace

}  // namespace atl::testing

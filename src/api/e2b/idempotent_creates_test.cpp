// Goal: a request that is sent again makes nothing new, one that failed leaves nothing behind, and
// keys of others and of other requests are never answered for.
#include "api/e2b/idempotent_creates.hpp"

#include "guest_client/test_support.hpp"

#include <gtest/gtest.h>

namespace atl::api::e2b {
namespace {

namespace asio = boost::asio;
using guest_client::testing::Peer;

class ManualClock final : public core::Clock {
public:
    [[nodiscard]] core::Moment now() const noexcept override { return moment; }
    [[nodiscard]] core::Time wall() const noexcept override { return core::time_now(); }
    void set(const std::shared_ptr<Alarm>&) override {}
    core::Moment moment{std::chrono::hours{1}};
};

constexpr core::Sha256 kRequest{1};

class IdempotentCreatesTest : public ::testing::Test {
protected:
    // One request: what it has once its turn has come.
    struct Taken {
        std::shared_ptr<guest_client::testing::Started<guest_client::testing::Nothing>> begun;
        std::optional<IdempotentCreates::Attempt> attempt;
    };
    using TakenPtr = std::unique_ptr<Taken>;

    asio::awaitable<void> take(Taken& into, std::string owner, std::string key,
                               core::Sha256 request) {
        into.attempt.emplace(co_await creates->begin(std::move(owner), std::move(key), request));
    }
    TakenPtr begin(const std::string& owner, const std::string& key,
                   core::Sha256 request = kRequest) {
        auto taken = std::make_unique<Taken>();
        taken->begun = peer.start(take(*taken, owner, key, request));
        return taken;
    }

    // What it finds; makes `id` if that is nothing. Or why it was refused.
    std::string create(const std::string& owner, const std::string& key, const std::string& id,
                       core::Sha256 request = kRequest) {
        const auto taken = begin(owner, key, request);
        if (!taken->attempt) return taken->begun->error;
        if (const auto& made = taken->attempt->made()) return made->text();
        taken->attempt->made(SessionId(id));
        return "made " + id;
    }

    Peer peer;  // a loop
    ManualClock clock;
    std::shared_ptr<IdempotentCreates> creates = std::make_shared<IdempotentCreates>(clock);
};

TEST_F(IdempotentCreatesTest, a_request_that_is_sent_again_makes_nothing_new) {
    EXPECT_EQ(create("anna", "key", "s-1"), "made s-1");
    EXPECT_EQ(create("anna", "key", "s-2"), "s-1");
    EXPECT_EQ(create("anna", "other-key", "s-3"), "made s-3");
    EXPECT_EQ(create("bert", "key", "s-4"), "made s-4") << "a key is its owner's";
    EXPECT_NE(create("anna", "key", "s-5", core::Sha256{2}).find("another request"),
              std::string::npos);
    clock.moment += IdempotentCreates::kKeepTime;
    EXPECT_EQ(create("anna", "key", "s-6"), "made s-6");
    EXPECT_EQ(creates->count(), 1u) << "what is old is forgotten";
}

TEST_F(IdempotentCreatesTest, whoever_comes_meanwhile_waits_for_the_first) {
    auto first = begin("anna", "key");
    ASSERT_TRUE(first->attempt);
    auto second = begin("anna", "key");
    EXPECT_FALSE(second->begun->done);
    clock.moment += IdempotentCreates::kKeepTime;
    auto third = begin("anna", "key");
    EXPECT_FALSE(third->begun->done) << "one under way is not forgotten";
    first->attempt->made(SessionId("s-1"));
    first->attempt.reset();
    peer.turn();
    ASSERT_TRUE(second->attempt);
    EXPECT_EQ(second->attempt->made(), SessionId("s-1"));
    second->attempt.reset();
    third->attempt.reset();
    peer.turn();
}

TEST_F(IdempotentCreatesTest, one_that_failed_leaves_the_next_to_try) {
    auto first = begin("anna", "key");
    auto second = begin("anna", "key");
    ASSERT_TRUE(first->attempt);
    first->attempt.reset();
    peer.turn();
    ASSERT_TRUE(second->attempt);
    EXPECT_FALSE(second->attempt->made());
    second->attempt.reset();
    EXPECT_EQ(creates->count(), 0u);
    EXPECT_EQ(create("anna", "key", "s-2", core::Sha256{2}), "made s-2");
}

TEST_F(IdempotentCreatesTest, keys_are_bounded) {
    constexpr auto kMost = IdempotentCreates::kOwnerKeysMax;
    for (std::size_t i = 0; i < 2 * kMost; ++i) {
        clock.moment += std::chrono::milliseconds(1);
        const auto id = "s-" + std::to_string(i);
        EXPECT_EQ(create("anna", "key-" + std::to_string(i), id), "made " + id);
    }
    EXPECT_EQ(creates->count(), kMost);
    EXPECT_EQ(create("anna", "key-" + std::to_string(2 * kMost - 1), "s-x"),
              "s-" + std::to_string(2 * kMost - 1));
    std::vector<TakenPtr> busy;
    for (std::size_t i = 0; i < kMost; ++i) {
        busy.push_back(begin("bert", "key-" + std::to_string(i)));
        ASSERT_TRUE(busy.back()->attempt);
    }
    EXPECT_NE(create("bert", "one-more", "s-x").find("under way"), std::string::npos);
    EXPECT_EQ(create("anna", "one-more", "s-y"), "made s-y") << "others are not held up";
}

TEST_F(IdempotentCreatesTest, what_is_no_key_is_refused) {
    for (const auto& key : {std::string(), std::string(256, 'a'), std::string("a b"),
                            std::string("a\n"), std::string("\xc3\xa9")}) {
        EXPECT_NE(create("anna", key, "s-1").find("Idempotency-Key"), std::string::npos) << key;
    }
    EXPECT_EQ(creates->count(), 0u);
}

}  // namespace
}  // namespace atl::api::e2b

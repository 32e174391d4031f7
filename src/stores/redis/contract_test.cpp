// The contract of core::Threads, kept by Redis: two servers on one redis-server.
#include "core/threads_contract.hpp"
#include "stores/redis/test_support.hpp"

namespace atl::core::contract {

namespace {

// One redis-server for all; each test has a prefix of its own.
redis::testing::RedisServer& shared_server() {
    static redis::testing::RedisServer server;
    return server;
}

std::string next_prefix() {
    static int number = 0;
    return "test" + std::to_string(++number) + ":";
}

class RedisBench final : public Bench {
public:
    asio::io_context& loop() override { return loop_; }
    Threads& one() override { return one_; }
    Threads& other() override { return other_; }

private:
    std::string prefix_ = next_prefix();
    asio::io_context loop_;
    redis::RedisThreads one_{loop_.get_executor(),
                             redis::testing::options_of(shared_server(), prefix_)};
    redis::RedisThreads other_{loop_.get_executor(),
                               redis::testing::options_of(shared_server(), prefix_)};
};

std::unique_ptr<Bench> make_redis() { return std::make_unique<RedisBench>(); }

}  // namespace

INSTANTIATE_TEST_SUITE_P(Redis, ThreadsContract, ::testing::Values(&make_redis),
                         [](const auto&) { return std::string("Threads"); });

}  // namespace atl::core::contract

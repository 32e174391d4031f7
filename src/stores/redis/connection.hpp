#pragma once
// One connection to Redis on the loop: connects, asks, notices that Redis has gone, and comes back.
//
//     ask ──▶ out ──▶ socket ──▶ Redis         many at once; answers come in the same order
//      ▲                           │
//      └── resumed ◀── reader ◀────┘
//
//     connecting ──▶ ready ──▶ down ──(back-off: 50 ms, 100 ms … 2 s)──▶ connecting
//      callers wait       │       callers are refused at once
//                         └─ pending requests fail
//
// hiredis speaks the language (commands, replies); the socket is Asio's. hiredis could hold the
// socket too, but it would then resolve names on this thread, and has no time-out while connecting.
//
// Owns      the socket, and every request until it is answered.
// Threads   none of its own; all on its executor. ask() may be called from any, and resumes its
//           caller on the caller's executor.
// Trusts    Redis; but replies are bounded.
// Bounded   in requests and bytes that wait, in the time for connecting and for each answer.
// Failure   ErrorException with Unavailable and a sentence for people. A request that was under way
//           when the connection broke may have been carried out; it is not sent again.
#include "stores/redis/options.hpp"
#include "stores/redis/reply.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <memory>
#include <span>
#include <string_view>

namespace atl::redis {

class Connection {
public:
    // Begins to connect. The scripts are known to Redis by the time it is ready, and are run by
    // their place in the list.
    Connection(boost::asio::any_io_executor executor, RedisOptions options,
               std::span<const std::string_view> scripts);
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection();

    // A refusal of Redis is an answer here.
    [[nodiscard]] boost::asio::awaitable<Reply> ask(std::vector<std::string> words);
    // A refusal is thrown here.
    [[nodiscard]] boost::asio::awaitable<Reply> run(std::size_t script,
                                                    std::vector<std::string> keys,
                                                    std::vector<std::string> arguments);

    // Why there is no connection; empty when there is one.
    [[nodiscard]] std::string trouble() const;

private:
    class Life;
    std::shared_ptr<Life> life_;  // shared with the handlers of what it has under way
};

// What a refusal means to who asked.
[[nodiscard]] Error explain(const std::string& refusal, const std::string& where);

}  // namespace atl::redis

#pragma once
// What tests of every core::Threads share: a store that two servers ask, a loop that runs one
// coroutine to its end, and records to write. For tests only.
#include "base/result.hpp"
#include "core/threads.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

namespace atl::core::contract {

namespace asio = boost::asio;

// A store that can be asked: by one server and by another, which are the same where there can be
// one server only.
class Bench {
public:
    virtual ~Bench() = default;
    virtual asio::io_context& loop() = 0;
    virtual Threads& one() = 0;
    virtual Threads& other() = 0;
};
using MakeBench = std::unique_ptr<Bench> (*)();

// Runs the loop until this one coroutine has ended; a store may keep the loop busy for ever.
template <class T>
T await(asio::io_context& loop, asio::awaitable<T> what) {
    bool done = false;
    std::exception_ptr failed;
    const auto run = [&] {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        loop.restart();
        while (!done && std::chrono::steady_clock::now() < end) {
            loop.run_one_for(std::chrono::milliseconds(200));
            if (loop.stopped()) loop.restart();
        }
        if (!done) throw std::runtime_error("nobody answered for a minute");
        if (failed) std::rethrow_exception(failed);
    };
    const auto ended = [&](std::exception_ptr thrown) {
        failed = thrown;
        done = true;
    };
    if constexpr (std::is_void_v<T>) {
        asio::co_spawn(loop, std::move(what), ended);
        run();
    } else {
        std::optional<T> value;
        auto hold = [](asio::awaitable<T> inner, std::optional<T>* out) -> asio::awaitable<void> {
            out->emplace(co_await std::move(inner));
        };
        asio::co_spawn(loop, hold(std::move(what), &value), ended);
        run();
        return std::move(*value);
    }
}

[[nodiscard]] inline UploadRecord upload(const std::string& id, const std::string& owner,
                                         std::uint64_t bytes) {
    UploadRecord record;
    record.id = UploadId(id);
    record.owner = owner;
    record.name = "sales of " + id + ".csv";
    record.bytes = bytes;
    record.sha256 = std::string(64, 'a');
    record.created_at = time_now();
    return record;
}

[[nodiscard]] inline ThreadRecord thread(const std::string& id, const std::string& owner,
                                         Time at = time_now()) {
    ThreadRecord record;
    record.id = ThreadId(id);
    record.owner = owner;
    record.session_id = SessionId("s-" + id);
    record.created_at = at;
    record.updated_at = at;
    return record;
}

[[nodiscard]] inline ThreadMessage message(MessageRole role, std::string content) {
    ThreadMessage made;
    made.role = role;
    made.content = std::move(content);
    made.at = time_now();
    return made;
}

[[nodiscard]] inline std::vector<ThreadMessage> says(const std::string& content) {
    return {message(MessageRole::Assistant, content)};
}

[[nodiscard]] inline TurnRequest turn_request(const std::string& id, const std::string& instance,
                                              const std::string& question,
                                              const std::string& client_id = "",
                                              int lease_ms = 60000) {
    TurnRequest wanted{Whose::of("ann"),
                       ThreadId(id),
                       instance,
                       time_now(),
                       std::chrono::milliseconds(lease_ms),
                       message(MessageRole::User, question)};
    wanted.question.client_id = client_id;
    return wanted;
}

inline void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

}  // namespace atl::core::contract

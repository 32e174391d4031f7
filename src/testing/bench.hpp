#pragma once
// One simulated server for short tests: sessions with scripted guests, an in-memory disk and a
// manual clock.
//
//     Bench bench;
//     const auto id = bench.create();
//     bench.run(id, "set x 1");
//     bench.pass(11min);                       // it is cold now
//     EXPECT_EQ(bench.run(id, "get x"), "1");
#include "guest_client/run.hpp"
#include "sessions/sessions.hpp"
#include "testing/scripted_clock.hpp"
#include "testing/scripted_runtime.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace atl::testing {

class Bench {
public:
    explicit Bench(sessions::SessionOptions options = {});
    ~Bench();

    // What is under way when nobody waits for it.
    template <class T>
    struct Begun {
        bool over = false;
        std::optional<T> value;
        std::optional<Error> error;
        std::exception_ptr failed;
    };

    template <class T>
    std::shared_ptr<Begun<T>> begin(boost::asio::awaitable<T> work) {
        auto begun = std::make_shared<Begun<T>>();
        boost::asio::co_spawn(loop, keep(std::move(work), begun),
                              [begun](std::exception_ptr failed) { end(*begun, failed); });
        return begun;
    }
    // Until it has ended. A test fails by the exception when it does not within ten minutes.
    template <class T>
    T await(boost::asio::awaitable<T> work) {
        const auto begun = begin(std::move(work));
        finish(begun);
        if (begun->failed) std::rethrow_exception(begun->failed);
        return std::move(*begun->value);
    }
    template <class T>
    void finish(const std::shared_ptr<Begun<T>>& begun) {
        wait_for([&] { return begun->over; });
    }
    template <class T>
    std::optional<Error> error_of(boost::asio::awaitable<T> work) {
        const auto begun = begin(std::move(work));
        finish(begun);
        if (begun->failed && !begun->error) std::rethrow_exception(begun->failed);
        return begun->error;
    }
    void wait_for(const std::function<bool()>& condition);
    void pass(std::chrono::milliseconds time);
    void turn() { pass(std::chrono::milliseconds(0)); }

    SessionId create();
    // Its standard output, without the last end of line. Throws ErrorException.
    std::string run(const SessionId& id, std::string code);
    // What the last run said was lost.
    std::vector<guest_client::Lost> lost;
    boost::asio::awaitable<std::string> running(SessionId id, std::string code);

    // The server ends, in order or not, and another one begins.
    void restart();
    void kill();

    // These coroutines outlive their parameters.
    boost::asio::awaitable<bool> evicted(SessionId id);
    boost::asio::awaitable<bool> removed(SessionId id);
    boost::asio::awaitable<core::SessionState> state_of(SessionId id);
    boost::asio::awaitable<SessionId> forked(SessionId id);

    boost::asio::io_context loop{1};
    ScriptedClock clock;
    Disk disk;

    struct Server;
    [[nodiscard]] sessions::Sessions& sessions();
    [[nodiscard]] ScriptedRuntime& runtime();
    [[nodiscard]] core::Store& store();

private:
    template <class T>
    static boost::asio::awaitable<void> keep(boost::asio::awaitable<T> work,
                                             std::shared_ptr<Begun<T>> begun) {
        begun->value.emplace(co_await std::move(work));
    }
    template <class T>
    static void end(Begun<T>& begun, std::exception_ptr failed) {
        begun.over = true;
        begun.failed = failed;
        try {
            if (failed) std::rethrow_exception(failed);
        } catch (const ErrorException& error) {
            begun.error = error.error;
        } catch (const std::exception&) {}  // whoever waits for it gets it
    }
    void start();
    void stop();

    const sessions::SessionOptions options_;
    std::uint64_t ids_ = 0;
    std::unique_ptr<Server> server_;
};

}  // namespace atl::testing

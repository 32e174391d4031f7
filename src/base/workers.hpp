#pragma once
// OS threads for work that would block a loop: large texts, compression, the disk.
//
//     const auto make = [&] { return printed(answer); };    a worker does it, the coroutine waits
//     const auto text = co_await workers.run(make);         and goes on where it was
//
// Owns      its threads, and the work that waits for one.
// Threads   run() and drop() from any; work is done in the order of the calls. Split large work
//           into several calls, so that the work of others is done in between.
// Cancelling a coroutine that waits here does not cut its work short: it goes on when that is done,
//           so the work may refer to all that the coroutine has.
// If the work throws, so does run(). At its end all that was asked is done and answered first; the
// loops that are answered must still be there.
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace atl {

class Workers {
public:
    // `name` of the OS threads, for `ps` and debuggers: at most 15 bytes.
    Workers(std::size_t threads, const char* name);
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;
    ~Workers() { stop(); }

    // What `work()` returns, which is not void.
    template <class Work>
    boost::asio::awaitable<std::invoke_result_t<Work&>> run(Work work) {
        namespace asio = boost::asio;
        std::optional<std::invoke_result_t<Work&>> result;
        std::exception_ptr failed;
        const auto carry_out = [&]() noexcept {
            try {
                result.emplace(work());
            } catch (...) { failed = std::current_exception(); }
        };
        auto begin = [this, &carry_out](auto handler) {
            // Tracked: a loop must not run out of work while a coroutine of its own waits here.
            auto back = asio::prefer(asio::any_io_executor(asio::get_associated_executor(handler)),
                                     asio::execution::outstanding_work.tracked);
            auto job = [&carry_out, back = std::move(back),
                        handler = std::move(handler)]() mutable {
                carry_out();
                auto resume = [handler = std::move(handler)]() mutable { std::move(handler)(); };
                asio::post(back, std::move(resume));
            };
            asio::post(queue_, std::move(job));
        };
        co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(std::move(begin),
                                                                             asio::use_awaitable);
        if (failed) std::rethrow_exception(failed);
        co_return std::move(*result);
    }

    // Destroys it on a worker: letting go of a large tree takes its time, too.
    template <class T>
    void drop(T what) noexcept {
        auto forget = [gone = std::move(what)]() mutable { const T last = std::move(gone); };
        try {
            boost::asio::post(queue_, std::move(forget));
        } catch (const std::exception&) {  // no memory to say so: then it goes here
        }
    }

    // Does what was asked so far and ends the threads; what is asked later is not done.
    void stop();

private:
    void live(const char* name);

    boost::asio::io_context queue_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> open_;
    std::vector<std::thread> threads_;
};

// Those of the loop behind an executor: one pool for all rooms, made on first use. It ends with the
// loop's context, before what is still queued there. Call from the loop's thread.
[[nodiscard]] Workers& workers_of(const boost::asio::any_io_executor& executor);

}  // namespace atl

#include "base/workers.hpp"

#include "base/worker_thread.hpp"

#include <algorithm>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/query.hpp>
#include <sys/resource.h>
#include <unistd.h>

namespace atl {

namespace asio = boost::asio;

namespace {

// Where both want the processor, the loop has it first: everybody waits for the loop.
constexpr int kNice = 5;

// Two at most: big answers are rare, and the processors are there for the sandboxes.
std::size_t threads_of_a_loop() {
    return std::clamp<std::size_t>(std::thread::hardware_concurrency() / 2, 1, 2);
}

class OfContext final : public asio::execution_context::service {
public:
    using key_type = OfContext;             // NOLINT(readability-identifier-naming)
    static asio::execution_context::id id;  // NOLINT(readability-identifier-naming)

    explicit OfContext(asio::execution_context& context)
        : service(context), workers(threads_of_a_loop(), "atoll-work") {}

    Workers workers;

private:
    // Before the loop's own queue goes, which is older: an answer still finds it.
    void shutdown() noexcept override { workers.stop(); }
};

asio::execution_context::id OfContext::id;

}  // namespace

Workers::Workers(std::size_t threads, const char* name) : open_(queue_.get_executor()) {
    threads_.reserve(threads);
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this, name] { live(name); });
}

void Workers::live(const char* name) {
    become_worker(name);
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNice);
    queue_.run();
}

void Workers::stop() {
    open_.reset();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
}

Workers& workers_of(const asio::any_io_executor& executor) {
    return asio::use_service<OfContext>(asio::query(executor, asio::execution::context)).workers;
}

}  // namespace atl

#pragma once
// Texts to vectors on this machine, without an API, computed on an OS thread of its own.
//
// Texts are computed one by one, those of the shortest request first, so a question does not wait
// for the turns of a long thread. A request whose coroutine was cancelled is dropped.
//
// Owns      the thread and the requests that wait for it.
// Threads   its methods may be called from any thread; callers are resumed on their own
//           executor.
// Throws    Unavailable: too much waits already, or it is stopping. TooLarge: too many texts.
#include "base/result.hpp"
#include "base/worker_thread.hpp"
#include "core/recall.hpp"

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::minilm {

class LocalEmbeddings final : public core::Embeddings {
public:
    using Encode = std::function<std::vector<float>(std::string_view)>;  // on the thread

    LocalEmbeddings(std::string name, Encode encode);
    [[nodiscard]] std::string name() const override { return name_; }
    boost::asio::awaitable<std::vector<std::vector<float>>> embed(
        std::vector<std::string> texts) override;

private:
    struct Request;
    using Thread = WorkerThread<const Encode, std::shared_ptr<Request>>;
    using Task = Thread::Task;
    using TaskPtr = Thread::TaskPtr;

    [[nodiscard]] std::optional<Error> admit();
    [[nodiscard]] std::optional<Thread::Clock::time_point> serve(std::vector<TaskPtr>& group,
                                                                 bool stopping);

    const std::string name_;
    const Encode encode_;
    std::atomic<std::size_t> held_ = 0;  // in the queue, and in waiting_
    std::vector<TaskPtr> waiting_;       // the thread's

    Thread thread_;  // last: it uses all of the above
};

// all-MiniLM-L6-v2 out of a folder with model.safetensors and vocab.txt. Throws ErrorException.
[[nodiscard]] std::unique_ptr<core::Embeddings> open_embeddings(const std::string& folder);

}  // namespace atl::minilm

#pragma once
// Texts to vectors on this machine, without an API, computed on an OS thread of its own.
//
// Texts are computed one by one, those of the shortest task first, so a question does not wait for
// the turns of a long thread. A task whose coroutine was cancelled is dropped.
//
// Owns      the thread and its queue.
// Threads   its methods may be called from any thread; callers are resumed on their own
//           executor.
// Throws    Unavailable: too much waits already, or it is stopping. TooLarge: too many texts.
#include "core/recall.hpp"

#include <boost/asio/awaitable.hpp>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace atl::minilm {

class LocalEmbeddings final : public core::Embeddings {
public:
    using Encode = std::function<std::vector<float>(std::string_view)>;  // on the thread

    LocalEmbeddings(std::string name, Encode encode);
    LocalEmbeddings(const LocalEmbeddings&) = delete;
    LocalEmbeddings& operator=(const LocalEmbeddings&) = delete;
    ~LocalEmbeddings() override;

    [[nodiscard]] std::string name() const override { return name_; }
    boost::asio::awaitable<std::vector<std::vector<float>>> embed(
        std::vector<std::string> texts) override;

private:
    struct Task;
    using TaskPtr = std::shared_ptr<Task>;

    void submit(TaskPtr task);
    void live();

    const std::string name_;
    const Encode encode_;
    std::mutex mutex_;
    std::condition_variable came_;
    std::list<TaskPtr> waiting_;
    bool stopping_ = false;
    std::thread thread_;  // last: it uses all of the above
};

// all-MiniLM-L6-v2 out of a folder with model.safetensors and vocab.txt. Throws ErrorException.
[[nodiscard]] std::unique_ptr<core::Embeddings> open_embeddings(const std::string& folder);

}  // namespace atl::minilm

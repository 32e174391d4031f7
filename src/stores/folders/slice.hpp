#pragma once
// A time slice of the folder thread. A long task checks over() between its steps and yields when it
// is over, so that one session's million files do not delay others.
#include <atomic>
#include <chrono>
#include <cstddef>

namespace atl::folders {

class Slice {
public:
    using Clock = std::chrono::steady_clock;

    // Over at once when `quick` is not 0: so many tasks with quick work wait.
    explicit Slice(Clock::duration length, const std::atomic<std::size_t>* quick = nullptr)
        : end_(Clock::now() + length), quick_(quick) {}
    [[nodiscard]] bool over() const {
        return (quick_ != nullptr && quick_->load(std::memory_order_relaxed) > 0) ||
               Clock::now() >= end_;
    }

private:
    Clock::time_point end_;
    const std::atomic<std::size_t>* quick_;
};

}  // namespace atl::folders

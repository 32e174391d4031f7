#pragma once
// A time slice of the worker. A long task checks over() between its steps and yields when it is
// over, so that one session's million files do not delay others.
#include <atomic>
#include <chrono>

namespace atl::folders {

class Slice {
public:
    using Clock = std::chrono::steady_clock;

    // Over at once when `hurry` is set: somebody has quick work.
    explicit Slice(Clock::duration length, const std::atomic<bool>* hurry = nullptr)
        : end_(Clock::now() + length), hurry_(hurry) {}
    [[nodiscard]] bool over() const {
        return (hurry_ != nullptr && hurry_->load(std::memory_order_relaxed)) ||
               Clock::now() >= end_;
    }

private:
    Clock::time_point end_;
    const std::atomic<bool>* hurry_;
};

}  // namespace atl::folders

#pragma once
// A short turn of the worker's time. Long work asks over() between its steps and stops when it is,
// so that one session's million files hold up nobody else.
#include <chrono>

namespace atl::folders {

class Slice {
public:
    using Clock = std::chrono::steady_clock;

    explicit Slice(Clock::duration length) : end_(Clock::now() + length) {}
    [[nodiscard]] bool over() const { return Clock::now() >= end_; }
    // For what nobody wants to interrupt, such as a test.
    [[nodiscard]] static Slice endless() { return Slice(std::chrono::hours(24)); }

private:
    Clock::time_point end_;
};

}  // namespace atl::folders

#pragma once
// Backpressure for a run's output: it may print as fast as its listener reads, until it must end.
//
// While it runs, the guest gets credit for what the listener has read, so a slow reader slows the
// program. After hurry() (a timeout, or a stop) the run must end although nobody reads: the guest
// gets credit at once, and all but the last part of the output is dropped, which is reported.
// Threads   the link's one. Shared by the run and by its timer.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

namespace atl::guest_client {

class Pace {
public:
    using Bytes = std::function<void(std::size_t)>;

    // `told` hears what each piece has cost that was passed on, and says took() for it later; it is
    // left out by callers that take everything at once. `grant` gives the guest credit.
    Pace(Bytes told, Bytes grant) : told_(std::move(told)), grant_(std::move(grant)) {}

    [[nodiscard]] bool by_hand() const noexcept { return told_ != nullptr; }

    // Of each piece first this: whether it may be passed on.
    [[nodiscard]] bool room() {
        if (!hurried_ || waiting_ < kLastWordsBytesMax) return true;
        dropped_ = true;
        return false;
    }
    // Nobody was told of the piece whose cost comes next.
    void skip() noexcept { skipped_ = true; }
    void cost(std::size_t bytes) {
        const bool skipped = std::exchange(skipped_, false);
        if (skipped || hurried_) give(bytes);
        if (skipped || !told_) return;
        waiting_ += bytes;
        told_(bytes);
    }

    void took(std::size_t bytes) {
        bytes = std::min(bytes, waiting_);
        waiting_ -= bytes;
        if (!hurried_) give(bytes);
    }
    void hurry() {
        if (!std::exchange(hurried_, true)) give(waiting_);
    }
    // The channel is closed; what is still said comes to nothing.
    void finish() { told_ = grant_ = nullptr; }

    [[nodiscard]] bool dropped() const noexcept { return dropped_; }

private:
    static constexpr std::size_t kLastWordsBytesMax = 1u << 20;

    void give(std::size_t bytes) {
        if (grant_ && bytes > 0) grant_(bytes);
    }

    Bytes told_, grant_;
    std::size_t waiting_ = 0;  // told, and not taken
    bool hurried_ = false;
    bool skipped_ = false;
    bool dropped_ = false;
};

}  // namespace atl::guest_client

#pragma once
// Runs a function when a block is left, in whatever way: a return, an Error, any other exception.
//
//     raising_[name] = done;
//     const AtExit raised([&] { raising_.erase(name); });
//
// Cleanup after a catch of one exception type is skipped by all other types; this is not.
#include <utility>

namespace atl {

template <class Action>
class [[nodiscard]] AtExit {
public:
    explicit AtExit(Action action) : action_(std::move(action)) {}
    AtExit(const AtExit&) = delete;
    AtExit& operator=(const AtExit&) = delete;
    ~AtExit() {
        if (armed_) action_();
    }
    // For what is only to be undone when something failed.
    void cancel() noexcept { armed_ = false; }

private:
    Action action_;
    bool armed_ = true;
};

}  // namespace atl

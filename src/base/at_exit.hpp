#pragma once
// What must happen when a block is left, by whichever way: a return, an Error, any other exception.
//
//     raising_[name] = done;
//     const AtExit raised([&] { raising_.erase(name); });
//
// A catch of one kind of exception leaves the others to skip the cleanup behind it; this does not.
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

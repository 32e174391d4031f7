#pragma once
// A cancellation signal: raised once, handled by whoever is working at that moment.
//
//     Stop::Heard heard(stop, [&] { run.cancel(); });     // until it goes out of scope
//
// Threads   one. If it was raised before a handler is registered, the handler runs at once.
#include <functional>
#include <list>
#include <string>
#include <utility>

namespace atl::agent {

class Stop {
public:
    class [[nodiscard]] Heard {
    public:
        Heard(Stop& stop, std::function<void()> callback) : stop_(stop) {
            if (stop_.asked_) callback();
            place_ = stop_.listeners_.insert(stop_.listeners_.end(), std::move(callback));
        }
        Heard(const Heard&) = delete;
        Heard& operator=(const Heard&) = delete;
        ~Heard() { stop_.listeners_.erase(place_); }

    private:
        Stop& stop_;
        std::list<std::function<void()>>::iterator place_;
    };

    // Why, in one word, as MessageDetails::stopped has it. The first one counts.
    void ask(std::string why) {
        if (asked_) return;
        asked_ = true;
        why_ = std::move(why);
        const auto heard = listeners_;  // a listener may leave while it is called
        for (const auto& listener : heard) listener();
    }
    [[nodiscard]] bool asked() const noexcept { return asked_; }
    [[nodiscard]] const std::string& why() const noexcept { return why_; }

private:
    bool asked_ = false;
    std::string why_;
    std::list<std::function<void()>> listeners_;
};

}  // namespace atl::agent

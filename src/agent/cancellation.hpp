#pragma once
// A cancellation signal: requested once, handled by whoever is working at that moment.
//
//     const Cancellation::Handler handler(cancellation, [&] { run.cancel(); });
//     … until it goes out of scope
//
// Threads   one. If it was requested before a handler is registered, the handler runs at once.
#include <functional>
#include <list>
#include <string>
#include <utility>

namespace atl::agent {

class Cancellation {
public:
    class [[nodiscard]] Handler {
    public:
        Handler(Cancellation& cancellation, std::function<void()> callback)
            : cancellation_(cancellation) {
            if (cancellation_.requested_) callback();
            auto& handlers = cancellation_.handlers_;
            position_ = handlers.insert(handlers.end(), std::move(callback));
        }
        Handler(const Handler&) = delete;
        Handler& operator=(const Handler&) = delete;
        ~Handler() { cancellation_.handlers_.erase(position_); }

    private:
        Cancellation& cancellation_;
        std::list<std::function<void()>>::iterator position_;
    };

    // `why` is one word, as in MessageDetails::stopped. Only the first request counts.
    void request(std::string why) {
        if (requested_) return;
        requested_ = true;
        why_ = std::move(why);
        const auto handlers = handlers_;  // a handler may be removed while it is called
        for (const auto& handler : handlers) handler();
    }
    [[nodiscard]] bool requested() const noexcept { return requested_; }
    [[nodiscard]] const std::string& why() const noexcept { return why_; }

private:
    bool requested_ = false;
    std::string why_;
    std::list<std::function<void()>> handlers_;
};

}  // namespace atl::agent

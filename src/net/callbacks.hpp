#pragma once
// Callbacks that are registered as long as their guard lives.
//
//     const auto gone = exchange.on_gone([&run] { run.cancel(); });    // until `gone` goes
//
// A callback refers to what lives in the frame that made it, so the guard lives there too, declared
// after it: when the frame goes, by return or by exception, nobody can be called any more.
// Threads   one. A callback may take itself or others back, or give more, while it is called.
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <utility>

namespace atl::net {

class Callbacks {
    struct One {
        std::function<void()> call;
        bool told = false;
    };

public:
    // Move-only. An empty one takes nothing back.
    class [[nodiscard]] Guard {
    public:
        Guard() = default;
        Guard(Guard&& other) noexcept : all_(std::move(other.all_)), position_(other.position_) {}
        Guard& operator=(Guard&& other) noexcept {
            if (this == &other) return *this;
            reset();
            all_ = std::move(other.all_);
            position_ = other.position_;
            return *this;
        }
        ~Guard() { reset(); }
        void reset() noexcept {
            if (const auto all = std::exchange(all_, nullptr)) all->erase(position_);
        }

    private:
        friend class Callbacks;
        Guard(std::shared_ptr<std::list<One>> all, std::list<One>::iterator position)
            : all_(std::move(all)), position_(position) {}
        std::shared_ptr<std::list<One>> all_;
        std::list<One>::iterator position_{};
    };

    [[nodiscard]] Guard add(std::function<void()> callback) {
        if (!all_) all_ = std::make_shared<std::list<One>>();
        const auto position = all_->insert(all_->end(), One{std::move(callback)});
        return Guard(all_, position);
    }
    [[nodiscard]] bool empty() const noexcept { return !all_ || all_->empty(); }

    // Each is called once in its life. What one throws goes to `failed`, and the next is called.
    void call(const std::function<void(const std::exception&)>& failed) {
        const auto all = all_;
        if (!all) return;
        for (auto one = all->begin(); one != all->end();) {
            if (std::exchange(one->told, true)) {
                ++one;
                continue;
            }
            const auto callback = one->call;  // it may take itself back
            try {
                callback();
            } catch (const std::exception& error) { failed(error); }
            one = all->begin();  // it may have taken back any of them
        }
    }

private:
    // Made when it is first needed: most exchanges have none. Shared, so that a guard which is late
    // by mistake finds its position.
    std::shared_ptr<std::list<One>> all_;
};

}  // namespace atl::net

#pragma once
// Session folders made ahead of time: to create a session is to rename one of them.
//
// They lie in `<root>/.making/` under names of ours until then. Ten folders with owners and modes
// cost a fraction of a millisecond on a quiet disk and much more on a busy one; a rename is one
// step of the journal.
//
// Borrows the folder that they are made in. take() and give_back() from any thread, fill() from
// one.
#include "base/result.hpp"
#include "stores/folders/ids.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace atl::folders {

class ReadyMade {
public:
    // Owner: whose they become; nobody's but ours when there is none.
    ReadyMade(int making, std::optional<Ids> owner, std::size_t ready_max);

    // One that is ready, or made now.
    [[nodiscard]] Result<std::string> take();
    void give_back(std::string name);
    // True once, when so few are left that somebody should call fill().
    [[nodiscard]] bool wants_more();
    // Makes one more. False when there are enough.
    [[nodiscard]] Result<bool> add();
    void filled();

private:
    [[nodiscard]] Result<std::string> make();
    [[nodiscard]] Result<void> make_inside(int folder);

    const int making_;
    const std::optional<Ids> owner_;
    const std::size_t ready_max_;
    std::atomic<std::uint64_t> number_{0};

    std::mutex mutex_;
    std::deque<std::string> ready_;
    bool filling_ = false;
};

}  // namespace atl::folders

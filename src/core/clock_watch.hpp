#pragma once
// Tells when the wall clock is not to be trusted with somebody's data: it has just leapt.
//
// What is kept "for a week" is removed when the wall clock says that the week is over. A clock that
// was set wrong for a moment, or a machine that was suspended, would have it all removed at once.
// So whoever removes by age asks first; after a leap nothing is removed for a while, in which a
// wrong clock is put right. A clock that stays where it is counts again then.
//
// Owns nothing; one for each who asks, for it compares with when it was asked before. Threads: one.
#include "core/records.hpp"

#include <chrono>
#include <optional>

namespace atl::core {

class ClockWatch {
public:
    using Steady = std::chrono::steady_clock::time_point;

    // A leap: forwards by more than this between two looks, against a clock that nobody sets.
    static constexpr std::chrono::minutes kLeap{1};
    static constexpr std::chrono::minutes kGrace{15};

    // Now, by both clocks. False for a while after a leap.
    [[nodiscard]] bool settled(Time wall, Steady steady) {
        if (before_ && (wall - before_->wall) - (steady - before_->steady) > kLeap) leapt_ = steady;
        before_ = Look{wall, steady};
        if (leapt_ && steady - *leapt_ >= kGrace) leapt_.reset();
        return !leapt_;
    }
    [[nodiscard]] bool settled() { return settled(time_now(), std::chrono::steady_clock::now()); }

private:
    struct Look {
        Time wall;
        Steady steady;
    };
    std::optional<Look> before_;
    std::optional<Steady> leapt_;
};

}  // namespace atl::core

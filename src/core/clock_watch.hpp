#pragma once
// Detects jumps of the wall clock, so that nothing is removed by age right after one.
//
// What is kept "for a week" is removed when the wall clock says that the week is over. If the clock
// is wrong for a moment, or the machine was suspended, everything would be removed at once. So code
// that removes by age asks here first; after a jump nothing is removed for a while, in which a
// wrong clock can be corrected. If it stays, the new time is accepted.
//
// Owns nothing; each user has its own, since it compares with its previous call. Threads: one.
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

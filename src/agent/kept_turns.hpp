#pragma once
// How much memory turns may take that have ended and are kept for whoever comes back, all together.
//
//     ended ──▶ counted ──▶ too much? the owner with the most gives up its oldest ──▶ forgotten
//
// A turn that is forgotten is in the store; who follows it still is told it again from there.
// Fair      one owner's answers push out that owner's own before they push out another's.
// Owns      nothing: turns belong to their threads and to who follows them. One that nobody has any
//           more counts no longer.
// Threads   one, the turns' own.
#include "agent/live_turn.hpp"

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <string>

namespace atl::agent {

inline constexpr std::size_t kKeptBytesMax = 64u << 20;

class KeptTurns {
public:
    explicit KeptTurns(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    // A turn of this owner has ended; it grows no more.
    void add(const std::string& owner, const std::shared_ptr<LiveTurn>& turn);
    // Looks again: some have gone, and some that were awaited are not any more.
    void tidy();
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
    struct Kept {
        std::weak_ptr<LiveTurn> turn;
        std::size_t bytes = 0;
    };
    struct Owner {
        std::list<Kept> turns;  // the oldest first
        std::size_t bytes = 0;
    };

    void leave_out_gone();
    [[nodiscard]] bool forget_one();

    const std::size_t bytes_max_;
    std::size_t bytes_ = 0;
    std::map<std::string, Owner> owners_;
};

}  // namespace atl::agent

#pragma once
// The memory budget of all finished turns that are kept for clients that resume.
//
//     ended ──▶ counted ──▶ over budget? the owner with the most loses its oldest ──▶ dropped
//
// A dropped turn is still in the store; clients that follow it get it from there.
// Fair      answers of one owner evict that owner's own before those of others.
// Owns      nothing: turns belong to their threads and to the clients that follow them. A turn
//           without an owner no longer counts.
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

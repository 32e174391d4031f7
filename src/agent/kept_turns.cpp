#include "agent/kept_turns.hpp"

#include <algorithm>
#include <vector>

namespace atl::agent {

void KeptTurns::add(const std::string& owner, const std::shared_ptr<LiveTurn>& turn) {
    const auto bytes = turn->bytes();
    auto& its = owners_[owner];
    its.turns.push_back({turn, bytes});
    its.bytes += bytes;
    bytes_ += bytes;
    if (bytes_ > bytes_max_) tidy();
}

void KeptTurns::tidy() {
    leave_out_gone();
    while (bytes_ > bytes_max_ && forget_one()) {}
}

void KeptTurns::leave_out_gone() {
    bytes_ = 0;
    for (auto owner = owners_.begin(); owner != owners_.end();) {
        auto& its = owner->second;
        its.turns.remove_if([](const Kept& kept) { return kept.turn.expired(); });
        its.bytes = 0;
        for (const auto& kept : its.turns) its.bytes += kept.bytes;
        bytes_ += its.bytes;
        owner = its.turns.empty() ? owners_.erase(owner) : std::next(owner);
    }
}

// False when there is none that may be forgotten.
bool KeptTurns::forget_one() {
    std::vector<Owner*> by_size;
    for (auto& [name, owner] : owners_) by_size.push_back(&owner);
    std::stable_sort(by_size.begin(), by_size.end(),
                     [](const Owner* a, const Owner* b) { return a->bytes > b->bytes; });
    for (Owner* owner : by_size) {
        for (auto kept = owner->turns.begin(); kept != owner->turns.end(); ++kept) {
            const auto turn = kept->turn.lock();
            if (turn && turn->awaited > 0) continue;
            if (turn) turn->forget();
            owner->bytes -= kept->bytes;
            bytes_ -= kept->bytes;
            owner->turns.erase(kept);
            return true;
        }
    }
    return false;
}

}  // namespace atl::agent

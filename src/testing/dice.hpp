#pragma once
// Random numbers that a seed decides, the same on every machine: standard distributions are not.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace atl::testing {

class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}

    // splitmix64
    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15ull;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ull;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebull;
        return mixed ^ (mixed >> 31);
    }
    // 0 … limit - 1.
    std::uint64_t below(std::uint64_t limit) { return limit == 0 ? 0 : next() % limit; }
    std::uint64_t between(std::uint64_t least, std::uint64_t most) {
        return least + below(most - least + 1);
    }
    bool chance(unsigned percent) { return below(100) < percent; }
    // Another sequence, so that what one client rolls does not depend on when the others do.
    Dice fork() { return Dice(next()); }

private:
    std::uint64_t state_;
};

}  // namespace atl::testing

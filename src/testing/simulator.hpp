#pragma once
// A server, its clients and everything that can go wrong, from one number (docs/simulator.md).
//
//     const auto result = simulate(4711);      // the same seed, the same result, always
//
// Several clients create, run, write, sleep, wake, fork and remove sessions of a real `Sessions`,
// over scripted guests and a disk in memory, while sandboxes die or hang, the disk fills up, state
// cannot be read, and the server is stopped or killed. What they are answered is compared with a
// model of what they were answered before (model.hpp). Time is the scripted clock's.
#include <cstdint>
#include <string>
#include <vector>

namespace atl::testing {

struct Simulated {
    bool held = true;               // everything that must hold did
    std::string broken;             // else what did not
    std::uint64_t trace = 0;        // a hash of all that happened
    std::vector<std::string> last;  // of what happened
    std::uint64_t requests = 0;
    std::uint64_t answered = 0;  // well
    std::uint64_t kills = 0;
    std::uint64_t stops = 0;
    std::uint64_t losses = 0;   // that clients were told of
    std::uint64_t seconds = 0;  // of simulated time
};

struct SimulatorOptions {
    std::uint64_t seed = 1;
    bool print = false;  // every step, as it happens
};

// When something did not hold, what was simulated is left as it is and never freed: its coroutines
// cannot be ended. A program that goes on after that runs each seed in a process of its own.
[[nodiscard]] Simulated simulate(SimulatorOptions options);

}  // namespace atl::testing

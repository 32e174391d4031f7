#pragma once
// Bytes an owner stores outside sessions: outputs of ephemeral runs (core::Outputs), and code and
// logs of jobs. They count in quotas.disk like files of sessions.
//
// The store sums up jobs. Outputs are measured once per owner, on the outputs' own thread; later
// runs add to that figure, until old outputs were removed and they are measured again.
//
// Owns      the figures of each owner. Store and outputs are borrowed and outlive it.
// Threads   one, the executor's.
// If a measurement fails, its caller gets the error, and the next call retries.
#include "core/clock.hpp"
#include "core/outputs.hpp"
#include "core/store.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace atl::sessions {

class OwnerStorage {
public:
    OwnerStorage(boost::asio::any_io_executor executor, core::Store& store, core::Outputs& outputs,
                 core::Clock& clock = core::system_clock());

    boost::asio::awaitable<std::uint64_t> bytes(std::string owner);
    // A run of this owner left a file of so many bytes.
    void added(const std::string& owner, std::uint64_t bytes);

private:
    using Clock = std::chrono::steady_clock;
    struct Found {
        std::optional<std::uint64_t> bytes;
        std::uint64_t removals = 0;  // of the outputs, when they were walked
        std::uint64_t added = 0;     // while they are walked
        bool walking = false;
        Clock::time_point until = Clock::time_point::max();
    };

    boost::asio::awaitable<std::uint64_t> output_bytes(std::string owner);

    core::Store& store_;
    core::Outputs& outputs_;
    core::Clock& clock_;
    std::map<std::string, Found> found_;  // by owner: as many as have keys
    boost::asio::steady_timer walked_;
};

}  // namespace atl::sessions

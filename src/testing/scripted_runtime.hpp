#pragma once
// core::Runtime whose sandboxes are ScriptedGuests: no walls, no processes, no time of its own.
//
// Owns      nothing that outlives its sandboxes but their number. Disk and clock are borrowed.
// Threads   one.
#include "core/runtime.hpp"
#include "testing/scripted_guest.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace atl::testing {

class ScriptedRuntime final : public core::Runtime {
public:
    ScriptedRuntime(boost::asio::any_io_executor executor, core::Clock& clock, Disk& disk,
                    Dice dice)
        : executor_(executor), clock_(clock), disk_(disk), dice_(dice) {}

    boost::asio::awaitable<std::unique_ptr<core::Sandbox>> create(core::SandboxSpec spec) override;

    bool fails = false;          // no sandbox can be had: the zygote is dead
    bool freezer_fails = false;  // what is awake cannot be frozen, and what is frozen stays so
    bool thaw_fails = false;     // what is frozen stays so

    // Sandboxes that were made and not destroyed.
    [[nodiscard]] std::size_t live() const noexcept { return live_; }
    [[nodiscard]] std::vector<std::shared_ptr<ScriptedGuest>> guests() const;
    // Of a session; null when it has none that lives.
    [[nodiscard]] std::shared_ptr<ScriptedGuest> guest_of(const std::string& session) const;
    // As when the server is killed: sandboxes do not outlive it.
    void end_all() noexcept;

private:
    class Box;

    boost::asio::any_io_executor executor_;
    core::Clock& clock_;
    Disk& disk_;
    Dice dice_;
    std::map<std::uint64_t, std::weak_ptr<ScriptedGuest>> guests_;  // in the order of making
    std::uint64_t made_ = 0;
    std::size_t live_ = 0;
};

}  // namespace atl::testing

#pragma once
// What each owner uses, and its quotas: awake sandboxes, their memory, CPU time per day.
//
//     auto reservation = co_await meter.reserve(owner, memory);   throws when a quota is used up
//     sandbox = meter.watch(std::move(reservation), std::move(sandbox));
//
// Owns      the counts. A sandbox that is destroyed releases its reservation and reports its last
//           figures.
// Threads   one, the executor's. Outlives every sandbox that it watches.
// Promises  sandboxes and memory never exceed their quotas: they are reserved before the sandbox is
//           created. CPU time is sampled every few seconds, so running programs can exceed it; then
//           nothing new starts.
//           A host without cgroups cannot measure CPU time, and counts none.
#include "core/clock.hpp"
#include "core/runtime.hpp"
#include "core/store.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace atl::sessions {

// How many awake sandboxes an owner may have if there can be several owners: a template holds
// 4,095, and the rest is left to the others.
inline constexpr std::uint64_t kLiveShare = 768;

struct Quotas {
    std::optional<std::uint64_t> memory_bytes;
    std::optional<std::chrono::milliseconds> cpu_a_day;
    // Awake sandboxes; 0 = no limit. None: kLiveShare, where owners differ.
    std::optional<std::uint64_t> live_max = {};
    // Whether there can be more than one owner. None: there can.
    std::function<bool()> owners_differ = {};
};

class Meter {
public:
    Meter(boost::asio::any_io_executor executor, core::Store& store, Quotas quotas,
          core::Clock& clock = core::system_clock());
    ~Meter();

    // A sandbox and its memory, counted in the quotas until this is destroyed.
    class [[nodiscard]] Reservation {
    public:
        Reservation(Meter& meter, std::string owner, std::uint64_t bytes);
        Reservation(Reservation&& other) noexcept;
        Reservation& operator=(Reservation&&) = delete;
        ~Reservation();
        [[nodiscard]] const std::string& owner() const noexcept { return owner_; }

    private:
        Meter* meter_;
        std::string owner_;
        std::uint64_t bytes_;
    };

    // Exhausted, with the quota's name, when the owner has no more.
    boost::asio::awaitable<Reservation> reserve(std::string owner, std::uint64_t memory_bytes);
    std::unique_ptr<core::Sandbox> watch(Reservation reservation,
                                         std::unique_ptr<core::Sandbox> sandbox);

    // Exhausted when the owner's processor time of today is used up, as far as it is known.
    void check_cpu(const std::string& owner) const;
    void count(const std::string& owner, core::UsageCounters more);

    // Looks at what runs and writes down what was used, until stop().
    boost::asio::awaitable<void> run();
    // Writes down the rest. Sandboxes are gone by then.
    boost::asio::awaitable<void> stop();

private:
    class Watched;
    struct Owner {
        std::uint64_t memory_bytes = 0;
        std::uint64_t live = 0;
        core::Day day{};
        core::UsageCounters today;    // all of it
        core::UsageCounters unsaved;  // what the store has not heard of
        bool known = false;           // what was used before the server started was asked for
    };

    Owner& of(const std::string& owner);
    [[nodiscard]] std::uint64_t live_max() const;  // 0 = no limit
    boost::asio::awaitable<void> ask_store(std::string owner);
    boost::asio::awaitable<void> save();

    core::Store& store_;
    Quotas quotas_;
    std::map<std::string, Owner> owners_;
    std::list<Watched*> watched_;  // round-robin: the next to look at comes first
    core::Clock& clock_;
    core::Timer round_;
    bool stopping_ = false;
};

}  // namespace atl::sessions

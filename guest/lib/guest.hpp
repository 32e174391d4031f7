#pragma once
// The guest: PID 1 of a sandbox. One loop that serves the host's operations until the host goes.
//
//     host ══ one stream ══▶ HostLink ──frames──▶ Guest ──▶ Process, Kernel, files, watch, dial
//
// Owns      all operations and kernels; reaps every process of the sandbox, also those that were
//           orphaned.
// Threads   one.
// Trusts    the host; nothing that comes from a process of the sandbox.
// When the host goes, or asks for shutdown, run() returns and the sandbox ends with PID 1.
#include "guest/lib/kernel.hpp"
#include "guest/lib/memory_watch.hpp"
#include "guest/lib/operation.hpp"
#include "guest/lib/surroundings.hpp"
#include "guest/lib/user_share.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>

namespace atl::guest {

class Guest {
public:
    // `bell`: rung to get a kernel from the nest; none where there are no kernels.
    Guest(UniqueFd stream, Surroundings surroundings, UniqueFd bell);

    // Before run(): this sandbox has an owner from the start. `first`: a kernel already summoned.
    void belongs_to_somebody();
    // The default kernel, summoned before the walls stood. It may come in now.
    void welcome(std::unique_ptr<Kernel> first);

    // Until the sandbox is to end.
    void run();

private:
    using Channels = std::map<std::uint32_t, std::unique_ptr<Operation>>;

    void take(const wire::Frame& frame);
    void open(std::uint32_t channel, std::string_view payload);
    std::unique_ptr<Operation> begin(std::uint32_t channel, const json::object& request);
    void begin_kernel(KernelCall& call, const json::object& request);
    void answer_kernel_request(Operation& operation, const std::string& op,
                               const json::object& request);
    void claim(Operation& operation, const json::object& request);
    void stats(Operation& operation);
    void list_programs(Operation& operation);
    void list_ports(Operation& operation);
    void start_kernels();
    // SIGCHLD needs no more than a loop iteration; the host's SIGUSR1 says that we were frozen.
    void hear_signals();
    void reap();
    void bury_kernels();
    void let_go_of(const Kernel& kernel);
    void check_memory();
    [[nodiscard]] StartingKernels starting_kernels() const;
    void check_user_share();
    [[nodiscard]] bool looks_at_processes() const;  // no cgroup, or no user of its own, holds them
    [[nodiscard]] int wait_ms() const;
    [[nodiscard]] bool is_idle() const;  // nothing runs that the host asked for
    void wait();

    HostLink link_;
    Surroundings surroundings_;
    UniqueFd bell_;
    bool has_kernels_;
    UniqueFd signals_;
    Channels operations_;
    std::map<std::string, std::unique_ptr<Kernel>> kernels_;
    std::set<pid_t> leaving_;             // kernels that were killed and are not reaped yet
    Clock::time_point unwanted_until_{};  // a kernel that was deleted before it came may still come
    std::map<pid_t, int> unknown_dead_;   // while a kernel is awaited, whose id is not known yet
    PollSet set_;
    bool claimed_ = false;
    bool stop_ = false;
    Clock::time_point turn_began_ = Clock::now();
    Clock::time_point memory_checked_{};
    Clock::time_point memory_measured_{};  // in detail
    std::uint64_t memory_bound_ = 0;       // then
    std::uint64_t memory_kills_ = 0;
    std::uint64_t share_kills_ = 0;
    std::optional<UserShare> share_max_;  // where all sandboxes are one user of the host
    std::uint64_t memory_peak_bytes_ = 0;
};

}  // namespace atl::guest

#pragma once
// The guest: PID 1 of a sandbox. One loop that serves the host's operations until the host goes.
//
//     host ══ one stream ══▶ HostLink ──frames──▶ Guest ──▶ Process, Kernel, files, watch, dial
//
// Owns      all operations and kernels; reaps every process of the sandbox, also those that were
//           orphaned.
// Threads   one, ever: a kernel is a fork of this very process.
// Trusts    the host; nothing that comes from a process of the sandbox.
// When the host goes, or asks for shutdown, run() returns and the sandbox ends with PID 1.
#include "guest/lib/kernel.hpp"
#include "guest/lib/operation.hpp"
#include "guest/lib/surroundings.hpp"

#include <map>
#include <memory>

namespace atl::guest {

class Guest {
public:
    // `can_fork_kernels`: this process is a Python that a kernel can be forked from.
    Guest(UniqueFd stream, Surroundings surroundings, bool can_fork_kernels);

    // Before run(): this sandbox has an owner from the start, who will want a kernel at once.
    void expect_run();

    // Returns the kernel link's descriptor in a process that has become a kernel, and -1 in PID 1
    // when the sandbox is to end.
    int run();

private:
    using Channels = std::map<std::uint32_t, std::unique_ptr<Operation>>;

    void take(const wire::Frame& frame);
    void open(std::uint32_t channel, std::string_view payload);
    std::unique_ptr<Operation> begin(std::uint32_t channel, const json::object& request);
    void begin_kernel(KernelCall& call, const std::string& context, const std::string& directory);
    void answer_kernel_request(Operation& operation, const std::string& op,
                               const json::object& request);
    void claim(Operation& operation, const json::object& request);
    void stats(Operation& operation);
    // Starts kernels that are wanted; true in the process that became one.
    bool start_kernels();
    // SIGCHLD needs no more than a turn of the loop; the host's SIGUSR1 says that we were frozen.
    void hear_signals();
    void reap();
    void check_memory();
    [[nodiscard]] int wait_ms() const;
    void wait();

    HostLink link_;
    Surroundings surroundings_;
    bool can_fork_kernels_;
    UniqueFd signals_;
    Channels operations_;
    std::map<std::string, std::unique_ptr<Kernel>> kernels_;
    PollSet set_;
    int kernel_link_ = -1;  // set in a process that has become a kernel
    bool claimed_ = false;
    bool stop_ = false;
    Clock::time_point turn_began_ = Clock::now();
    Clock::time_point memory_checked_{};
    std::uint64_t memory_kills_ = 0;
    std::uint64_t memory_peak_bytes_ = 0;
};

}  // namespace atl::guest

#pragma once
// One live native sandbox, and what is left of it when it goes.
//
// Owns      the pidfd of its PID 1, its cgroup, its range of ids, the stream until it is taken.
// Threads   the runtime's.
// Ending it is one SIGKILL to PID 1: the kernel ends everything else in the PID namespace with it,
// and its mounts, network and scratch space go with its last process.
#include "core/runtime.hpp"
#include "sys/cgroup.hpp"

#include <functional>

namespace atl::native {

// Resources that can only be given back once the last process is gone.
struct Remains {
    UniqueFd pidfd;
    pid_t pid = -1;
    std::uint32_t first_id = 0;  // of its range, as the host counts
    bool our_child = false;      // a zombie of ours to reap, or the nest's
    sys::Cgroup cgroup;
    std::function<void()> release_ids;

    void kill() const noexcept;
    [[nodiscard]] bool process_gone() const noexcept;
    // Waits for the end, removes the cgroup, gives the ids back.
    void bury() noexcept;
};

class NativeSandbox : public core::Sandbox {
public:
    // `undertaker` takes the remains and buries them, at once or later.
    using Undertaker = std::function<void(Remains)>;
    NativeSandbox(SandboxId id, UniqueFd stream, bool has_kernels, Remains parts,
                  Undertaker undertaker)
        : id_(std::move(id)),
          stream_(std::move(stream)),
          has_kernels_(has_kernels),
          parts_(std::move(parts)),
          undertaker_(std::move(undertaker)) {}
    ~NativeSandbox() override { destroy(); }

    const SandboxId& id() const override { return id_; }
    UniqueFd take_stream() override { return std::move(stream_); }
    bool has_kernels() const override { return has_kernels_; }
    Result<void> freeze(bool frozen) override;
    core::Usage usage() const override;
    std::uint64_t cpu_us() const override { return parts_.cgroup.cpu_us(); }
    std::uint64_t memory_peak_bytes() const override { return parts_.cgroup.memory_peak_bytes(); }
    std::uint64_t memory_kills() const override { return parts_.cgroup.oom_kills(); }
    std::string ended_because() const override { return ended_because_; }
    void destroy() noexcept override;

    [[nodiscard]] int stream() const noexcept { return stream_.get(); }
    [[nodiscard]] sys::Cgroup& cgroup() noexcept { return parts_.cgroup; }
    [[nodiscard]] bool alive() const noexcept { return !parts_.process_gone(); }
    // Kills its processes. Its owner is told why, and destroys it all the same.
    void end(std::string why) {
        ended_because_ = std::move(why);
        parts_.kill();
    }
    [[nodiscard]] pid_t host_pid() const noexcept { return parts_.pid; }
    [[nodiscard]] std::uint32_t first_id() const noexcept { return parts_.first_id; }

private:
    SandboxId id_;
    UniqueFd stream_;
    bool has_kernels_;
    Remains parts_;
    Undertaker undertaker_;
    std::string ended_because_;
    bool destroyed_ = false;
};

// Random, unguessable, and a valid name for a cgroup.
inline constexpr const char* kSandboxPrefix = "sb-";
[[nodiscard]] SandboxId new_sandbox_id();

}  // namespace atl::native

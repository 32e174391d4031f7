#include "runtimes/native/sandbox.hpp"

#include "sys/syscalls.hpp"

#include <chrono>
#include <csignal>
#include <poll.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <thread>

namespace atl::native {

namespace {
constexpr int kBurialRounds = 200;  // of 5 ms: a cgroup empties soon after its last process
constexpr int kKillRounds = 60;     // of 1 s: what does not end then sits in the kernel
}  // namespace

void Remains::kill() const noexcept {
    if (pidfd.get() >= 0) sys::pidfd_send_signal(pidfd.get(), SIGKILL);
    // Frozen processes do not die; and a process that is not in the PID namespace any more would
    // still be in the cgroup.
    if (cgroup.present()) cgroup.kill_all();
}

bool Remains::process_gone() const noexcept {
    if (pidfd.get() < 0) return true;
    pollfd ended{pidfd.get(), POLLIN, 0};
    return ::poll(&ended, 1, 0) > 0;
}

void Remains::bury() noexcept {
    if (pidfd.get() >= 0) {
        pollfd ended{pidfd.get(), POLLIN, 0};
        int rounds = 0;
        while (::poll(&ended, 1, 1000) <= 0 && rounds < kKillRounds) {
            kill();
            ++rounds;
        }
        if (our_child) ::waitpid(pid, nullptr, WNOHANG);
        if (!process_gone()) release_ids = nullptr;  // they are its own for as long as it lives
    }
    for (int round = 0; round < kBurialRounds && !cgroup.remove(); ++round) {
        cgroup.kill_all();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    if (release_ids) release_ids();
    *this = Remains();
}

core::Usage NativeSandbox::usage() const {
    const auto use = parts_.cgroup.use();
    return {use.memory_bytes, use.memory_peak_bytes, use.cpu_us, use.processes, use.oom_kills};
}

Result<void> NativeSandbox::freeze(bool frozen) {
    // Waits at PID 1's door while it is frozen: the first thing it hears is that its clocks ran on
    // without it, and no run times out for that.
    if (!frozen) sys::pidfd_send_signal(parts_.pidfd.get(), SIGUSR1);
    return parts_.cgroup.freeze(frozen);
}

void NativeSandbox::destroy() noexcept {
    if (destroyed_) return;
    destroyed_ = true;
    stream_ = UniqueFd();
    // Giving memory back takes a while; nobody waits for it.
    parts_.cgroup.set_weight(sys::Cgroup::Weight::Background);
    parts_.kill();
    undertaker_(std::move(parts_));
}

SandboxId new_sandbox_id() {
    unsigned char bytes[16];
    if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes) std::abort();  // never on Linux ≥ 3.17
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text = kSandboxPrefix;
    for (const unsigned char byte : bytes) {
        text.push_back(kDigits[byte >> 4]);
        text.push_back(kDigits[byte & 15]);
    }
    return SandboxId(std::move(text));
}

}  // namespace atl::native

#include "guest/lib/root_namespace.hpp"

#include "base/fd.hpp"
#include "guest/lib/spawn.hpp"

#include <fcntl.h>
#include <iterator>
#include <unistd.h>

namespace atl::guest {

namespace {

// Waits until its input ends. A program of its own and not a fork: PID 1 may look into it, and it
// has nothing of PID 1 in its memory.
constexpr const char* kHolder[] = {"/opt/atoll/guest/atoll-guest", "wait"};

bool write_file(const std::string& path, const std::string& text, sys::StepFailure& failure) {
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.get() >= 0) {
        const ssize_t n = ::write(file.get(), text.data(), text.size());
        if (n == static_cast<ssize_t>(text.size())) return true;
    }
    return failure.set("give root its id");
}

}  // namespace

bool have_root_namespace(Surroundings& surroundings, sys::StepFailure& failure) {
    if (surroundings.root_namespace_fd >= 0) return true;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return failure.set("make a pipe");
    const UniqueFd input(ends[0]), until_here(ends[1]);
    const UniqueFd nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    if (nothing.get() < 0) return failure.set("open /dev/null");
    Launch launch;
    launch.argv.assign(std::begin(kHolder), std::end(kHolder));
    launch.in = input.get();
    launch.out = launch.err = nothing.get();
    launch.confinement = surroundings.confinement();
    launch.confinement.names = sys::Names::Made;
    launch.oom_score_fd = surroundings.oom_score_fd;
    const pid_t holder = spawn(launch);
    if (holder < 0) {
        failure = launch.failure;
        return false;
    }
    // Its id cannot be somebody else's by now: only the loop reaps, and it waits for us.
    const std::string process = "/proc/" + std::to_string(holder);
    UniqueFd found(::open((process + "/ns/user").c_str(), O_RDONLY | O_CLOEXEC));
    if (found.get() < 0) return failure.set("open the user namespace of root");
    // Each can be written once, and whoever is the same user as the holder may try: what is not
    // ours is not taken.
    const auto map = [](std::uint32_t id) { return "0 " + std::to_string(id) + " 1"; };
    if (!write_file(process + "/setgroups", "deny", failure) ||
        !write_file(process + "/uid_map", map(surroundings.user.uid), failure) ||
        !write_file(process + "/gid_map", map(surroundings.user.gid), failure)) {
        return false;
    }
    surroundings.root_namespace_fd = found.release();
    return true;
}

}  // namespace atl::guest

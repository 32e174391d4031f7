#pragma once
// The zygote's side of the fork: a Python that has imported its packages serves fork requests.
//
//     runtime --init, fork + stream--> zygote --clone3--> PID 1 (guest.hpp) --fork--> kernels
//             <---------pidfd---------
//
// Owns      the control socket. Each sandbox's stream passes through and is closed here.
// Threads   none, checked by the Python side before it calls us; a fork copies one thread only.
// Trusts    the runtime at the other end of the socket; no sandbox can reach it.
// A sandbox becomes a child of the zygote's parent (CLONE_PARENT), so it outlives the zygote.
#include "base/fd.hpp"
#include "guest/lib/surroundings.hpp"

#include <boost/json/object.hpp>

namespace atl::guest {

class Zygote {
public:
    explicit Zygote(UniqueFd control) : control_(std::move(control)) {}

    // Returns only in a kernel, with its link. In the zygote itself: never, it exits with the host.
    int serve();

private:
    void reply(const boost::json::object& message, int pidfd = -1);
    // The kernel link in a process that became a kernel, -1 in the zygote.
    int fork_sandbox(const boost::json::object& request, std::vector<UniqueFd> along);
    int be_sandbox(const boost::json::object& request, std::vector<UniqueFd> along, int gate);

    UniqueFd control_;
    Surroundings surroundings_;
};

// In PID 1 of a sandbox whose enclosure stands: inner walls, then the loop. What run() returns.
enum class Kernels { None, OnDemand, AtOnce };
int live_as_guest(UniqueFd stream, Surroundings surroundings, const std::string& hostname,
                  Kernels kernels);

}  // namespace atl::guest

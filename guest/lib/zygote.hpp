#pragma once
// The zygote's side of the fork: a Python that has imported its packages, and forks kernels.
//
//     nest --init, kernel + descriptors--> zygote --clone, fork--> kernel, a child of PID 1
//
// A kernel is born into a sandbox's PID namespace by way of a helper that ends at once, so that it
// is orphaned there and PID 1 adopts it. It enters the sandbox's cgroup, waits for PID 1's word
// that the walls stand, enters the other namespaces, confines itself, and only then returns to
// Python.
// Owns      the control socket. A kernel's descriptors pass through and are closed here.
// Threads   none, checked by the Python side before it calls us; a fork copies one thread only.
// Trusts    the nest's init at the other end of the socket; no sandbox can reach it.
#include "base/fd.hpp"
#include "guest/lib/surroundings.hpp"

#include <boost/json/object.hpp>
#include <string>
#include <vector>

namespace atl::guest {

class Zygote {
public:
    explicit Zygote(UniqueFd control) : control_(std::move(control)) {}

    // Returns only in a kernel, with its link. In the zygote itself: never, it exits with the nest.
    int serve();

private:
    // The kernel link in a process that became a kernel, -1 in the zygote.
    int fork_kernel();
    int be_kernel();

    UniqueFd control_;
    std::vector<UniqueFd> along_;  // of the request under way
    Surroundings surroundings_;
};

}  // namespace atl::guest

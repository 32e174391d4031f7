#pragma once
// Starts a program inside the sandbox as the unprivileged user.
//
// fork and not vfork: a parent that waits in vfork waits for as long as anybody keeps the child
// stopped, and where all of a sandbox is one user its programs can do that. Here the wait has an
// end. The child says by a pipe why it cannot run; a pipe that exec closed says that it does.
#include "sys/confine.hpp"

#include <string>
#include <sys/types.h>
#include <vector>

namespace atl::guest {

struct Launch {
    std::vector<std::string> argv;
    std::vector<std::string> environment;  // NAME=value
    std::string directory = "/";
    int in = -1, out = -1, err = -1;
    int link = -1;                      // becomes descriptor 3; all others are closed
    bool controlling_terminal = false;  // `in` is a terminal that becomes the session's
    sys::Confinement confinement;
    int oom_score_fd = -1;  // of PID 1

    sys::StepFailure failure;  // why spawn returned -1
};

// The new process's id, or -1 with `failure` filled in. It leads a session and a group of its own.
pid_t spawn(Launch& launch);

// Common to programs and kernels: standard descriptors, and signals as a fresh program has them.
bool prepare_child(int in, int out, int err, bool terminal, sys::StepFailure& failure) noexcept;

}  // namespace atl::guest

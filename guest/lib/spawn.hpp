#pragma once
// Starts a program inside the sandbox as the unprivileged user.
//
// vfork, because PID 1 may be a fork of a Python with pandas loaded: copying its page tables for
// each `ls` would cost milliseconds. Between vfork and exec parent and child share memory, so the
// child makes raw system calls only and leaves its failure in the Launch itself.
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
    bool controlling_terminal = false;  // `in` is a terminal that becomes the session's
    sys::Confinement confinement;

    sys::StepFailure failure;  // why spawn returned -1
};

// The new process's id, or -1 with `failure` filled in. It leads a session and a group of its own.
pid_t spawn(Launch& launch);

// Common to programs and kernels: standard descriptors, and signals as a fresh program has them.
bool prepare_child(int in, int out, int err, bool terminal, sys::StepFailure& failure) noexcept;

// When the sandbox runs out of memory the kernel picks the process with the highest score: user code
// dies, PID 1 lives to report it. Done once the process is itself (it has executed, or changed its
// user): before, its files in /proc belong to nobody here.
void offer_to_oom_killer(pid_t pid) noexcept;

}  // namespace atl::guest

#pragma once
// Finds and ends everything that a process left running: children, their children, and those that
// were orphaned or made themselves a daemon, as far as they carry the run's mark.
//
// The mark is an environment variable that each run gets. A program that wipes its environment and
// double-forks escapes the mark, not the sandbox: its limits hold and it ends with the session.
#include <string>
#include <sys/types.h>
#include <vector>

namespace atl::guest {

inline constexpr const char* kRunMark = "ATOLL_RUN";

// Every process but PID 1 that descends from `root` or carries `mark` (when not empty).
[[nodiscard]] std::vector<pid_t> processes_of(pid_t root, const std::string& mark);

// SIGKILL to all of them, again until none is left or the rounds are used up: a fork bomb can run
// ahead of us for a while, but not beyond the limit on processes.
void kill_tree(pid_t root, const std::string& mark);

}  // namespace atl::guest

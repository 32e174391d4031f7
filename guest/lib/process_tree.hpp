#pragma once
// Finds and ends everything that a process left running: children, their children, and those that
// were orphaned or made themselves a daemon, as far as they carry the run's mark.
//
// The mark is an environment variable that each run gets. A program that wipes its environment and
// double-forks escapes the mark, not the sandbox: its limits hold and it ends with the session.
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

namespace atl::guest {

inline constexpr const char* kRunMark = "ATOLL_RUN";

// Every process but PID 1 that descends from `root` or carries `mark` (when not empty).
[[nodiscard]] std::vector<pid_t> processes_of(pid_t root, const std::string& mark);

struct RunningProgram {
    pid_t pid = 0;
    std::string command;  // its arguments, printable, cut to a line
};
// Every process but PID 1 and those of `ours` that has not ended and is not being killed; 256 at
// most. `coming`: a kernel is on its way here, and its number is not known yet.
[[nodiscard]] std::vector<RunningProgram> programs_except(const std::set<pid_t>& ours, bool coming);

// SIGKILL to all of them, again until none is left or the rounds are used up: a fork bomb can run
// ahead of us for a while, but not beyond the limit on processes.
void kill_tree(pid_t root, const std::string& mark);

}  // namespace atl::guest

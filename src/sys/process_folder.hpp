#pragma once
// Where /proc tells what a process has.
//
// That is /proc/PID, unless its first thread has ended while others go on: then that folder shows a
// zombie without memory and without files, and what the process has is told by its other threads
// only. A process that wants to hide what it takes does just that.
#include <string>

namespace atl::sys {

// "/proc/12", or "/proc/12/task/14".
[[nodiscard]] std::string process_folder(const std::string& pid);

}  // namespace atl::sys

#pragma once
// Runs one program of a template's build to its end, and stops it when the build is to stop.
//
// Owns      the program's whole process group: nothing of it is left when run_child returns.
// Threads   the calling one. The child does nothing between fork and exec that needs the heap.
// Trusts    the program to be what it seems, except behind `unprivileged`: package code.
#include "base/result.hpp"

#include <chrono>
#include <csignal>
#include <functional>
#include <string>
#include <vector>

namespace atl::native {

// While one lives, SIGINT, SIGTERM and SIGHUP only raise a flag, so that a build can clean up. Its
// destructor puts things back and sends the signal again, so the process still dies of it.
class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;
    [[nodiscard]] static bool raised() noexcept;

private:
    struct sigaction before_[4] = {};
};

struct Child {
    std::vector<std::string> argv;  // argv[0] is a path
    std::vector<std::string> environment;
    std::string folder;  // the working folder
    // For code of packages. When we are root it runs as nobody, sees `folder` at /mnt (where it can
    // be reached whatever lies above it), and has no network; otherwise as the user.
    bool unprivileged = false;
    std::chrono::seconds time_max{0};
    std::function<void(const std::string&)> on_error_line;  // each line of stderr, as it comes
    std::function<void()> still;                            // ten times a second or more
};

struct ChildEnd {
    bool succeeded = false;
    std::string output;  // stdout, at most 16 MiB
    std::string errors;  // the last 16 KiB of stderr
};

// Unavailable when it could not be started, took too long, or a stop signal came.
[[nodiscard]] Result<ChildEnd> run_child(const Child& child);

}  // namespace atl::native

#pragma once
// What a run printed and how it ended: an exit status, and the reason.
#include <cstdint>
#include <string_view>

namespace atl::core {

enum class Stream { Stdout, Stderr };

enum class EndReason {
    Exited,     // by itself, with an exit code
    Signalled,  // by a signal that was not ours
    Timeout,    // ran longer than allowed
    Memory,     // used more memory than allowed
    Disk,       // filled its disk
    Output,     // wrote more output than allowed
    Killed,     // stopped by the caller, or its sandbox went away
};

[[nodiscard]] constexpr std::string_view name_of(EndReason reason) {
    switch (reason) {
        case EndReason::Exited: return "exited";
        case EndReason::Signalled: return "signalled";
        case EndReason::Timeout: return "timeout";
        case EndReason::Memory: return "memory";
        case EndReason::Disk: return "disk";
        case EndReason::Output: return "output";
        case EndReason::Killed: return "killed";
    }
    return "killed";
}

}  // namespace atl::core

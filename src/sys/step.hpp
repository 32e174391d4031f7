#pragma once
// How a step that failed after fork is reported to the parent: which one, and why.
//
// Below fork nothing may allocate or throw, so a failing step leaves a plain struct; it crosses a
// pipe, or shared memory after vfork, and only the parent turns it into an Error.
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace atl::sys {

struct StepFailure {
    char step[120] = {};
    std::int32_t cause = 0;

    // Always false, so that a step can end in `return failure.set("mount /proc");`.
    bool set(const char* what, const char* about = "") noexcept {
        cause = errno;
        std::size_t at = 0;
        for (const char* part : {what, about}) {
            for (; *part != '\0' && at + 1 < sizeof step; ++part) step[at++] = *part;
        }
        step[at] = '\0';
        return false;
    }
};

}  // namespace atl::sys

#pragma once
// When a job that waits for its next attempt may begin. Plain functions, any thread.
#include "core/records.hpp"

#include <chrono>

namespace atl::core {

// Longer than any pause between two attempts. A moment further away was set by a wall clock that
// has been put back since: who waited for it would wait for as long as that was.
inline constexpr std::chrono::milliseconds kJobPauseMax{std::chrono::hours{1}};

[[nodiscard]] inline bool may_begin(const JobRecord& job, Time now) {
    return !job.not_before || *job.not_before <= now || *job.not_before > now + kJobPauseMax;
}

}  // namespace atl::core

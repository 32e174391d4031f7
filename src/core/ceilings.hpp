#pragma once
// Upper bounds for the limits that a client may request.
//
// Limits (spec.hpp) belong to one sandbox; ceilings are set by the operator and apply to all of
// them. A member that keeps its default here is no bound.
#include "core/spec.hpp"

#include <limits>
#include <string>
#include <vector>

namespace atl::core {

struct Ceilings {
    std::uint64_t memory_bytes = std::numeric_limits<std::uint64_t>::max();
    std::uint32_t processes = std::numeric_limits<std::uint32_t>::max();
    double cpus = 0;  // 0 = as many as there are
    std::uint32_t open_files = std::numeric_limits<std::uint32_t>::max();
    // Of all processes of a sandbox together: the machine has one table for everybody.
    std::uint64_t open_files_together = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t disk_bytes = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t disk_files = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t output_bytes = std::numeric_limits<std::uint64_t>::max();
    std::chrono::milliseconds run_time = std::chrono::milliseconds::max();
};

// A field of Limits that is beyond, and what there is instead.
struct Beyond {
    std::string field;
    std::string sentence;
};
[[nodiscard]] std::vector<Beyond> beyond(const Limits& limits, const Ceilings& ceilings);
// Nothing when a run may take so long; 0 is the limit that it has without being named.
[[nodiscard]] std::string beyond(std::chrono::milliseconds run_time, const Ceilings& ceilings);

// The same, but never more than there is: for defaults, which nobody asked for.
[[nodiscard]] Limits below(Limits limits, const Ceilings& ceilings);

}  // namespace atl::core

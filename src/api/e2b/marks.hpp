#pragma once
// What this API notes about a session (sessions/standing.hpp), and what follows from it: whether
// the session is a sandbox here, runs, is paused, or is a snapshot that sandboxes are made from.
#include "core/records.hpp"
#include "sessions/standing.hpp"

#include <string>

namespace atl::api::e2b {

struct Marks {
    std::string template_id;     // as the client called it; empty: the session was not made here
    std::string key_id;          // that its tokens end with; empty: none was needed
    bool auto_resume = false;    // traffic for a paused one wakes it
    bool private_ports = false;  // its ports take the traffic token
    std::string host_mask;       // what its servers see as the Host of requests; empty: what it is
    std::string snapshot_of;     // the sandbox that it was taken from; empty: it is no snapshot
    std::string snapshot_name;

    bool operator==(const Marks&) const = default;
};
[[nodiscard]] Marks marks_in(const sessions::Standing& standing);
[[nodiscard]] Marks marks_of(const core::SessionRecord& record);
void note(const Marks& marks, sessions::Standing& standing);

[[nodiscard]] bool is_snapshot(const core::SessionRecord& record);
// Held until it is resumed. A session that merely sleeps is running to this API: whoever uses it
// wakes it without noticing.
[[nodiscard]] bool is_paused(const core::SessionRecord& record);
// Its end has come, and the next round of housekeeping, which removes it, is not there yet. One
// that is held at its end runs until it is.
[[nodiscard]] bool is_over(const core::SessionRecord& record);

}  // namespace atl::api::e2b

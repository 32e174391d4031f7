#pragma once
// PID 1 of a sandbox, from the first instruction in its new namespaces to its end.
//
// Called by the nest's init in a fresh clone, and by `atoll-guest guest` for a sandbox of its own.
#include "base/fd.hpp"
#include "guest/lib/surroundings.hpp"

#include <string>

namespace atl::guest {

struct Birth {
    UniqueFd stream;  // to the host
    UniqueFd bell;    // to the nest, which makes kernels; none in a sandbox without
    std::string hostname = "atoll";
    bool owned = false;  // somebody's from the start, without a claim
};

// Raises the inner walls, then runs the loop until the host goes or says so.
void live_as_guest(Birth birth, Surroundings surroundings);

}  // namespace atl::guest

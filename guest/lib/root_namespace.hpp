#pragma once
// The user namespace in which programs of a sandbox are root: id 0 in it is the sandbox's ordinary
// user, and no other id exists. It gives a name and nothing else (docs/decisions/0018).
//
// Owns      the namespace, by a descriptor in the surroundings, from the first program of root on
//           until PID 1 ends. All programs of root share it.
// Trusts    nobody: the process that makes it is confined like any program before it begins, since
//           it is the user's own and programs of the sandbox can reach it.
// On failure there is none, and the next program of root tries again.
#include "guest/lib/surroundings.hpp"

namespace atl::guest {

// Blocks for an exec (some milliseconds), once for each sandbox.
[[nodiscard]] bool have_root_namespace(Surroundings& surroundings, sys::StepFailure& failure);

}  // namespace atl::guest

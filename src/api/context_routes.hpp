#pragma once
// /v1/sessions/{id}/contexts: a session's kernels by name. Each of these wakes the session.
#include "api/api.hpp"
#include "sessions/sessions.hpp"

namespace atl::api {

void add_context_routes(Api& api, sessions::Sessions& sessions);

}  // namespace atl::api

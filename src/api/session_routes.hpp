#pragma once
// /v1/sessions: create, list, change, pause, fork and delete sessions.
#include "api/api.hpp"
#include "sessions/sessions.hpp"

namespace atl::api {

void add_session_routes(Api& api, sessions::Sessions& sessions);

}  // namespace atl::api

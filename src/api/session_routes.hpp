#pragma once
// /v1/sessions: what a client holds on to.
#include "api/api.hpp"
#include "sessions/sessions.hpp"

namespace atl::api {

void add_session_routes(Api& api, sessions::Sessions& sessions);

}  // namespace atl::api

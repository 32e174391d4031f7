#pragma once
// /v1/run and /v1/sessions/{id}/run: code in, one answer or a stream of events out.
#include "api/api.hpp"
#include "sessions/sessions.hpp"

namespace atl::api {

void add_run_routes(Api& api, sessions::Sessions& sessions);

}  // namespace atl::api

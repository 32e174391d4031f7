#pragma once
// /v1/jobs, and /schedule with /status for clients that know only these: code that is queued and
// run when its turn comes.
#include "api/api.hpp"
#include "sessions/jobs.hpp"

namespace atl::api {

void add_job_routes(Api& api, sessions::Jobs& jobs);

}  // namespace atl::api

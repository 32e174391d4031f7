#pragma once
// /v1/jobs, and /schedule with /status for clients that know only these: code that is queued and
// run in order.
#include "api/api.hpp"
#include "api/run_routes.hpp"
#include "sessions/jobs.hpp"

namespace atl::api {

// What holds for runs holds for jobs: how long their code may be, `limits` where a job names none,
// and the ceilings of what it may name.
void add_job_routes(Api& api, sessions::Jobs& jobs, RunRules rules, core::Limits limits,
                    core::Ceilings ceilings);

}  // namespace atl::api

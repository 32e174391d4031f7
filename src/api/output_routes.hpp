#pragma once
// /v1/outputs/{run_id}: what a run without a session left in its folder of artifacts.
//
// Only the run's owner may read them: a run's id is bound to its owner (sessions/new_id.hpp).
#include "api/api.hpp"
#include "core/outputs.hpp"

namespace atl::api {

void add_output_routes(Api& api, core::Outputs& outputs);

// Where a file of a run is got; `path` is relative.
[[nodiscard]] std::string output_href(const core::RunId& run, std::string_view path);

}  // namespace atl::api

#pragma once
// /upload and /v1/uploads: files for threads.
#include "agent/uploads.hpp"
#include "api/api.hpp"

namespace atl::api {

void add_upload_routes(Api& api, agent::Uploads& uploads);

}  // namespace atl::api

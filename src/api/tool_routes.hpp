#pragma once
// /v1/tools: the tools of agent/tools.hpp, for clients with a session of their own.
#include "agent/tools.hpp"
#include "api/api.hpp"

namespace atl::api {

void add_tool_routes(Api& api, const agent::Tools& tools);

}  // namespace atl::api

#pragma once
// /v1/tools: the tools of agent/tools.hpp, for clients with a session of their own.
#include "agent/tools.hpp"
#include "api/api.hpp"

namespace atl::api {

// What a call of a tool does with a session that is not there: makes it, if the caller's key makes
// sessions.
[[nodiscard]] agent::FirstUse first_use_by(const Caller& caller);

void add_tool_routes(Api& api, const agent::Tools& tools);

}  // namespace atl::api

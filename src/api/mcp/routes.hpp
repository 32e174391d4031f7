#pragma once
// /mcp: the Model Context Protocol over streamable HTTP.
//
//     POST     one JSON-RPC message. A request is answered with JSON, a call of a tool with events
//              if the client takes them: its progress, then its answer. Else 202.
//     GET      a stream for what the server says by itself, of which there is nothing but its end
//     DELETE   ends the session
//
// A client that leaves cancels its call, as notifications/cancelled does.
#include "agent/tools.hpp"
#include "api/api.hpp"
#include "api/mcp/mcp_sessions.hpp"

#include <string>

namespace atl::api {

struct McpOptions {
    std::string version;  // of the server
    mcp::McpLimits limits = {};
};

void add_mcp_routes(Api& api, const agent::Tools& tools, McpOptions options);

}  // namespace atl::api

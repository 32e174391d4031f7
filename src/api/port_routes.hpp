#pragma once
// /v1/sessions/{id}/ports/{port}/…: a web server inside a sandbox, over HTTP and WebSocket.
//
// What comes back is untrusted code on the API's own origin. docs/decisions/0009-ports.md says why
// it cannot use that; all of it stands in port_routes.cpp.
#include "api/api.hpp"
#include "sessions/sessions.hpp"

#include <chrono>

namespace atl::api {

struct PortOptions {
    std::chrono::milliseconds answer_timeout{60000};  // from the request to the answer's head
};

void add_port_routes(Api& api, sessions::Sessions& sessions, PortOptions options);

// Before the door: pages of a port have the origin `null`, and may ask their own server and nothing
// else. Changes requests for ports only.
void let_port_pages_in(net::Request& request);

}  // namespace atl::api

#pragma once
// /v1/sessions/{id}/terminal: a shell on a real terminal, over a WebSocket.
//
// Binary messages are the terminal's bytes, both ways; text messages are JSON (terminal_types.hpp).
// The shell lives as long as the socket: a client that leaves hangs up on it.
#include "api/api.hpp"
#include "sessions/sessions.hpp"

namespace atl::api {

void add_terminal_routes(Api& api, sessions::Sessions& sessions);

}  // namespace atl::api

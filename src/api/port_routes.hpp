#pragma once
// /v1/sessions/{id}/ports/{port}/…, or {port}-{id}.<domain>: a web server inside a sandbox, over
// HTTP and WebSocket.
//
// Under a path, what comes back is untrusted code on the API's own origin.
// docs/decisions/0009-ports.md says why it cannot use that; all of it stands in port_routes.cpp. By
// host name it has an origin of its own (port_host.hpp).
#include "api/api.hpp"
#include "api/tokens.hpp"
#include "net/problem.hpp"
#include "sessions/sessions.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace atl::api {

struct PortOptions {
    std::chrono::milliseconds answer_timeout{60000};  // from the request to the answer's head
    std::string domain;                               // of ports by host name; empty: none
};

void add_port_routes(Api& api, sessions::Sessions& sessions, const Signer& signer,
                     PortOptions options);

// The same ports for another API, whose usher (Api::usher_below) says who may ask. Its pattern has
// five segments before the path, as ours: {id} is the third and {port} the fifth.
struct PortPlace {
    std::string pattern;
    std::function<bool(const net::Request&)> has_own_origin;  // it came by a host of its own
    std::vector<std::string> hidden_headers;                  // of requests, beside our own
    std::string host_header;  // of requests, by the usher: the Host to pass on, if there is one
    std::function<net::Problem(const SessionId&, int port)> closed;  // nobody listens there
};
void add_ports_at(Api& api, sessions::Sessions& sessions, PortPlace place, PortOptions options);

// Before the door: pages of a port have the origin `null`, and may ask their own server and nothing
// else. Changes requests for ports only.
void let_port_pages_in(net::Request& request);

}  // namespace atl::api

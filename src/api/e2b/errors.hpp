#pragma once
// How failures are told to clients of the E2B API: {"code": <status>, "message": <sentence>}, which
// their SDKs turn into exceptions, and words that these SDKs look for.
#include "api/e2b/sandbox_id.hpp"
#include "net/problem.hpp"

#include <optional>

namespace atl::api::e2b {

// Whether a request is for this API or for a sandbox of it, by its path and its headers.
[[nodiscard]] bool is_for_us(const net::Request& request);
// For ServerOptions::tell_problem.
[[nodiscard]] std::optional<net::Response> tell_problem(const net::Request& request,
                                                        const net::Problem& problem);

// 502, whatever was wanted of it: there is no such sandbox, or it is paused.
[[nodiscard]] net::Problem not_running(const SessionId& session);
// 502: nobody listens there.
[[nodiscard]] net::Problem port_is_closed(const SessionId& session, int port);
// 404 of the control API.
[[nodiscard]] net::Problem no_such_sandbox(std::string_view sandbox);

}  // namespace atl::api::e2b

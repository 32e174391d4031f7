#include "api/e2b/errors.hpp"

#include "base/encoding.hpp"
#include "base/utf8.hpp"
#include "schema/validation.hpp"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>

namespace atl::api::e2b {

namespace json = boost::json;

namespace {

constexpr std::array<std::string_view, 10> kPlaces{"sandboxes", "v2",      "v3",      "templates",
                                                   "snapshots", "volumes", "secrets", "e2b",
                                                   "files",     "teams"};

std::string sandbox_text(const SessionId& session) {
    const auto id = sandbox_id_of(session);
    return id ? *id : session.text().substr(0, 64);
}

}  // namespace

bool is_for_us(const net::Request& request) {
    // Refused by the gateway, it still has the path that it came with.
    if (request.headers.contains("E2b-Sandbox-Id")) return true;
    const auto& segments = request.target.segments;
    if (segments.empty()) return false;
    return std::find(kPlaces.begin(), kPlaces.end(), segments[0]) != kPlaces.end();
}

std::optional<net::Response> tell_problem(const net::Request& request,
                                          const net::Problem& problem) {
    if (!is_for_us(request)) return std::nullopt;
    const int status = problem.status != 0 ? problem.status : net::status_of(problem.error.code);
    const auto& message = problem.error.message;
    json::object body;
    for (const auto& member : problem.members) body.insert(member);
    body["code"] = status;
    // It may quote a client's bytes.
    body["message"] = is_utf8(message) ? message : percent_encoded(message, " ");
    net::Response response{status, problem.headers, json::serialize(body)};
    response.headers.set("Content-Type", "application/json");
    response.headers.set("Cache-Control", "no-store");
    if (problem.retry_after) {
        response.headers.set("Retry-After", std::to_string(problem.retry_after->count()));
    } else if (status == 429 || status >= 500) {
        // Nothing here gets better within the seconds that an SDK would try it again.
        response.headers.set("Should-Retry", "false");
    }
    return response;
}

net::Problem not_running(const SessionId& session) {
    return net::Problem(Code::Unavailable, "The sandbox was not found")
        .with_status(502)
        .with_member("sandboxId", json::value(json::string(sandbox_text(session))));
}

net::Problem port_is_closed(const SessionId& session, int port) {
    return net::Problem(Code::Unavailable, "The sandbox is running but port is not open")
        .with_status(502)
        .with_member("sandboxId", json::value(json::string(sandbox_text(session))))
        .with_member("port", json::value(port));
}

net::Problem no_such_sandbox(std::string_view sandbox) {
    return net::Problem(Code::NotFound, "sandbox " + schema::quoted(sandbox, 64) + " not found");
}

}  // namespace atl::api::e2b

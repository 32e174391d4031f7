#include "api/request_reading.hpp"

#include "net/multipart.hpp"
#include "net/problem.hpp"

namespace atl::api {

core::Whose whose(const net::Exchange& exchange) {
    return core::Whose::of(caller_of(exchange.request()).owner);
}

SessionId session_in(const net::Exchange& exchange) {
    return SessionId(std::string(exchange.request().parameter("id")));
}

std::function<void(const SessionId&)> notes_session(const net::Exchange& exchange) {
    return [&exchange](const SessionId& id) { note_made(exchange, "session.create", id.text()); };
}

bool wants_events(const net::Request& request) {
    const auto accept = request.headers.get("Accept");
    return accept && accept->find("text/event-stream") != std::string_view::npos;
}

std::string form_boundary(const net::Request& request) {
    const auto content_type = request.headers.get_or("Content-Type", {});
    auto boundary = net::boundary_of(content_type);
    if (boundary) return std::move(*boundary);
    const bool is_form = content_type.find("multipart/form-data") != std::string_view::npos;
    throw net::Problem(boundary.error()).with_status(is_form ? 400 : 415);
}

}  // namespace atl::api

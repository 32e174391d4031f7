#include "api/request_reading.hpp"

namespace atl::api {

core::Whose whose(const net::Exchange& exchange) {
    return core::Whose::of(caller_of(exchange.request()).owner);
}

SessionId session_in(const net::Exchange& exchange) {
    return SessionId(std::string(exchange.request().parameter("id")));
}

bool wants_events(const net::Request& request) {
    const auto accept = request.headers.get("Accept");
    return accept && accept->find("text/event-stream") != std::string_view::npos;
}

}  // namespace atl::api
